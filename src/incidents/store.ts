/** SQL for incidents, and for ending monitored periods. `src/uptime/store.ts` reads monitored periods. */

import { MAX_NOTES_PER_LIST } from '../shared/incidents.ts'
import { queryWithFreshPlan } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import { buildMonitorHistoryQueries, getHistory, incidentEndSql, toHistories } from '../uptime/store.ts'
import type { MonitorHistory } from '../uptime/uptime.ts'
import type { TimeWindow } from './window.ts'

/** Ends the ongoing incidents and monitored periods of monitors that are paused or change their type. */
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
              where user_id = own_team() and monitor_id = any ($1) and resolved_at is null`,
      values: [monitorIds, now],
    },
    {
      text: `update watches
                set ended_at = greatest($2, started_at)
              where user_id = own_team() and monitor_id = any ($1) and ended_at is null`,
      values: [monitorIds, now],
    },
  )
}

/** Schedules the next reminder of the ongoing incident `everyMinutes` from now. 0 turns reminders off. An acknowledged incident gets none. */
export async function rescheduleReminder(
  q: Queries,
  monitorId: number,
  everyMinutes: number,
  now: Date,
): Promise<void> {
  await q.query(
    `update incidents
        set remind_at = case when $2 > 0 then $3::timestamptz + $2 * interval '1 minute' end
      where user_id = own_team() and monitor_id = $1 and resolved_at is null and acknowledged_at is null`,
    [monitorId, everyMinutes, now],
  )
}

/** When the ongoing incident of the monitor `m` started. PostgreSQL evaluates it only for monitors that are down. */
export const downSinceSql = `
  case when m.status = 'down' then (
    select i.started_at from incidents i where i.user_id = m.user_id and i.monitor_id = m.id and i.resolved_at is null
  ) end`

/** An incident that ends exactly at the start of the window is not part of the window. */
const isInWindowSql = `user_id = own_team() and monitor_id = $1 and ${incidentEndSql} > $2 and started_at <= $3`

export interface ListedIncidents {
  json: string
  total: number
  history: MonitorHistory
}

/**
 * The columns of an `IncidentRecord` except its notes, from rows of `incidents` with the alias `i`. `nowSql` is the time
 * until which an ongoing incident lasts.
 */
export const buildIncidentColumnsSql = (nowSql: string) => `
  i.id, i.monitor_id,
  case when i.resolved_at is null then 'open' else 'resolved' end as status,
  i.cause, i.detail, i.started_at, i.detected_at, i.resolved_at,
  floor(extract(epoch from greatest(i.started_at, coalesce(i.resolved_at, ${nowSql})) - i.started_at))::bigint
    as duration_seconds,
  i.resolution, i.during_maintenance,
  case when i.parent_monitor_id is not null
       then json_build_object('monitor_id', i.parent_monitor_id, 'incident_id', i.parent_incident_id)
  end as parent,
  i.impact, i.visitors, i.diagnosis, i.acknowledged_at, i.acknowledged_by`

/** Formats a time inside of a JSON value like the times of all other fields. */
export const buildTimestampSql = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The notes of the incidents in the query `page`, by incident. The notes of the first incidents come first. */
export const pageNotesSql = `
  select n.incident_id,
         json_agg(json_build_object('id', n.id, 'text', n.text, 'author', n.author,
                                    'created_at', ${buildTimestampSql('n.created_at')}) order by n.id) as notes
    from (
      select n.incident_id, n.id, n.text, n.author, n.created_at
        from page i
        join incident_notes n on n.user_id = i.user_id and n.monitor_id = i.monitor_id and n.incident_id = i.id
       order by i.resolved_at is not null, i.started_at desc, i.id desc, n.id desc
       limit ${MAX_NOTES_PER_LIST}
    ) n
   group by n.incident_id`

/** Returns the incidents as JSON, or undefined if the caller has no such monitor. */
export async function readIncidents(
  q: Queries,
  monitorId: number,
  { from, to }: TimeWindow,
  page: { limit: number; offset: number },
): Promise<ListedIncidents | undefined> {
  const [monitor, count, rows, ...history] = await queryWithFreshPlan(
    q,
    { text: 'select from monitors where user_id = own_team() and id = $1', values: [monitorId] },
    { text: `select count(*) as total from incidents where ${isInWindowSql}`, values: [monitorId, from, to] },
    {
      text: `with page as materialized (
               select *
                 from incidents
                where ${isInWindowSql}
                order by started_at desc, id desc
                limit $4 offset $5
             ), page_notes as (
               ${pageNotesSql}
             )
             select ${buildIncidentColumnsSql('$3')}, coalesce(n.notes, '[]') as notes
               from page i
               left join page_notes n on n.incident_id = i.id
              order by i.started_at desc, i.id desc`,
      values: [monitorId, from, to, page.limit, page.offset],
      asJson: true,
    },
    ...buildMonitorHistoryQueries(monitorId, from),
  )
  if (monitor?.count !== 1) return undefined
  return {
    json: rows?.json ?? '',
    total: count?.rows[0]?.['total'] as number,
    history: getHistory(toHistories(history), monitorId),
  }
}
