/** Keeps servers and commands off a database while `belfry move` reads or fills it. */
import type { ClientBase } from 'pg'
import { StartupError } from '../lib/startup-error.ts'

/**
 * The key of an advisory lock that a move holds on both databases. The number is arbitrary, and other programs are
 * unlikely to use it.
 */
const MOVE_LOCK = 2_358_002

/** Takes the lock until the connection ends. Returns false if another move holds it, or a server is just checking it. */
export async function tryMoveLock(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [MOVE_LOCK])
  return rows[0].locked
}

/** Throws during a move. Rows that a server wrote to the old database after the move's snapshot would be lost. */
export async function requireNoMove(client: ClientBase): Promise<void> {
  const { rows } = await client.query(
    'select pg_try_advisory_lock_shared($1) and pg_advisory_unlock_shared($1) as is_free',
    [MOVE_LOCK],
  )
  if (rows[0].is_free) return
  throw new StartupError(
    '`belfry move` is copying this database or filling it.',
    'Wait until the move has ended. Then start Belfry with the settings that it prints.',
  )
}
