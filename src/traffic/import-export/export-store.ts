/** SQL of exporting: events in the order of time, and what visits of a day came to. */

import { DAY_MS } from '../../shared/time.ts'
import type { Queries } from '../../storage/client.ts'
import { visitorDimensions } from '../model/dimensions.ts'
import { eventKinds } from '../model/event.ts'
import type { WebsiteDay } from '../packing/store.ts'
import type { WebsiteDays } from '../stats/counts-store.ts'

/** Of the visit; numbers of values. */
export const exportedVisitColumns = ['referrer', 'source', 'campaign', ...visitorDimensions] as const

export type ExportedEvent = { [Name in (typeof exportedVisitColumns)[number] | 'page' | 'name']: number | null } & {
  at: number
  day: string
  hour: number
  kind: number
  visitor: number | null
  visit_id: number | null
  props: string | null
  engaged_ms: number | null
  is_passive: boolean
}

/** When the first and the last event happened. */
export async function findEventSpan(
  q: Queries,
  { websiteId, from, to }: WebsiteDays,
): Promise<{ first: number; last: number } | undefined> {
  const [row] = await q.query<{ first: Date | null; last: Date | null }>(
    'select min(at) as first, max(at) as last from events where website_id = $1 and day between $2 and $3',
    [websiteId, from, to],
  )
  if (row?.first == null || row.last === null) return undefined
  return { first: row.first.getTime(), last: row.last.getTime() }
}

/** Visits have no index by their number: looked up one by one, each would read its whole day. For the rest of the transaction. */
export async function preferBulkReads(q: Queries): Promise<void> {
  await q.query(`select set_config('enable_nestloop', 'off', true), set_config('cursor_tuple_fraction', '1', true)`)
}

/**
 * Needs a transaction. Events with a name were passive where their visit knows of no action: which of several were is not kept,
 * and what is counted does not depend on it. Of one moment, the one that was written first comes first.
 */
export async function* readExportedEvents(
  q: Queries,
  { websiteId, from, to }: WebsiteDays,
  window: { from: number; to: number },
  most: number,
): AsyncGenerator<ExportedEvent[]> {
  await q.query(
    `declare exported no scroll cursor for
     select (extract(epoch from e.at) * 1000)::bigint as at, e.day::text as day, e.hour, e.kind, v.visitor, e.visit_id,
            e.page, e.name, e.engaged_ms, e.props, e.kind = ${eventKinds.custom} and v.actions = 0 as is_passive,
            ${exportedVisitColumns.map((name) => `v.${name}`).join(', ')}
       from events e left join visits v
         on v.website_id = $1 and v.day = e.day and v.id = e.visit_id and v.day between $6 and $7
      where e.website_id = $1 and e.at >= $2 and e.at < $3 and e.day between $4 and $5
      order by e.at, e.ctid`,
    [
      websiteId,
      new Date(window.from),
      new Date(window.to),
      from,
      to,
      dayOf(window.from - DAY_MS),
      dayOf(window.to + DAY_MS),
    ],
  )
  for (;;) {
    const rows = await q.query<ExportedEvent>(`fetch ${most} from exported`)
    if (rows.length > 0) yield rows
    if (rows.length < most) break
  }
  await q.query('close exported')
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

export type VisitColumn = (typeof exportedVisitColumns)[number] | 'landing_page' | 'exit_page'

export interface VisitGroup {
  /** Numbers of values, in the order of the columns. */
  values: (number | null)[]
  visitors: number
  visits: number
  durationMs: number
  bounces: number
  views: number
}

/** A day's visits by some columns. Somebody with several visits counts once for each value of the first column. */
export async function groupVisits(
  q: Queries,
  { websiteId, day }: WebsiteDay,
  columns: readonly [VisitColumn, ...VisitColumn[]],
): Promise<VisitGroup[]> {
  return q.query<VisitGroup>(
    `select array[${columns.join(', ')}] as "values", count(*) filter (where is_first) as visitors, count(*) as visits,
            sum(extract(epoch from last_at - started_at) * 1000)::bigint as "durationMs",
            count(*) filter (where views = 1 and actions = 0) as bounces, sum(views)::bigint as views
       from (select *, row_number() over (partition by visitor, ${columns[0]} order by id) = 1 as is_first
               from visits where website_id = $1 and day = $2 and ${columns[0]} is not null) v
      group by ${columns.join(', ')} order by 2 desc, 1`,
    [websiteId, day],
  )
}

export interface EventGroup {
  value: number
  /** Only where they are asked for. */
  props: string | null
  visitors: number
  visits: number
  count: number
}

/** A day's page views by page, or its events by name. `withProps`: of these names also by properties. */
export async function groupEvents(
  q: Queries,
  { websiteId, day }: WebsiteDay,
  kind: 'view' | 'custom',
  withProps: readonly number[] = [],
): Promise<EventGroup[]> {
  const value = kind === 'view' ? 'page' : 'name'
  return q.query<EventGroup>(
    `select e.${value} as value, case when e.${value} = any ($4) then e.props end as props,
            count(distinct v.visitor) as visitors, count(distinct e.visit_id) as visits, count(*) as count
       from events e left join visits v on v.website_id = $1 and v.day = $2 and v.id = e.visit_id
      where e.website_id = $1 and e.day = $2 and e.kind = $3 and e.at >= $2::date - interval '15 hours'
        and e.at < $2::date + interval '38 hours'
      group by 1, 2 order by 5 desc, 1`,
    [websiteId, day, eventKinds[kind], withProps],
  )
}
