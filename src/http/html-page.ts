/** Short HTML pages in the style of the application. They work without scripts, and even if the application isn't built. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { passwordScript } from '../lib/password-field.ts'
import { notFound, type Problem, problems } from '../lib/problem.ts'
import { escapeHtml } from '../lib/text.ts'
import { sendProblem, toProblem } from './errors.ts'
import { buildInlineFontStyle, buildLinkedFontStyle, iconUrl, pageStyle } from './page-style.ts'
import { prefersToJson } from './prefers-to-json.ts'
import { logProblem } from './problem-log.ts'

const pageHeaders = {
  'content-security-policy': `default-src 'none'; img-src data:; font-src data: 'self'; style-src 'unsafe-inline'; script-src ${passwordScript.hash}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  // With `no-referrer`, a browser would submit forms with "Origin: null", which looks like a request from another site.
  'referrer-policy': 'same-origin',
}

interface HtmlPageOptions {
  /**
   * The path of the page, for pages that are sent often, such as error pages: they link to the file of the application's typeface. Without a
   * path, the page contains the typeface, which adds 64 kB.
   */
  path?: string
}

/** `title` and `body` are HTML, not plain text. */
export function renderHtml(title: string, body: string, { path }: HtmlPageOptions = {}): string {
  const fontStyle = `<style>${path === undefined ? buildInlineFontStyle() : buildLinkedFontStyle(path)}</style>`
  const script = body.includes('class="secret"') ? passwordScript.html : ''
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title><link rel="icon" href="${iconUrl}">${fontStyle}<style>${pageStyle}</style><body><header><img src="${iconUrl}" width="28" height="28" alt="">Belfry</header><main>${body}</main>${script}</body></html>`
}

export function sendHtml(reply: FastifyReply, text: string) {
  return reply
    .headers(pageHeaders)
    .type('text/html; charset=utf-8')
    .send(text as never)
}

/** Whether a browser is opening a page, rather than a program calling the API. */
export function prefersHtml({ method, url, headers: { accept, authorization } }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    authorization === undefined &&
    !/^\/(?:api|assets)(?:[/?]|$)/.test(url) &&
    prefersToJson(accept, 'text/html')
  )
}

/** Shows an error as an HTML page to a browser, and as a problem response to other clients. */
export function sendProblemPage(error: Error, request: FastifyRequest, reply: FastifyReply) {
  const problem = request.refusal ?? toProblem(error)
  if (!prefersHtml(request)) return sendProblem(problem, request, reply)
  logProblem(problem, request.log, request.id)
  const { status } = problems[problem.code]
  const { title, text } = describeProblem(problem)
  const requestIdHtml = status >= 500 ? `<p><small>Request ID: ${request.id}</small></p>` : ''
  const body = `<h1>${title}</h1><p>${escapeHtml(text)}</p>${requestIdHtml}`
  return sendHtml(reply.code(status).headers(problem.headers), renderHtml(title, body, { path: request.url }))
}

/** The texts of problems are for API clients. A person who opens a missing page reads about a page. */
function describeProblem({ code, message }: Problem): { title: string; text: string } {
  if (code !== 'not_found') return { title: problems[code].title, text: message }
  const isDefaultMessage = message === notFound().message
  const text = isDefaultMessage ? "This page doesn't exist, or you don't have access." : message
  return { title: 'Page not found', text }
}
