/** The limits of each group of connections, and the SQL that applies them to a session. */
import type { Statement } from './batch.ts'
import type { WaitLimit } from './wait-budget.ts'

export interface GroupLimits extends WaitLimit {
  /** PostgreSQL cancels a statement after this long. */
  statementTimeoutMs: number
  /** How long a statement of a transaction waits for a lock. */
  lockTimeoutMs: number
  /** How long a statement waits for a lock on a connection where other statements wait behind it. */
  sharedLockTimeoutMs: number
  /** PostgreSQL ends a transaction that waits this long for its next statement. */
  maxIdleMs: number
}

/** Nearly all waits for a locked row are shorter than this. */
const SHARED_LOCK_TIMEOUT_MS = 300
/** No legitimate statement takes nearly this long. */
const BACKGROUND_STATEMENT_TIMEOUT_MS = 30_000
/**
 * PostgreSQL ends a transaction that waits this long for its next statement. Without this limit, a node that freezes
 * inside a transaction, or loses its connection without PostgreSQL noticing, would block other nodes.
 */
const MAX_IDLE_IN_TRANSACTION_MS = 60_000
/**
 * Requests get a shorter time than jobs, because they only compute between two statements, and their clients can repeat
 * them.
 */
const MAX_IDLE_IN_REQUEST_MS = 4_000
/** PostgreSQL ends a session, and so releases its locks, if our machine has not responded for this long. */
const MAX_UNACKNOWLEDGED_MS = 20_000

/** The limits for requests and events. `timeoutMs` limits all waits of a statement or transaction together. */
export function limitRequests(timeoutMs: number): GroupLimits {
  return {
    timeoutMs,
    per: 'total',
    statementTimeoutMs: timeoutMs,
    // A transaction that waits too long for a lock gives up its connection, so that transactions that need no lock can
    // use it.
    lockTimeoutMs: Math.ceil(timeoutMs / 2),
    sharedLockTimeoutMs: Math.min(SHARED_LOCK_TIMEOUT_MS, Math.ceil(timeoutMs / 2)),
    maxIdleMs: MAX_IDLE_IN_REQUEST_MS,
  }
}

/** The limits for checks, jobs and commands, whose transactions may take long if each statement is short. */
export const backgroundLimits: GroupLimits = {
  // This is slightly longer than the statement timeout, so that PostgreSQL cancels first.
  timeoutMs: BACKGROUND_STATEMENT_TIMEOUT_MS + 5_000,
  per: 'each',
  statementTimeoutMs: BACKGROUND_STATEMENT_TIMEOUT_MS,
  lockTimeoutMs: BACKGROUND_STATEMENT_TIMEOUT_MS,
  sharedLockTimeoutMs: SHARED_LOCK_TIMEOUT_MS,
  maxIdleMs: MAX_IDLE_IN_TRANSACTION_MS,
}

/** PostgreSQL ignores the settings for TCP on a Unix socket. */
export function formatSessionSetup({ statementTimeoutMs }: GroupLimits, lockTimeoutMs: number): string {
  return `set search_path = belfry, public; set timezone = 'UTC';
    set statement_timeout = ${statementTimeoutMs}; set lock_timeout = ${lockTimeoutMs};
    set idle_in_transaction_session_timeout = ${MAX_IDLE_IN_TRANSACTION_MS};
    set tcp_user_timeout = ${MAX_UNACKNOWLEDGED_MS};
    set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 2`
}

/** Shortens the session's limit for statements that have already waited, for example for a connection. */
export function limitStatements(timeoutMs: number): Statement {
  return {
    text: `select set_config('statement_timeout', $1, false)`,
    // PostgreSQL takes 0 for "no timeout".
    values: [String(Math.max(1, Math.floor(timeoutMs)))],
  }
}

/**
 * Behind a pooler in transaction mode, the session may have the limits of another group. So every transaction sets its own. A
 * read-only transaction blocks nobody, so it may wait longer for a client that reads its response slowly.
 */
export function limitTransaction({ lockTimeoutMs, maxIdleMs }: GroupLimits, isSnapshot: boolean): Statement {
  return {
    text: `select set_config('lock_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $2, true)`,
    values: [String(lockTimeoutMs), String(isSnapshot ? MAX_IDLE_IN_TRANSACTION_MS : maxIdleMs)],
  }
}
