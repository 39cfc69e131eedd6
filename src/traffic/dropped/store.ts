/** SQL for counts of dropped events. */
import type { Queries } from '../../storage/transaction.ts'
import type { WebsiteDropReason } from '../model/drop-reasons.ts'

export interface DropCount {
  websiteId: number
  /** YYYY-MM-DD in the time zone of the website. */
  day: string
  reason: WebsiteDropReason
  count: number
}

/** A stopping server saves its last counts. If a website stays locked, this ends the attempt well before the shutdown times out. */
const LOCK_TIMEOUT_MS = 2_000

/**
 * Requires a transaction. The order by website, day and reason prevents deadlocks between nodes. Locking the websites keeps
 * them from being deleted before the commit: removing a deleted website's traffic would otherwise miss these rows.
 */
export async function addDropCounts(q: Queries, counts: readonly DropCount[]): Promise<void> {
  await q.batch(
    { text: `select set_config('lock_timeout', $1, true)`, values: [String(LOCK_TIMEOUT_MS)] },
    {
      text: `insert into dropped_events (website_id, day, reason, count)
             select websites.id, added.day, added.reason, added.count
               from unnest($1::bigint[], $2::date[], $3::text[], $4::bigint[]) added (website_id, day, reason, count)
               join websites on websites.id = added.website_id
              order by websites.id, added.day, added.reason
                for key share of websites
                 on conflict (website_id, day, reason)
                 do update set count = dropped_events.count + excluded.count`,
      values: [
        counts.map(({ websiteId }) => websiteId),
        counts.map(({ day }) => day),
        counts.map(({ reason }) => reason),
        counts.map(({ count }) => count),
      ],
    },
  )
}

export async function readDropCounts(
  q: Queries,
  { websiteId, from, to }: { websiteId: number; from: string; to: string },
): Promise<Omit<DropCount, 'websiteId'>[]> {
  return q.query<Omit<DropCount, 'websiteId'>>(
    `select day::text as day, reason, count
       from dropped_events
      where website_id = $1 and day between $2 and $3`,
    [websiteId, from, to],
  )
}

export async function deleteOldDropCounts(q: Queries, now: Date): Promise<void> {
  await q.query(`delete from dropped_events where day < $1::timestamptz::date - interval '1 year'`, [now])
}
