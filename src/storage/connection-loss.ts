/** Recognises errors that mean the database is unreachable, read-only, stopping or overloaded. */
import pg from 'pg'
import { Problem, unavailable } from '../lib/problem.ts'
import { TransactionModeError } from './pooler.ts'

/** The server refuses to write: it is a standby, perhaps a demoted primary, or its operator has made it read-only. */
const READ_ONLY = '25006'
const DISK_FULL = '53100'

/** A prepared statement doesn't exist, or exists already. Our names are unique, so the statement was sent to another session. */
const lostSessionCodes = /^(26000|42P05)$/
/**
 * PostgreSQL can't find a name, for example because it ran the statement in another session, which has another search
 * path. These codes also have other causes.
 */
const perhapsLostSessionCodes = /^(42P01|42883|42704|3F000|08P01)$/

/** A standby refuses some statements with codes that also have other causes, so the message has to match, too. */
const recoveryCodes = /^(55000|0A000|XX000)$/
const recoveryMessage = /during recovery|recovery is in progress|hot standby/

/**
 * Whether the database is unavailable. SQLSTATE codes or their beginnings: 08 connection, 57P shutdown or crash, 53 out of
 * resources, 57014 statement cancelled, 25P03 and 25P04 transaction timed out. The other codes and messages come from sockets
 * and from pg.
 */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof TransactionModeError) return true
  if (error instanceof pg.DatabaseError) return /^(53|57014)/.test(error.code ?? '') || endsConnection(error)
  const { code, message } = error as NodeJS.ErrnoException
  if (/^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET)/.test(code ?? '')) return true
  return /^(Connection terminated|Client (has encountered|was closed)|Query read timeout|timeout ex)/.test(
    message ?? '',
  )
}

/** Whether the connection itself is unusable. After a cancelled statement, or if the server is busy, the connection still works. */
export function endsConnection(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return /^(08|57P|25P03|25P04)/.test(error.code ?? '') || isReadOnlyServerError(error) || isLostSession(error)
  return isConnectionLoss(error)
}

/** Whether a pooler sent the statement to another session than the one that we prepared it in. */
export function isLostSession(error: unknown): boolean {
  return error instanceof pg.DatabaseError && lostSessionCodes.test(error.code ?? '')
}

/** Whether a pooler may have sent the statement to another session. Only a test of the pooler can tell. */
export function mayBeLostSession(error: unknown): boolean {
  return error instanceof pg.DatabaseError && perhapsLostSessionCodes.test(error.code ?? '')
}

export function isReadOnlyServerError(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  return error.code === READ_ONLY || (recoveryCodes.test(error.code ?? '') && recoveryMessage.test(error.message))
}

export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03'
}

/**
 * Whether the error is a lock timeout, a deadlock, or a conflict with other transactions or with the recovery of a
 * standby.
 */
function isContention(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(55P03|40P01|40001)/.test(error.code ?? '')
}

export function connectionLostProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof TransactionModeError) return unavailable(error.message, error)
  if (isDiskFull(error)) return unavailable("The database's disk is full.", error)
  return unavailable(isReadOnlyServerError(error) ? READ_ONLY_DETAIL : 'The database is unavailable.', error)
}

/**
 * Whether PostgreSQL could not write because its disk is full. Accepts a raw query error, or one already translated
 * into a Problem.
 */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof Problem) return isDiskFull(error.cause)
  return error instanceof pg.DatabaseError && error.code === DISK_FULL
}

export const READ_ONLY_DETAIL = 'The database is read-only.'

/** Returns the error that the caller of a failed statement gets: a problem if the database is to blame, else the error itself. */
export function translateDatabaseError(error: unknown): unknown {
  if (isContention(error)) return unavailable('The database is busy.', error)
  return isConnectionLoss(error) ? connectionLostProblem(error) : error
}

/**
 * Whether the error means that the database is unavailable. Accepts a raw query error, or one already translated into a
 * Problem.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return error instanceof Problem ? error.code === 'unavailable' : isConnectionLoss(error)
}
