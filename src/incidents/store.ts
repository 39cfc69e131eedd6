/** SQL of incidents, and of the times in which monitors were watched. */

import type { Statement } from '../storage/batch.ts'
import type { Queries } from '../storage/client.ts'
import { OWN_ROWS, queryWithFreshPlan } from '../storage/statements.ts'
import type { TimeWindow } from './window.ts'

/** Nobody looks at these monitors any more: what is open ends now. */
export async function stopWatching(q: Queries, monitorIds: readonly number[], now: Date): Promise<void> {
  // The clocks of two nodes differ a little, and nothing ends before it began.
  await q.batch(
    {
      text: `update incidents set resolved_at = greatest($2, started_at), resolution = 'paused'
              where ${OWN_ROWS} and monitor_id = any ($1) and resolved_at is null`,
      values: [monitorIds, now],
    },
    {
      text: `update watches set ended_at = greatest($2, started_at)
              where ${OWN_ROWS} and monitor_id = any ($1) and ended_at is null`,
      values: [monitorIds, now],
    },
  )
}

/** Of what is open, counted from now. */
export async function rescheduleReminder(
  q: Queries,
  monitorId: number,
  everyMinutes: number,
  now: Date,
): Promise<void> {
  await q.query(
    `update incidents set remind_at = case when $2 > 0 then $3::timestamptz + $2 * interval '1 minute' end
      where ${OWN_ROWS} and monitor_id = $1 and resolved_at is null`,
    [monitorId, everyMinutes, now],
  )
}

export interface IncidentSummary {
  total: number
  downtimeSeconds: number
  watchedSeconds: number
  /** Downtime within the watched time, so that a share of it is never more than the whole. */
  watchedDowntimeSeconds: number
}

/** As `incidents_end_idx` has it, to the letter. */
export const incidentEnd = `(case when resolved_at is null then 'infinity' else resolved_at end)`

/** Those that reach into the window. What ends where it begins is outside. */
const within = `${OWN_ROWS} and monitor_id = $1 and ${incidentEnd} > $2 and started_at <= $3`

const seconds = (ranges: string) =>
  `(select coalesce(sum(extract(epoch from upper(part) - lower(part))), 0)::float8 from unnest(${ranges}) part)`

/** Asks for a Summary of the window. */
export function incidentSummaryQuery(monitorId: number, { from, to }: TimeWindow): Statement {
  return {
    text: `with down as (
        select count(*) as total,
               coalesce(range_agg(tstzrange(started_at, greatest(started_at, least(resolved_at, $3)))), '{}') as times
          from incidents where ${within}
      ), watched as (
        select coalesce(range_agg(tstzrange(started_at, greatest(started_at, least(ended_at, $3)))), '{}') as times
          from watches where ${OWN_ROWS} and monitor_id = $1
      ), clipped as (
        select total, down.times * tstzmultirange(tstzrange($2, $3)) as down,
               watched.times * tstzmultirange(tstzrange($2, $3)) as watched from down, watched
      )
      select total, ${seconds('down')} as "downtimeSeconds", ${seconds('watched')} as "watchedSeconds",
             ${seconds('down * watched')} as "watchedDowntimeSeconds" from clipped`,
    values: [monitorId, from, to],
  }
}

/** undefined: there is no such monitor. */
export async function readIncidents(
  q: Queries,
  monitorId: number,
  { from, to }: TimeWindow,
  page: { limit: number; offset: number },
): Promise<{ json: string; summary: IncidentSummary } | undefined> {
  const values = [monitorId, from, to]
  const [found, summary, rows] = await queryWithFreshPlan(
    q,
    { text: `select from monitors where ${OWN_ROWS} and id = $1`, values: [monitorId] },
    incidentSummaryQuery(monitorId, { from, to }),
    {
      text: `select id, monitor_id, case when resolved_at is null then 'open' else 'resolved' end as status, cause, detail,
               started_at, detected_at, resolved_at,
               floor(extract(epoch from greatest(started_at, coalesce(resolved_at, $3)) - started_at))::bigint
                 as duration_seconds, resolution
          from incidents where ${within} order by started_at desc, id desc limit $4 offset $5`,
      values: [...values, page.limit, page.offset],
      asJson: true,
    },
  )
  if (found?.count !== 1) return undefined
  return { json: rows?.json ?? '', summary: summary?.rows[0] as IncidentSummary }
}
