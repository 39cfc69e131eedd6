/** The error if no server of DATABASE_URL can be used, with the reason for each server. */
import pg from 'pg'
import { Problem, unavailable } from '../lib/problem.ts'
import { connectionLostProblem, isDatabaseUnavailable, READ_ONLY_DETAIL } from './connection-loss.ts'
import { TransactionModeError } from './pooler.ts'

export interface HostFailure {
  host: string
  error: unknown
}

/** The server responds, but refuses to write. */
export class ReadOnlyServer extends Error {
  /** The SQLSTATE with which PostgreSQL refuses a write to a read-only server. */
  readonly code = '25006'
}

export class NoServerError extends Error {
  override readonly name = 'NoServerError'
  readonly errors: readonly unknown[]
  /** Whether a server responded, but refuses to write. */
  readonly isReadOnly: boolean

  constructor(failures: readonly HostFailure[]) {
    super(describeFailures(failures), { cause: failures.at(-1)?.error })
    this.errors = failures.map(({ error }) => error)
    this.isReadOnly = failures.some(({ error }) => error instanceof ReadOnlyServer)
  }
}

/** If there are several servers, names each with its reason. */
function describeFailures(failures: readonly HostFailure[]): string {
  const reasons = [...Map.groupBy(failures, ({ host }) => host)].map(([host, hostFailures]) => {
    // If a server was tried with and without TLS, the reason that PostgreSQL itself gave is the one that matters.
    const failure = hostFailures.findLast(({ error }) => isFromServer(error)) ?? hostFailures.at(-1)
    return { host, reason: describeError(failure?.error) }
  })
  if (reasons.length === 1) return reasons[0]?.reason ?? ''
  return reasons.map(({ host, reason }) => `${host}: ${reason}`).join('; ')
}

function isFromServer(error: unknown): boolean {
  return error instanceof pg.DatabaseError || error instanceof ReadOnlyServer
}

function describeError(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  return message || code || 'unknown error'
}

/**
 * Whether statements that failed with this error may have taken effect. They have not if PostgreSQL reports that it rejected or
 * cancelled them, or if there was no connection. But if a connection ends, PostgreSQL may have committed them just before.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  const cause = error instanceof Problem ? error.cause : error
  if (cause === undefined || cause instanceof NoServerError || cause instanceof TransactionModeError) return false
  return cause instanceof pg.DatabaseError ? /^(08|57P)/.test(cause.code ?? '') : isDatabaseUnavailable(error)
}

/** Returns the error that the caller of a statement gets. */
export function noServerProblem(error: unknown): Problem {
  if (error instanceof TransactionModeError) return connectionLostProblem(error)
  const isReadOnly = error instanceof NoServerError && error.isReadOnly
  return unavailable(isReadOnly ? READ_ONLY_DETAIL : 'The database is unavailable.', error)
}
