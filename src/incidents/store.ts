/** SQL for incidents, and for ending monitored periods. `src/uptime/store.ts` reads monitored periods. */

import { OWN_ROWS, queryWithFreshPlan } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import { buildHistoryQueries, getHistory, incidentEndSql, toHistories } from '../uptime/store.ts'
import type { MonitorHistory } from '../uptime/uptime.ts'
import type { TimeWindow } from './window.ts'

/** Ends the open incidents and monitored periods of monitors that are paused or change their type. */
export async function endIncidentsAndMonitoredPeriods(
  q: Queries,
  monitorIds: readonly number[],
  now: Date,
): Promise<void> {
  // The clocks of nodes differ slightly, so `greatest` ensures that nothing ends before it started.
  await q.batch(
    {
      text: `update incidents
                set resolved_at = greatest($2, started_at), resolution = 'paused', measure_at = $2
              where user_id = caller_id() and monitor_id = any ($1) and resolved_at is null`,
      values: [monitorIds, now],
    },
    {
      text: `update watches
                set ended_at = greatest($2, started_at)
              where user_id = caller_id() and monitor_id = any ($1) and ended_at is null`,
      values: [monitorIds, now],
    },
  )
}

/** Schedules the next reminder of the open incident `everyMinutes` from now. 0 turns reminders off. */
export async function rescheduleReminder(
  q: Queries,
  monitorId: number,
  everyMinutes: number,
  now: Date,
): Promise<void> {
  await q.query(
    `update incidents
        set remind_at = case when $2 > 0 then $3::timestamptz + $2 * interval '1 minute' end
      where user_id = caller_id() and monitor_id = $1 and resolved_at is null`,
    [monitorId, everyMinutes, now],
  )
}

/** When the open incident of the monitor `m` started. PostgreSQL evaluates it only for monitors that are down. */
export const downSinceSql = `
  case when m.status = 'down' then (
    select i.started_at from incidents i where i.user_id = m.user_id and i.monitor_id = m.id and i.resolved_at is null
  ) end`

/** An incident that ends exactly at the start of the window is not part of the window. */
const isInWindowSql = `user_id = caller_id() and monitor_id = $1 and ${incidentEndSql} > $2 and started_at <= $3`

export interface ListedIncidents {
  json: string
  total: number
  history: MonitorHistory
}

/** Returns the incidents as JSON, or undefined if the caller has no such monitor. */
export async function readIncidents(
  q: Queries,
  monitorId: number,
  { from, to }: TimeWindow,
  page: { limit: number; offset: number },
): Promise<ListedIncidents | undefined> {
  const [monitor, count, rows, ...history] = await queryWithFreshPlan(
    q,
    { text: 'select from monitors where user_id = caller_id() and id = $1', values: [monitorId] },
    { text: `select count(*) as total from incidents where ${isInWindowSql}`, values: [monitorId, from, to] },
    {
      text: `select id, monitor_id,
                    case when resolved_at is null then 'open' else 'resolved' end as status,
                    cause, detail, started_at, detected_at, resolved_at,
                    floor(extract(epoch from greatest(started_at, coalesce(resolved_at, $3)) - started_at))::bigint
                      as duration_seconds,
                    resolution, during_maintenance,
                    case when parent_monitor_id is not null
                         then json_build_object('monitor_id', parent_monitor_id, 'incident_id', parent_incident_id)
                    end as parent,
                    impact, visitors, diagnosis
               from incidents
              where ${isInWindowSql}
              order by started_at desc, id desc
              limit $4 offset $5`,
      values: [monitorId, from, to, page.limit, page.offset],
      asJson: true,
    },
    ...buildHistoryQueries(`${OWN_ROWS} and monitor_id = $1`, [monitorId], from),
  )
  if (monitor?.count !== 1) return undefined
  return {
    json: rows?.json ?? '',
    total: count?.rows[0]?.['total'] as number,
    history: getHistory(toHistories(history), monitorId),
  }
}
