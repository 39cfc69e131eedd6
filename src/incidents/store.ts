/**
 * SQL for incidents and monitored periods. In a monitored period, Belfry checked the monitor without gaps. Uptime
 * covers only these periods. They are stored in the table `watches`, whose name is older than the term "monitored
 * period".
 */

import type { Statement } from '../storage/batch.ts'
import { queryWithFreshPlan } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
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

export interface IncidentSummary {
  total: number
  downtimeSeconds: number
  monitoredSeconds: number
  /** Counts only downtime within monitored periods, so that the uptime is never negative. */
  monitoredDowntimeSeconds: number
}

/** The expression must stay exactly like this, because the index `incidents_end_idx` is defined on it. */
export const incidentEndSql = `(case when resolved_at is null then 'infinity' else resolved_at end)`

/** When the open incident of the monitor `m` started. PostgreSQL evaluates it only for monitors that are down. */
export const downSinceSql = `
  case when m.status = 'down' then (
    select i.started_at from incidents i where i.user_id = m.user_id and i.monitor_id = m.id and i.resolved_at is null
  ) end`

/** An incident that ends exactly at the start of the window is not part of the window. */
const buildIsInWindowSql = (monitorIdSql: string) =>
  `user_id = caller_id() and monitor_id = ${monitorIdSql} and ${incidentEndSql} > $2 and started_at <= $3`

/** The query returns an `IncidentSummary`. It uses multiranges, which count overlapping periods only once. */
export function buildIncidentSummaryQuery(monitorId: number, { from, to }: TimeWindow): Statement {
  return { text: buildSummarySql('$1'), values: [monitorId, from, to] }
}

/** The query returns an `IncidentSummary` for each of the monitors, in the same order. */
export function buildIncidentSummariesQuery(monitorIds: readonly number[], { from, to }: TimeWindow): Statement {
  return {
    text: `
      select summary.*
        from unnest($1::bigint[]) with ordinality as requested (id, place)
       cross join lateral (${buildSummarySql('requested.id')}) summary
       order by requested.place`,
    values: [monitorIds, from, to],
  }
}

/** $2 and $3 are the start and the end of the time window. */
const buildSummarySql = (monitorIdSql: string) => `
      with down as (
        select count(*) as total,
               coalesce(range_agg(tstzrange(started_at, greatest(started_at, least(resolved_at, $3)))), '{}') as times
          from incidents
         where ${buildIsInWindowSql(monitorIdSql)}
      ), monitored as (
        select coalesce(range_agg(tstzrange(started_at, greatest(started_at, least(ended_at, $3)))), '{}') as times
          from watches
         where user_id = caller_id() and monitor_id = ${monitorIdSql}
      ), clipped as (
        select total,
               down.times * tstzmultirange(tstzrange($2, $3)) as down,
               monitored.times * tstzmultirange(tstzrange($2, $3)) as monitored
          from down, monitored
      )
      select total, ${buildSumSecondsSql('down')} as "downtimeSeconds", ${buildSumSecondsSql('monitored')} as "monitoredSeconds",
             ${buildSumSecondsSql('down * monitored')} as "monitoredDowntimeSeconds"
        from clipped`

const buildSumSecondsSql = (multirange: string) =>
  `(select coalesce(sum(extract(epoch from upper(r) - lower(r))), 0)::float8 from unnest(${multirange}) r)`

/** Returns the incidents as JSON, or undefined if the caller has no such monitor. */
export async function readIncidents(
  q: Queries,
  monitorId: number,
  { from, to }: TimeWindow,
  page: { limit: number; offset: number },
): Promise<{ json: string; summary: IncidentSummary } | undefined> {
  const [monitor, summary, rows] = await queryWithFreshPlan(
    q,
    { text: 'select from monitors where user_id = caller_id() and id = $1', values: [monitorId] },
    buildIncidentSummaryQuery(monitorId, { from, to }),
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
              where ${buildIsInWindowSql('$1')}
              order by started_at desc, id desc
              limit $4 offset $5`,
      values: [monitorId, from, to, page.limit, page.offset],
      asJson: true,
    },
  )
  if (monitor?.count !== 1) return undefined
  return { json: rows?.json ?? '', summary: summary?.rows[0] as IncidentSummary }
}
