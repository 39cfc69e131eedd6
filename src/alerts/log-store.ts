/** SQL of what was sent about a monitor. */
import { askAnew, own } from '../storage/ask.ts'
import type { Queries } from '../storage/client.ts'

/** Said with its events, so that `alerts_once_key` leads there: the event stands before the incident in it. */
const ofIncidents = (ids: string) =>
  ` and event in ('down', 'recovered', 'reminder') and incident_id = any (${ids}::bigint[])`

/** As JSON, newest first; all of it, or that of some incidents. undefined: there is no such monitor. */
export async function readAlertLog(
  q: Queries,
  monitorId: number,
  incidentIds: readonly number[] | undefined,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ json: string; total: number } | undefined> {
  const isFiltered = incidentIds !== undefined
  const ofMonitor = `from alerts where ${own} and monitor_id = $1`
  const [found, count, rows] = await askAnew(
    q,
    { text: `select from monitors where ${own} and id = $1`, values: [monitorId] },
    {
      text: `select count(*) as total ${ofMonitor}${isFiltered ? ofIncidents('$2') : ''}`,
      values: [monitorId, ...(isFiltered ? [incidentIds] : [])],
    },
    {
      // Few are found by their incidents: looking for them from the newest on would pass over all others, of all monitors.
      text: `with found as ${isFiltered ? 'materialized' : 'not materialized'} (
          select * ${ofMonitor}${isFiltered ? ofIncidents('$4') : ''}
        )
        select a.message_id as id, a.event, a.incident_id, a.provider_id, p.provider_type, p.name as provider_name,
               a.state, a.attempts, a.created_at, a.last_attempt_at, a.next_attempt_at, a.title, a.answer
          from found a join providers p on p.user_id = a.user_id and p.id = a.provider_id
         order by a.id desc limit $2 offset $3`,
      values: [monitorId, limit, offset, ...(isFiltered ? [incidentIds] : [])],
      asJson: true,
    },
  )
  if (found?.count !== 1) return undefined
  return { json: rows?.json ?? '', total: count?.rows[0]?.['total'] }
}

/** Across users. What still waits stays, however old. */
export async function dropOldAlerts(q: Queries, now: Date): Promise<void> {
  await q.query(`delete from alerts where created_at < $1::timestamptz - interval '1 year' and state <> 'waiting'`, [
    now,
  ])
}
