/** SQL of imports and exports that does not depend on the format. */
import type { Queries } from '../../storage/transaction.ts'

/** Holds the lock until the end of the transaction. Returns false if another import into the website is running. */
export async function lockImport(q: Queries, websiteId: number): Promise<boolean> {
  const [row] = await q.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('traffic import ' || $1::bigint, 0)) as locked`,
    [websiteId],
  )
  return row?.locked === true
}

/** Returns the days for which the website has any statistics. */
export async function listTrafficDays(q: Queries, websiteId: number): Promise<Set<string>> {
  const rows = await q.query<{ day: string }>('select day::text as day from traffic_days where website_id = $1', [
    websiteId,
  ])
  return new Set(rows.map(({ day }) => day))
}

/**
 * Makes PostgreSQL plan queries for reading all their rows, until the end of the transaction. Visits have no index by their
 * id, so a nested loop would read all visits of the day for each event.
 */
export async function preferBulkReads(q: Queries): Promise<void> {
  await q.query(`select set_config('enable_nestloop', 'off', true), set_config('cursor_tuple_fraction', '1', true)`)
}
