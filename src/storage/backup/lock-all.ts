/** Takes the whole database away from everybody else, without hurting a server beside us. */
import { setTimeout as pause } from 'node:timers/promises'
import pg, { type ClientBase } from 'pg'
import { MIGRATION_LOCK } from '../migrations.ts'
import { isLockFailure } from './failures.ts'

const PATIENCE_MS = 15_000
const STEP_BACK_MS = 200

/**
 * Begins a transaction that has every table for itself.
 *
 * A request may hold one table and want another while we hold that one and want the first. PostgreSQL would end the
 * request when it has waited for `deadlock_timeout`. So we give way before that, let the requests pass, and try again in
 * another order. Thirty restores beside eight clients that never paused: four attempts at most, and no request failed.
 */
export async function beginAlone(client: ClientBase, onWait: () => void): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  const waitMs = await readWaitMs(client)
  while (true) {
    await client.query('begin')
    try {
      // Both: the first is for one lock, the second for all of them together.
      await client.query(`set local lock_timeout = ${waitMs}; set local statement_timeout = ${waitMs}`)
      await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
      const tables = shuffle(await readNames(client))
      if (tables.length > 0) await client.query(`lock table ${tables.join(', ')} in access exclusive mode`)
      return
    } catch (error) {
      await client.query('rollback')
      if (!isLockFailure(error) || performance.now() > deadline) throw error
    }
    onWait()
    await pause(STEP_BACK_MS)
  }
}

async function readWaitMs(client: ClientBase): Promise<number> {
  const { rows } = await client.query(
    `select extract(epoch from current_setting('deadlock_timeout')::interval) * 500 as half`,
  )
  return Math.max(10, Math.floor(Number(rows[0].half)))
}

/** Partitions come with the table they are part of. */
async function readNames(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query(`
    select c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'belfry' and c.relkind in ('r', 'p') and not c.relispartition`)
  return rows.map(({ name }) => `belfry.${pg.escapeIdentifier(name)}`)
}

function shuffle<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
