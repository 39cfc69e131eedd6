/** SQL that reads the rows of a day for Plausible's tables. */
import type { Queries } from '../../../storage/transaction.ts'
import type { VisitDimension, VisitorDimension } from '../../model/dimensions.ts'
import { eventKinds } from '../../model/event.ts'
import type { WebsiteDay } from '../../packing/store.ts'

export type VisitColumn = VisitDimension | VisitorDimension

export interface VisitGroup {
  /** Value ids in the order of the columns. Null stands for an unknown value. */
  valueIds: (number | null)[]
  visitors: number
  visits: number
  durationMs: number
  bounces: number
  views: number
}

/**
 * Groups the visits of a day by the columns. For each value of the first column, `visitors` counts a visitor only once, in the
 * group of their first visit with that value.
 */
export async function groupVisits(
  q: Queries,
  { websiteId, day }: WebsiteDay,
  columns: readonly [VisitColumn, ...VisitColumn[]],
): Promise<VisitGroup[]> {
  const [first] = columns
  const columnList = columns.join(', ')
  return q.query<VisitGroup>(
    `select array[${columnList}] as "valueIds", count(*) filter (where is_first) as visitors, count(*) as visits,
            sum(extract(epoch from last_at - started_at) * 1000)::bigint as "durationMs",
            count(*) filter (where views <= 1 and actions = 0) as bounces, sum(views)::bigint as views
       from (select *, row_number() over (partition by visitor, ${first} order by id) = 1 as is_first
               from visits
              where website_id = $1 and day = $2 and ${first} is not null) v
      group by ${columnList}
      order by visitors desc, array[${columnList}]`,
    [websiteId, day],
  )
}

export interface EventGroup {
  /** The id of the page or of the event's name. */
  valueId: number
  /** null unless the events are grouped by their properties, too. */
  props: string | null
  /** For page views, the id of the host that the visit began on; null if it is unknown. */
  hostnameId: number | null
  visitors: number
  visits: number
  count: number
}

/**
 * Groups the page views of a day by page and host, or its custom events by name. Events whose name's id is in `nameIdsWithProps`
 * are grouped by their properties, too.
 */
export async function groupEvents(
  q: Queries,
  { websiteId, day }: WebsiteDay,
  kind: 'view' | 'custom',
  nameIdsWithProps: readonly number[] = [],
): Promise<EventGroup[]> {
  const column = kind === 'view' ? 'page' : 'name'
  return q.query<EventGroup>(
    // The conditions on `at` let PostgreSQL use the index, which does not contain `day`. A local day begins up to 14
    // hours before the UTC day of the same date, and ends up to 12 hours after it. The rest is a margin.
    `select e.${column} as "valueId", case when e.${column} = any ($4) then e.props end as props,
            case when $3 = ${eventKinds.view} then v.hostname end as "hostnameId",
            count(distinct v.visitor) as visitors, count(distinct e.visit_id) as visits, count(*) as count
       from events e
       left join visits v on v.website_id = $1 and v.day = $2 and v.id = e.visit_id
      where e.website_id = $1 and e.day = $2 and e.kind = $3
        and e.at >= $2::date - interval '15 hours' and e.at < $2::date + interval '38 hours'
      group by 1, 2, 3
      order by count desc, "valueId", "hostnameId"`,
    [websiteId, day, eventKinds[kind], nameIdsWithProps],
  )
}
