/** SQL for the traffic alerts of websites. */

import { OWN_ROWS } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'

/** Returns the number of the caller's other websites whose silence is watched. */
export async function countOtherWatches(q: Queries, websiteId: number): Promise<number> {
  const [row] = await q.query<{ total: number }>(
    `select count(*)::int as total from websites where ${OWN_ROWS} and watch_traffic and id <> $1`,
    [websiteId],
  )
  return row?.total ?? 0
}

/** Sets how many false alarms a year the silence watches of all websites of the caller may cause together. */
export async function updateSilenceAlarms(q: Queries, alarmsAYear: number): Promise<void> {
  await q.query('update users set silence_alarms_a_year = $1 where id = caller_id()', [alarmsAYear])
}

/**
 * Deletes a stored silence and, unless `keepsFit`, the model that was fitted to the website's visits, which may be out
 * of date when the watch is turned on again.
 */
export async function resetSilenceWatch(q: Queries, websiteId: number, keepsFit: boolean): Promise<void> {
  await q.query(
    `update traffic_watches
        set fit = case when $2 then fit end,
            fitted_at = case when $2 then fitted_at end,
            last_visit_at = null,
            silent_since = null
      where ${OWN_ROWS} and website_id = $1`,
    [websiteId, keepsFit],
  )
}
