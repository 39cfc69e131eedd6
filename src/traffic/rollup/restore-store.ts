/** SQL that turns visitors of a block into rows again. */
import { numbersLiteral, textsLiteral } from '../../storage/array-literal.ts'
import type { Statement } from '../../storage/batch.ts'
import type { Queries } from '../../storage/transaction.ts'
import type { WebsiteDay } from '../blocks/row-store.ts'
import type { TrafficPart } from '../blocks/traffic-part.ts'
import { visitDimensions, visitorDimensions } from '../model/dimensions.ts'

/** Returns those of `visitors` that have rows on the day. */
export async function findRowVisitors(
  q: Queries,
  { websiteId, day }: WebsiteDay,
  visitors: readonly number[],
): Promise<Set<number>> {
  const rows = await q.query<{ visitor: number }>(
    `select distinct visitor from visits where website_id = $1 and day = $2 and visitor = any ($3::bigint[])`,
    [websiteId, day, numbersLiteral(visitors)],
  )
  return new Set(rows.map(({ visitor }) => visitor))
}

const dimensions = [...visitDimensions, ...visitorDimensions]
const dimensionColumns = dimensions.join(', ')
const FIRST_DIMENSION_PARAMETER = 10
const dimensionArrays = dimensions.map((_, index) => `$${FIRST_DIMENSION_PARAMETER + index}::integer[]`).join(', ')

const insertVisitsSql = `
  insert into visits (website_id, day, visitor, id, started_at, last_at, views, actions, hours, ${dimensionColumns})
  select $1, $2, visitor, id, to_timestamp(started_at), to_timestamp(last_at), views, actions, hours, ${dimensionColumns}
    from unnest($3::bigint[], $4::bigint[], $5::float8[], $6::float8[], $7::integer[], $8::integer[], $9::integer[],
                ${dimensionArrays})
         as v (visitor, id, started_at, last_at, views, actions, hours, ${dimensionColumns})`

const insertEventsSql = `
  insert into events (website_id, day, at, hour, kind, visit_id, page, name, engaged_ms, props)
  select $1, $2, to_timestamp(at), hour, kind, visit_id, page, name, engaged_ms, props
    from unnest($3::float8[], $4::smallint[], $5::smallint[], $6::bigint[], $7::integer[], $8::integer[], $9::integer[],
                $10::text[])
         as e (at, hour, kind, visit_id, page, name, engaged_ms, props)`

/** Stores all visits of a part and their events as rows, with the ids that they had. */
export function insertPart({ websiteId, day }: WebsiteDay, { visitors, visits, events }: TrafficPart): Statement[] {
  const visitorOfVisit = repeatEach(visitors.visitCounts)
  const visitOfEvent = repeatEach(visits.eventCounts)
  const ofVisits = (pick: (visit: number) => number | null) =>
    numbersLiteral(visitorOfVisit.map((_, visit) => pick(visit)))
  const ofEvents = (pick: (event: number) => number | null) =>
    numbersLiteral(visitOfEvent.map((_, event) => pick(event)))
  return [
    {
      text: insertVisitsSql,
      values: [
        websiteId,
        day,
        numbersLiteral(visitorOfVisit.map((visitor) => visitors.ids[visitor] as number)),
        ofVisits((visit) => visits.ids[visit] as number),
        ofVisits((visit) => (visits.startedAt[visit] as number) / 1000),
        ofVisits((visit) => ((visits.startedAt[visit] as number) + (visits.durationMs[visit] as number)) / 1000),
        ofVisits((visit) => visits.views[visit] as number),
        ofVisits((visit) => visits.actions[visit] as number),
        ofVisits((visit) => visits.hourBits[visit] as number),
        ...visitDimensions.map((name) => ofVisits((visit) => idOrNull(visits.values[name][visit]))),
        ...visitorDimensions.map((name) =>
          ofVisits((visit) => idOrNull(visitors.values[name][visitorOfVisit[visit] as number])),
        ),
      ],
    },
    {
      text: insertEventsSql,
      values: [
        websiteId,
        day,
        ofEvents((event) => (events.at[event] as number) / 1000),
        ofEvents((event) => events.hours[event] as number),
        ofEvents((event) => events.kinds[event] as number),
        ofEvents((event) => visits.ids[visitOfEvent[event] as number] as number),
        ofEvents((event) => idOrNull(events.pages[event])),
        ofEvents((event) => idOrNull(events.names[event])),
        ofEvents((event) => (events.engagedMs[event] === -1 ? null : (events.engagedMs[event] as number))),
        textsLiteral(visitOfEvent.map((_, event) => events.props?.[event] ?? null)),
      ],
    },
  ]
}

/** For counts of 2 and 3, returns 0, 0, 1, 1, 1. */
function repeatEach(counts: Int32Array): number[] {
  const indexes: number[] = []
  for (const [index, count] of counts.entries()) for (let n = 0; n < count; n++) indexes.push(index)
  return indexes
}

/** In memory, 0 stands for an unknown value. The database stores null. */
const idOrNull = (id: number | undefined) => id || null

/** The day has rows again, and is packed again later. */
export const markUnpacked = ({ websiteId, day }: WebsiteDay): Statement => ({
  text: 'update traffic_days set is_packed = false where website_id = $1 and day = $2',
  values: [websiteId, day],
})
