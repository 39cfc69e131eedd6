/** SQL that deletes the traffic of deleted websites in small steps. */
import type { Queries } from '../../storage/transaction.ts'
import { BLOCKS_PER_DELETE } from './partitions-store.ts'

const ROWS_PER_DELETE = 10_000

/**
 * `traffic_values` comes after the tables that refer to it. A transaction that packs a day locks its row of `traffic_days`. So after these
 * rows are deleted, no day of the website is packed, and its other tables don't change any more.
 */
export const trafficTables = [
  'traffic_days',
  'events',
  'visits',
  'traffic_blocks',
  'traffic_counts',
  'traffic_weeks',
  'traffic_values',
  'dropped_events',
] as const
export type TrafficTable = (typeof trafficTables)[number]

export async function findRemovedWebsiteId(q: Queries): Promise<number | undefined> {
  const [row] = await q.query<{ id: number }>(
    'select website_id as id from removed_websites order by website_id limit 1',
  )
  return row?.id
}

/**
 * Returns whether there may be more rows. If a transaction that packs a day updates a row at the same time, the row gets another ctid,
 * and the delete misses it. So after the last rows, a query looks for rows that are left.
 */
export async function deleteTrafficBatch(q: Queries, table: TrafficTable, websiteId: number): Promise<boolean> {
  const limit = table === 'traffic_blocks' ? BLOCKS_PER_DELETE : ROWS_PER_DELETE
  const [deleted] = await q.batch({
    // An array makes PostgreSQL read the rows by their ctid. With a subquery it joins the table with itself, which is
    // quadratic without table statistics. A ctid can occur in several partitions, so this may delete a few more rows.
    text: `delete from ${table}
            where website_id = $1
              and ctid = any (array(select ctid from ${table} where website_id = $1 limit $2))`,
    values: [websiteId, limit],
  })
  if (deleted !== undefined && deleted.count >= limit) return true
  return (await q.query(`select from ${table} where website_id = $1 limit 1`, [websiteId])).length > 0
}

/**
 * Call it when the traffic tables have no more rows of the website. Some batches of the inbox could not be rolled up.
 * They have a `fault`, and rollups skip them. So this also deletes such batches if all their events belong to deleted
 * websites.
 */
export async function finishRemoval(q: Queries, websiteId: number): Promise<void> {
  await q.batch(
    {
      text: `delete from event_inbox b
              where fault is not null and $1 = any (websites)
                and not exists (select from websites w where w.id = any (b.websites))`,
      values: [websiteId],
    },
    { text: 'delete from removed_websites where website_id = $1', values: [websiteId] },
  )
}
