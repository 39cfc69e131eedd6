/** SQL for the overview: a few columns of all the user's monitors and websites. */
import { incidentEndSql } from '../incidents/store.ts'
import { monitorsWithStateSql } from '../monitors/store.ts'
import type { MonitorStatus, MonitorType } from '../shared/monitors.ts'
import type { Privacy } from '../shared/websites.ts'
import type { Statement } from '../storage/batch.ts'
import type { Queries } from '../storage/client.ts'
import { OWN_ROWS, queryWithFreshPlan } from '../storage/statements.ts'
import type { Spans } from './spans.ts'

/**
 * PostgreSQL's statistics know nothing of a user who has just added thousands of rows. It then expects one row and compares each
 * row of one table with each row of the other: 5,000 monitors took more than 4 s. Other joins are fast for any number of rows.
 */
const avoidNestedLoops: Statement = { text: `select set_config('enable_nestloop', 'off', true)` }

/** Times are strings in PostgreSQL's format, because creating twenty thousand Dates would take longer than the query. */
export interface StoredOverviewMonitor {
  id: number
  friendly_name: string
  url: string
  type: MonitorType
  status: MonitorStatus
  status_changed_at: string
  interval: number
  last_checked_at: string | null
  last_response_ms: number | null
  last_error: string | null
}

/** Maps a monitor's id to its spans. Open spans end at infinity. */
export type SpansByMonitor = Map<number, Spans>

export interface MonitorsWithWatches {
  rows: StoredOverviewMonitor[]
  /** The spans in which each monitor was active. */
  watchSpans: SpansByMonitor
}

/** Reads monitors, newest first, with the spans after `since` in which they were active. */
export async function readOverviewMonitors(q: Queries, since: Date): Promise<MonitorsWithWatches> {
  const [, monitors, watches] = await queryWithFreshPlan(
    q,
    avoidNestedLoops,
    {
      text: `select m.id, m.friendly_name, m.url, m.type, m.status, m.status_changed_at::text, m.interval_seconds as interval,
               s.last_checked_at::text, s.last_response_ms, s.last_error
          from ${monitorsWithStateSql} where m.${OWN_ROWS} and $1 order by m.id desc`,
      // Only statements with parameters get a fresh plan, hence `and $1`. With a plan cached for a user with one monitor, this took
      // 20 s for a user with 10,000.
      values: [true],
    },
    {
      text: `select coalesce(array_agg(monitor_id)::text, '{}') as monitor_ids,
               coalesce(array_agg((date_part('epoch', started_at) * 1000)::bigint)::text, '{}') as starts,
               coalesce(array_agg((date_part('epoch', ended_at) * 1000)::bigint)::text, '{}') as ends
          from watches where ${OWN_ROWS} and (ended_at is null or ended_at > $1)`,
      values: [since],
    },
  )
  return {
    rows: (monitors?.rows ?? []) as StoredOverviewMonitor[],
    watchSpans: toSpansByMonitor(watches?.rows[0] as SpanTexts),
  }
}

/** Reads incidents that end after `since` or are still open. */
export async function readIncidentSpans(q: Queries, since: Date): Promise<SpansByMonitor> {
  const [incidents] = await queryWithFreshPlan(q, {
    text: `select coalesce(array_agg(monitor_id)::text, '{}') as monitor_ids,
             coalesce(array_agg((date_part('epoch', started_at) * 1000)::bigint)::text, '{}') as starts,
             coalesce(array_agg((date_part('epoch', resolved_at) * 1000)::bigint)::text, '{}') as ends
        from incidents where ${OWN_ROWS} and ${incidentEndSql} > $1`,
    values: [since],
  })
  return toSpansByMonitor(incidents?.rows[0] as SpanTexts)
}

/** Arrays in PostgreSQL's text format. Rows would need an object each, and there can be tens of thousands. */
interface SpanTexts {
  monitor_ids: string
  starts: string
  ends: string
}

function toSpansByMonitor({ monitor_ids, starts, ends }: SpanTexts): SpansByMonitor {
  const spansByMonitor: SpansByMonitor = new Map()
  const [startTimes, endTimes] = [parseNumbers(starts), parseNumbers(ends)]
  for (const [index, id] of parseNumbers(monitor_ids).entries()) {
    const end = endTimes[index] ?? Number.POSITIVE_INFINITY
    const spans = spansByMonitor.get(id as number)
    if (spans === undefined) spansByMonitor.set(id as number, [startTimes[index] as number, end])
    else spans.push(startTimes[index] as number, end)
  }
  return spansByMonitor
}

/** Parses an array in PostgreSQL's text format. */
function parseNumbers(text: string): (number | null)[] {
  return JSON.parse(`[${text.slice(1, -1).replaceAll('NULL', 'null')}]`)
}

export interface StoredOverviewWebsite {
  id: number
  domain: string
  favorite: boolean
  privacy: Privacy
  time_zone: string
  has_traffic: boolean
  visitors_now: number
  /** The days that had visitors, each as the number of days after `sinceDay`. */
  days: number[]
  /** The number of visitors on each day in `days`, in the same order. */
  visitors: number[]
}

/** Reads websites, sorted by domain. */
export async function readOverviewWebsites(
  q: Queries,
  sinceDay: string,
  activeSince: Date,
): Promise<StoredOverviewWebsite[]> {
  const [result] = await queryWithFreshPlan(q, {
    text: `select w.id, w.domain, w.favorite, w.privacy, w.time_zone, t.has_traffic, t.visitors_now, t.days, t.visitors
        from websites w join own_traffic($1, $2) t on t.website_id = w.id where w.${OWN_ROWS} order by w.domain`,
    values: [sinceDay, activeSince],
  })
  return (result?.rows ?? []).map((row) => ({
    ...(row as StoredOverviewWebsite),
    days: parseNumbers(row['days']) as number[],
    visitors: parseNumbers(row['visitors']) as number[],
  }))
}
