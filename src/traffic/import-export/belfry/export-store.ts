/** SQL that reads the events of a website that are stored as rows, in the order of time. */
import { DAY_MS } from '../../../shared/time.ts'
import type { Queries } from '../../../storage/transaction.ts'
import {
  type VisitOriginDimension,
  type VisitorDimension,
  visitOriginDimensions,
  visitorDimensions,
} from '../../model/dimensions.ts'
import type { WebsiteDays } from '../../stats/store.ts'

/** Dimensions whose values an exported event gets from its visit. */
export const exportedDimensions: readonly (VisitOriginDimension | VisitorDimension)[] = [
  ...visitOriginDimensions,
  ...visitorDimensions,
]

/** The fields of dimensions, `page` and `name` hold ids of rows in `traffic_values`, which has their texts. */
export interface ExportedEvent
  extends Record<VisitOriginDimension | VisitorDimension | 'page' | 'name', number | null> {
  at_ms: number
  day: string
  hour: number
  kind: number
  visitor: number | null
  visit_id: number | null
  props: string | null
  engaged_ms: number | null
  is_passive: boolean
}

export interface EventSpan {
  /** The times of the first and the last event, in milliseconds since 1970. */
  first: number
  last: number
}

/** Returns undefined if no events are stored as rows. */
export async function findRowSpan(q: Queries, { websiteId, from, to }: WebsiteDays): Promise<EventSpan | undefined> {
  const [row] = await q.query<{ first: Date | null; last: Date | null }>(
    'select min(at) as first, max(at) as last from events where website_id = $1 and day between $2 and $3',
    [websiteId, from, to],
  )
  if (row?.first == null || row.last === null) return undefined
  return { first: row.first.getTime(), last: row.last.getTime() }
}

/** `from` is included, `to` is not. Both are in milliseconds since 1970. */
export interface EventWindow {
  from: number
  to: number
}

/**
 * Reads the events that are stored as rows. Must run in a transaction.
 *
 * A custom event is passive if the visitor did not cause it: a visit with at most one page view and only passive events is a bounce.
 * The database does not store which events are passive. `visits.actions` is the number of custom events that are not passive. If it is 0,
 * all custom events of the visit are exported as passive. Otherwise none are. That changes no statistics: a visit with at
 * least one action is not a bounce, however many of its events are passive.
 */
export async function* readRowEvents(
  q: Queries,
  { websiteId, from, to }: WebsiteDays,
  window: EventWindow,
  rowsPerFetch: number,
): AsyncGenerator<ExportedEvent[]> {
  await q.query(
    // Events of the same millisecond are sorted by ctid, which is the order in which they were written.
    `declare exported_events no scroll cursor for
     select (extract(epoch from e.at) * 1000)::bigint as at_ms, e.day::text as day, e.hour, e.kind, v.visitor, e.visit_id,
            e.page, e.name, e.engaged_ms, e.props, e.kind = 2 and v.actions = 0 as is_passive,
            ${exportedDimensions.map((name) => `v.${name}`).join(', ')}
       from events e
       left join visits v on v.website_id = $1 and v.day = e.day and v.id = e.visit_id and v.day between $6 and $7
      where e.website_id = $1 and e.at >= $2 and e.at < $3 and e.day between $4 and $5
      order by e.at, e.ctid`,
    [
      websiteId,
      new Date(window.from),
      new Date(window.to),
      from,
      to,
      utcDayOf(window.from - DAY_MS),
      utcDayOf(window.to + DAY_MS),
    ],
  )
  for (;;) {
    const rows = await q.query<ExportedEvent>(`fetch ${rowsPerFetch} from exported_events`)
    if (rows.length > 0) yield rows
    if (rows.length < rowsPerFetch) break
  }
  await q.query('close exported_events')
}

function utcDayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
