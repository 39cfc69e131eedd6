/**
 * Replaces the response with 401 if the caller's key or session has ended. Callers come from a cache, and most requests confirm
 * theirs with their first query. The hook in this file asks the database about the others, such as requests that failed before
 * their first query.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../lib/problem.ts'
import type { Caller } from '../storage/caller.ts'
import { formatProblem, logProblem, toProblem } from './errors.ts'
import type { RouteDeps } from './route-deps.ts'

/** `forgetCaller` removes the request's caller from the cache. */
export function confirmCallers(
  app: FastifyInstance,
  { db }: RouteDeps,
  forgetCaller: (request: FastifyRequest) => void,
): void {
  // This hook takes a callback instead of returning a promise, because nearly every caller is already confirmed.
  app.addHook('onSend', (request, reply, payload, done) => {
    const { caller } = request
    if (caller === undefined || caller.isConfirmed || !needsConfirmation(caller, request, reply)) {
      return done(null, payload)
    }
    db.as(caller)
      .confirm()
      .then(
        () => done(null, payload),
        (error) => {
          if (payload instanceof Readable) payload.destroy()
          const problem = toProblem(error)
          if (problem.code === 'unauthenticated') forgetCaller(request)
          done(null, replaceResponse(problem, request, reply))
        },
      )
  })
}

/**
 * Routes with optional callers treat somebody whose session has ended as a guest, but they reject a revoked key. A 429 response must
 * not cost a query, and a 5xx response reveals nothing.
 */
function needsConfirmation(caller: Caller, { routeOptions }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  const { access } = routeOptions.config
  if (access === undefined || (access.who === 'optional-caller' && caller.kind === 'session')) return false
  return statusCode !== 401 && statusCode !== 429 && statusCode < 500
}

/** Returns the body. An `onSend` hook can't call `send`, and an error that it throws would not reach our error handler. */
function replaceResponse(problem: Problem, request: FastifyRequest, reply: FastifyReply): string {
  logProblem(problem, request)
  const { status, text } = formatProblem(problem, request.id)
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  reply.code(status).headers(problem.headers).type('application/problem+json; charset=utf-8')
  return text
}
