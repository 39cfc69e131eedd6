/** SQL of the overview: everything of one user, and little of each. */
import { incidentEnd } from '../incidents/store.ts'
import { monitorsWithState } from '../monitors/store.ts'
import type { MonitorStatus, MonitorType } from '../shared/monitors.ts'
import type { Queries } from '../storage/client.ts'
import { OWN_ROWS, queryWithFreshPlan } from '../storage/statements.ts'
import type { Spans } from './spans.ts'

/** Times are texts in PostgreSQL's words: twenty thousand Dates take longer to make than all the rest. */
export interface MonitorRow {
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

/** By monitor. What is open has no end. */
export type SpansByMonitor = Map<number, Spans>

export interface Monitors {
  rows: MonitorRow[]
  watches: SpansByMonitor
}

const ms = (column: string) => `(date_part('epoch', ${column}) * 1000)::bigint`

/** As three texts, and not as tens of thousands of rows that become objects. */
const spans = (end: string) => `coalesce(array_agg(monitor_id)::text, '{}') as monitors,
  coalesce(array_agg(${ms('started_at')})::text, '{}') as begins, coalesce(array_agg(${ms(end)})::text, '{}') as ends`

/** Newest first, with the times since a moment in which they were watched. */
export async function readMonitors(q: Queries, since: Date): Promise<Monitors> {
  const [monitors, watches] = await queryWithFreshPlan(
    q,
    {
      text: `select m.id, m.friendly_name, m.url, m.type, m.status, m.status_changed_at::text, m.interval_seconds as interval,
               s.last_checked_at::text, s.last_response_ms, s.last_error
          from ${monitorsWithState} where m.${OWN_ROWS} and $1 order by m.id desc`,
      // Only what has a parameter is planned anew: the plan kept from somebody with one monitor ran for 20 s with 10,000.
      values: [true],
    },
    {
      text: `select ${spans('ended_at')} from watches where ${OWN_ROWS} and (ended_at is null or ended_at > $1)`,
      values: [since],
    },
  )
  return { rows: (monitors?.rows ?? []) as MonitorRow[], watches: spansIn(watches?.rows[0] as SpanTexts) }
}

/** Those that reach beyond a moment. */
export async function readIncidents(q: Queries, since: Date): Promise<SpansByMonitor> {
  const [incidents] = await queryWithFreshPlan(q, {
    text: `select ${spans('resolved_at')} from incidents where ${OWN_ROWS} and ${incidentEnd} > $1`,
    values: [since],
  })
  return spansIn(incidents?.rows[0] as SpanTexts)
}

interface SpanTexts {
  monitors: string
  begins: string
  ends: string
}

function spansIn({ monitors, begins, ends }: SpanTexts): SpansByMonitor {
  const found: SpansByMonitor = new Map()
  const [firsts, lasts] = [numbersIn(begins), numbersIn(ends)]
  for (const [index, id] of numbersIn(monitors).entries()) {
    const end = lasts[index] ?? Number.POSITIVE_INFINITY
    const known = found.get(id as number)
    if (known === undefined) found.set(id as number, [firsts[index] as number, end])
    else known.push(firsts[index] as number, end)
  }
  return found
}

/** Of an array, in PostgreSQL's words. */
function numbersIn(text: string): (number | null)[] {
  return JSON.parse(`[${text.slice(1, -1).replaceAll('NULL', 'null')}]`)
}

export interface WebsiteRow {
  id: number
  domain: string
  favorite: boolean
  privacy: 0 | 1 | 2
  time_zone: string
  has_traffic: boolean
  visitors_now: number
  /** Days on which anybody came, as distances from the day asked for, and how many did. */
  days: number[]
  visitors: number[]
}

/** By domain. */
export async function readWebsites(q: Queries, sinceDay: string, nowSince: Date): Promise<WebsiteRow[]> {
  const [result] = await queryWithFreshPlan(q, {
    text: `select w.id, w.domain, w.favorite, w.privacy, w.time_zone, t.has_traffic, t.visitors_now, t.days, t.visitors
        from websites w join own_traffic($1, $2) t on t.website_id = w.id where w.${OWN_ROWS} order by w.domain`,
    values: [sinceDay, nowSince],
  })
  return (result?.rows ?? []).map((row) => ({
    ...(row as WebsiteRow),
    days: numbersIn(row['days']) as number[],
    visitors: numbersIn(row['visitors']) as number[],
  }))
}
