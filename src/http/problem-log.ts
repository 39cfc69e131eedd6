/**
 * Decides which problem responses are logged, and at which level. Responses of a server that is unavailable for a while
 * are warnings, not errors.
 */
import type { FastifyBaseLogger } from 'fastify'
import { type Problem, problems, STARTING_DETAIL, STOPPING_DETAIL } from '../lib/problem.ts'
import { MINUTE_MS } from '../shared/time.ts'

/**
 * Only requests for /readyz notice that a problem has ended. If there are none, the same problem is logged again after
 * this time.
 */
const REPEAT_AFTER_MS = MINUTE_MS

type ProblemLogger = Pick<FastifyBaseLogger, 'error' | 'warn' | 'info' | 'debug'>

/** The requests that one server has refused since it was last available. */
interface RefusalState {
  /**
   * When each message was last logged. Keys are the messages that clients got, without numbers, because the seconds to
   * wait differ from one request to the next.
   */
  loggedAtByMessage: Map<string, number>
  refusedCount: number
}

const statesByLog = new WeakMap<ProblemLogger, RefusalState>()

type LogRule = 'never' | 'error' | 'once' | 'debug'

/** `once` logs a warning when the server begins to refuse requests. Further requests are logged only at level `debug`. */
export function findLogRule({ code, message }: Problem): LogRule {
  // A failed test notification is the failure of an external service, not ours.
  if (problems[code].status < 500 || code === 'provider_delivery_failed') return 'never'
  if (code !== 'unavailable') return 'error'
  // The server logs its start and stop itself.
  return message === STARTING_DETAIL || message === STOPPING_DETAIL ? 'debug' : 'once'
}

export function logProblem(problem: Problem, log: ProblemLogger, requestId: string, now = performance.now()): void {
  const rule = findLogRule(problem)
  if (rule === 'never') return
  if (rule === 'error') {
    log.error({ err: problem.cause ?? problem, request: requestId }, problem.message)
    return
  }
  const reason = problem.cause instanceof Error ? problem.cause.message : undefined
  const fields = { ...(reason !== undefined && { reason }), request: requestId }
  const isNew = rule === 'once' && noteRefusal(problem.message, log, now)
  log[isNew ? 'warn' : 'debug'](fields, problem.message)
}

/** Counts a refused request. Returns whether its message must be logged as a warning, because it has not been logged recently. */
function noteRefusal(message: string, log: ProblemLogger, now: number): boolean {
  const state = statesByLog.get(log) ?? { loggedAtByMessage: new Map(), refusedCount: 0 }
  statesByLog.set(log, state)
  state.refusedCount++
  const key = message.replaceAll(/\d+/g, '')
  if (now - (state.loggedAtByMessage.get(key) ?? Number.NEGATIVE_INFINITY) < REPEAT_AFTER_MS) return false
  state.loggedAtByMessage.set(key, now)
  return true
}

/**
 * Call it when the server has found out that it can serve requests. If it could not before, logs once that requests are
 * served again.
 */
export function logAvailable(log: ProblemLogger): void {
  const state = statesByLog.get(log)
  if (state === undefined) return
  statesByLog.delete(log)
  log.info({ refusedRequests: state.refusedCount }, 'requests are served again')
}
