/** Locks every table for a restore, without making requests of a running server fail. */
import { setTimeout as delay } from 'node:timers/promises'
import pg, { type ClientBase } from 'pg'
import { MIGRATION_LOCK } from '../apply-schema-change.ts'
import { isLockFailure } from './failures.ts'

const LOCK_DEADLINE_MS = 15_000
const RETRY_DELAY_MS = 200

/**
 * Begins a transaction that holds an exclusive lock on every table.
 *
 * A request may hold a lock on one table and wait for a second table that we have locked, while we wait for the first.
 * After `deadlock_timeout` PostgreSQL would abort the request. So we roll back before that, let the requests finish, and
 * try again in another order. In thirty restores, with eight clients sending requests nonstop, at most four attempts were
 * needed and no request failed.
 */
export async function beginWithAllTablesLocked(client: ClientBase, onWait: () => void): Promise<void> {
  const deadline = performance.now() + LOCK_DEADLINE_MS
  const lockTimeoutMs = await readLockTimeoutMs(client)
  while (true) {
    await client.query('begin')
    try {
      // lock_timeout limits the wait for each lock, statement_timeout the wait for all of them together.
      await client.query(`set local lock_timeout = ${lockTimeoutMs}; set local statement_timeout = ${lockTimeoutMs}`)
      await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
      const tables = shuffle(await readTableNames(client))
      if (tables.length > 0) await client.query(`lock table ${tables.join(', ')} in access exclusive mode`)
      return
    } catch (error) {
      await client.query('rollback')
      if (!isLockFailure(error) || performance.now() > deadline) throw error
    }
    onWait()
    await delay(RETRY_DELAY_MS)
  }
}

/** Returns half of `deadlock_timeout`: in a deadlock we give up first, so that PostgreSQL doesn't abort a user's request. */
async function readLockTimeoutMs(client: ClientBase): Promise<number> {
  const { rows } = await client.query(
    `select extract(epoch from current_setting('deadlock_timeout')::interval) * 500 as half`,
  )
  return Math.max(10, Math.floor(Number(rows[0].half)))
}

/** Leaves out partitions, because locking a partitioned table also locks its partitions. */
export async function readTableNames(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query(`
    select c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'belfry' and c.relkind in ('r', 'p') and not c.relispartition`)
  return rows.map(({ name }) => `belfry.${pg.escapeIdentifier(name)}`)
}

function shuffle<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}
