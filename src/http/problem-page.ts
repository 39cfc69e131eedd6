/** What went wrong, told to a person in a page and to a program as anywhere. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { problems } from '../lib/problem.ts'
import { escapeHtml } from '../lib/text.ts'
import { logProblem, problemOf, sendProblem } from './errors.ts'
import { document, sendPage, wantsPage } from './page.ts'

export function sendProblemPage(error: Error, request: FastifyRequest, reply: FastifyReply) {
  const problem = problemOf(error)
  if (!wantsPage(request)) return sendProblem(problem, request, reply)
  logProblem(problem, request)
  const { status, title } = problems[problem.code]
  const id = status >= 500 ? `<p><small>Request ${request.id}</small></p>` : ''
  const body = `<h1>${title}</h1><p>${escapeHtml(problem.message)}</p>${id}`
  return sendPage(reply.code(status).headers(problem.headers), document(title, body))
}
