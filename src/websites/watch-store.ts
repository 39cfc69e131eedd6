/** SQL for the traffic alerts of websites. */

import { Problem } from '../lib/problem.ts'
import { SHARED_ROWS } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'

/** Counts the caller's other websites that have alerts when visits stop. */
export async function countOtherWatches(q: Queries, websiteId: number): Promise<number> {
  const [row] = await q.query<{ total: number }>(
    `select count(*)::int as total from websites where ${SHARED_ROWS} and watch_traffic and id <> $1`,
    [websiteId],
  )
  return row?.total ?? 0
}

/** Sets how many false alarms about stopped visits the team accepts a year, for all websites together. */
export async function updateSilenceAlarms(q: Queries, alarmsAYear: number): Promise<void> {
  const text = 'update teams set silence_alarms_a_year = $1 where id = own_team() returning id'
  const rows = await q.query(text, [alarmsAYear])
  if (rows.length === 0) throw new Problem('forbidden', "Guests of the team can't change `silence_alarms_a_year`.")
}

/**
 * Forgets that visits have stopped and, unless `keepsFit`, the model that was fitted to the website's visits. The model
 * may be out of date when the alerts are turned on again.
 */
export async function resetTrafficWatch(q: Queries, websiteId: number, keepsFit: boolean): Promise<void> {
  await q.query(
    `update traffic_watches
        set fit = case when $2 then fit end,
            fitted_at = case when $2 then fitted_at end,
            last_visit_at = null,
            silent_since = null
      where ${SHARED_ROWS} and website_id = $1`,
    [websiteId, keepsFit],
  )
}
