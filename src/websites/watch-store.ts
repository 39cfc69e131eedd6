/** SQL for the traffic alerts of websites. */
import type { Queries } from '../storage/client.ts'
import { OWN_ROWS } from '../storage/statements.ts'

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

/** Forgets what the silence watch knows, so that it starts anew if it is turned on again. */
export async function clearSilenceWatch(q: Queries, websiteId: number): Promise<void> {
  await q.query(
    `update traffic_watches
        set fit = null, fitted_at = null, last_visit_at = null, silent_since = null
      where ${OWN_ROWS} and website_id = $1`,
    [websiteId],
  )
}
