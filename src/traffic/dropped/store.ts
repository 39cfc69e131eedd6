/** SQL of how many events were dropped. */
import type { Queries } from '../../storage/client.ts'
import type { SiteDropReason } from '../model/drop-reasons.ts'

export interface DroppedCount {
  websiteId: number
  /** YYYY-MM-DD by the clock of the website. */
  day: string
  reason: SiteDropReason
  count: number
}

/** Whoever waits longer is told so, and can still stop in time. */
const LOCK_MS = 2_000

/**
 * Adds to what is there, in one statement. In order, so that no two nodes wait for each other. A website stays until this is
 * committed: what is swept out after one that was deleted would otherwise miss it. Needs a transaction.
 */
export async function addDropped(q: Queries, counts: readonly DroppedCount[]): Promise<void> {
  const waiting = { text: `select set_config('lock_timeout', $1, true)`, values: [String(LOCK_MS)] }
  await q.flight(waiting, {
    text: `insert into dropped_events as d (website_id, day, reason, count)
     select w.id, n.day, n.reason, n.count
       from unnest($1::bigint[], $2::date[], $3::text[], $4::bigint[]) n (website_id, day, reason, count)
       join websites w on w.id = n.website_id
      order by 1, 2, 3 for key share of w
     on conflict (website_id, day, reason) do update set count = d.count + excluded.count`,
    values: [
      counts.map(({ websiteId }) => websiteId),
      counts.map(({ day }) => day),
      counts.map(({ reason }) => reason),
      counts.map(({ count }) => count),
    ],
  })
}

export async function readDropped(
  q: Queries,
  { websiteId, from, to }: { websiteId: number; from: string; to: string },
): Promise<Omit<DroppedCount, 'websiteId'>[]> {
  return q.query<Omit<DroppedCount, 'websiteId'>>(
    `select day::text as day, reason, count from dropped_events where website_id = $1 and day between $2 and $3`,
    [websiteId, from, to],
  )
}

export async function dropOldDropped(q: Queries, now: Date): Promise<void> {
  await q.query(`delete from dropped_events where day < $1::timestamptz::date - interval '1 year'`, [now])
}
