/** SQL that sweeps out the traffic of deleted websites, a little at a time. */
import type { Queries } from '../../storage/client.ts'

const BATCH = 10_000

/** `traffic_values` after those that they name something in. */
const tables = [
  'events',
  'visits',
  'traffic_counts',
  'traffic_days',
  'traffic_weeks',
  'traffic_values',
  'dropped_events',
] as const
export type TrafficTable = (typeof tables)[number]
export const trafficTables: readonly TrafficTable[] = tables

export async function findRemovedWebsite(q: Queries): Promise<number | undefined> {
  const [row] = await q.query<{ id: number }>('select website_id as id from removed_websites order by 1 limit 1')
  return row?.id
}

/** Answers whether there may be more. By table and place, because places of partitions are alike. */
export async function deleteTrafficBatch(q: Queries, table: TrafficTable, websiteId: number): Promise<boolean> {
  const [deleted] = await q.batch({
    text: `delete from ${table} where website_id = $1 and (tableoid, ctid) in (
             select tableoid, ctid from ${table} where website_id = $1 limit ${BATCH})`,
    values: [websiteId],
  })
  return deleted?.count === BATCH
}

/** With batches that were put aside and are nobody's any more; the others leave the inbox by being added up. */
export async function finishRemoval(q: Queries, websiteId: number): Promise<void> {
  await q.batch(
    {
      text: `delete from event_inbox b where fault is not null and $1 = any (websites)
                and not exists (select from websites w where w.id = any (b.websites))`,
      values: [websiteId],
    },
    { text: 'delete from removed_websites where website_id = $1', values: [websiteId] },
  )
}
