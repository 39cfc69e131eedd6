import pg from 'pg'
import { Problem, unavailable } from '../lib/problem.ts'

/** SQLSTATE: connection, shutdown and crash, resources, a cancelled statement, a silent transaction; and what sockets and pg say. */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|57P|53|57014|25P03)/.test(error.code ?? '')
  const { code, message } = error as NodeJS.ErrnoException
  if (/^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET)/.test(code ?? '')) return true
  return /^(Connection terminated|Client (has encountered|was closed)|Query read timeout|timeout exceeded)/.test(
    message ?? '',
  )
}

/** A loss after which the connection is of no use: not one of a busy server or a cancelled statement. */
export function endsConnection(error: unknown): boolean {
  return error instanceof pg.DatabaseError ? /^(08|57P|25P03)/.test(error.code ?? '') : isConnectionLoss(error)
}

export function connectionLost(error: unknown): Problem {
  return unavailable('The database is not reachable.', error)
}

/** Whether the database is away, as whoever asked it hears. */
export function isAway(error: unknown): boolean {
  return error instanceof Problem ? error.code === 'unavailable' : isConnectionLoss(error)
}
