/**
 * Callers come from a cache, so their key or session may have ended. Nearly every request confirms its caller with its first
 * query, and a handler without a query calls `confirm`. This file handles requests that fail before that.
 */
import type { FastifyRequest } from 'fastify'
import { type Problem, problems } from '../lib/problem.ts'
import type { Caller } from '../storage/caller.ts'
import type { Database } from '../storage/database.ts'
import { toProblemSafely } from './errors.ts'

/** Returns the problem to send instead of the error if the caller's key or session has ended. */
export async function findRefusal(db: Database, request: FastifyRequest, error: Error): Promise<Problem | undefined> {
  const { caller } = request
  if (caller === undefined || caller.isConfirmed || !needsConfirmation(caller, request, toProblemSafely(error)))
    return undefined
  try {
    await db.as(caller).confirm()
    return undefined
  } catch (refusal) {
    return toProblemSafely(refusal as Error)
  }
}

/**
 * Routes with optional callers treat somebody whose session has ended as a guest, but they reject a revoked key. A 429 response must
 * not cost a query, and a 5xx response reveals nothing.
 */
function needsConfirmation(caller: Caller, { routeOptions }: FastifyRequest, problem: Problem): boolean {
  const { access } = routeOptions.config
  if (access === undefined || (access.who === 'optional-caller' && caller.kind === 'session')) return false
  const { status } = problems[problem.code]
  return status !== 401 && status !== 429 && status < 500
}
