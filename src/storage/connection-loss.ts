/** Recognises errors that mean the database is unreachable, stopping or overloaded. */
import pg from 'pg'
import { Problem, unavailable } from '../lib/problem.ts'

/**
 * SQLSTATE codes or their beginnings: 08 connection, 57P shutdown or crash, 53 out of resources, 57014 statement cancelled,
 * 25P03 idle transaction timed out. The other codes and messages come from sockets and from pg.
 */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|57P|53|57014|25P03)/.test(error.code ?? '')
  const { code, message } = error as NodeJS.ErrnoException
  if (/^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET)/.test(code ?? '')) return true
  return /^(Connection terminated|Client (has encountered|was closed)|Query read timeout|timeout exceeded)/.test(
    message ?? '',
  )
}

/** Whether the connection itself is unusable. After a cancelled statement, or if the server is busy, the connection still works. */
export function endsConnection(error: unknown): boolean {
  return error instanceof pg.DatabaseError ? /^(08|57P|25P03)/.test(error.code ?? '') : isConnectionLoss(error)
}

export function connectionLostProblem(error: unknown): Problem {
  return unavailable('The database is unavailable.', error)
}

/** Accepts a raw query error, or one already translated into a Problem. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return error instanceof Problem ? error.code === 'unavailable' : isConnectionLoss(error)
}
