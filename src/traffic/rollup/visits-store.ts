/** SQL that loads and saves visits while events are rolled up. */
import { numbersLiteral, textsLiteral } from '../../storage/array-literal.ts'
import type { Statement } from '../../storage/batch.ts'
import type { Queries } from '../../storage/client.ts'
import { type VisitDimension, type VisitorDimension, visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import { type VisitorDay, visitorDayKey } from './visitor-days.ts'
import type { VisitRecord } from './visits.ts'

interface VisitRow extends Record<VisitDimension | VisitorDimension, number | null> {
  website_id: number
  day: string
  visitor: number
  id: number
  started_ms: number
  last_ms: number
  views: number
  actions: number
  /** Bit n is set if the visit has a page view or custom event in hour n of the day. */
  hours: number
}

const dimensions = [...visitDimensions, ...visitorDimensions]
const dimensionColumns = dimensions.join(', ')

/** Loads the visits that are already stored, and adds each to the group of its visitor and day. */
export async function loadVisits(q: Queries, groups: readonly VisitorDay[]): Promise<void> {
  const rows = await q.query<VisitRow>(
    `select v.website_id, v.day::text as day, v.visitor, v.id,
            (extract(epoch from v.started_at) * 1000)::bigint as started_ms,
            (extract(epoch from v.last_at) * 1000)::bigint as last_ms,
            v.views, v.actions, v.hours, ${dimensionColumns}
       from unnest($1::bigint[], $2::date[], $3::bigint[]) as visitors (website_id, day, visitor)
      cross join lateral (
        -- PostgreSQL underestimates the rows of visits, because of row level security, and would compare each visitor with
        -- each row of a month. "offset 0" makes it look up each visitor in the primary key instead.
        select * from visits
         where website_id = visitors.website_id and day = visitors.day and visitor = visitors.visitor
        offset 0
      ) v`,
    [
      numbersLiteral(groups.map(({ websiteId }) => websiteId)),
      textsLiteral(groups.map(({ day }) => day)),
      numbersLiteral(groups.map(({ visitor }) => visitor)),
    ],
  )
  if (rows.length === 0) return
  const groupsByKey = new Map(groups.map((group) => [visitorDayKey(group), group]))
  for (const row of rows) {
    const { website_id: websiteId, day, visitor } = row
    groupsByKey.get(visitorDayKey({ websiteId, day, visitor }))?.visits.push(toVisit(row))
  }
  // Later visits have larger ids.
  for (const { visits } of groups) if (visits.length > 1) visits.sort((one, other) => one.id - other.id)
}

function toVisit(row: VisitRow): VisitRecord {
  const { id, started_ms: startedAt, last_ms: lastAt, views, actions, hours: hourBits } = row
  const visitValues = visitDimensions.map((name) => row[name] ?? 0)
  const visitorValues = visitorDimensions.map((name) => row[name] ?? 0)
  return { id, startedAt, lastAt, views, actions, hourBits, visitValues, visitorValues }
}

export async function reserveVisitIds(q: Queries, count: number): Promise<number[]> {
  const rows = await q.query<{ id: number }>(`select nextval('visit_ids') as id from generate_series(1, $1)`, [count])
  return rows.map(({ id }) => id)
}

/** In memory, 0 stands for an unknown value. The database stores null. */
export const idOrNull = (id: number) => (id === 0 ? null : id)

const FIRST_DIMENSION_PARAMETER = 10
const dimensionArrays = dimensions.map((_, index) => `$${FIRST_DIMENSION_PARAMETER + index}::integer[]`).join(', ')

/** Updates only the columns that later events of a visit can change. */
const upsertVisitsSql = `
  insert into visits (website_id, day, visitor, id, started_at, last_at, views, actions, hours, ${dimensionColumns})
  select website_id, day, visitor, id, to_timestamp(started_at), to_timestamp(last_at), views, actions, hours,
         ${dimensionColumns}
    from unnest($1::bigint[], $2::date[], $3::bigint[], $4::bigint[], $5::float8[], $6::float8[],
                $7::integer[], $8::integer[], $9::integer[], ${dimensionArrays})
         as v (website_id, day, visitor, id, started_at, last_at, views, actions, hours, ${dimensionColumns})
      on conflict (website_id, day, visitor, id) do update
     set last_at = excluded.last_at,
         views = excluded.views,
         actions = excluded.actions,
         hours = excluded.hours,
         landing_page = excluded.landing_page,
         exit_page = excluded.exit_page`

export function upsertVisits(groups: readonly VisitorDay[]): Statement {
  const rows = groups.flatMap(({ websiteId, day, visitor, visits }) =>
    visits.map((visit) => ({ websiteId, day, visitor, visit })),
  )
  const column = (pick: (visit: VisitRecord) => number | null) => numbersLiteral(rows.map(({ visit }) => pick(visit)))
  return {
    text: upsertVisitsSql,
    values: [
      numbersLiteral(rows.map(({ websiteId }) => websiteId)),
      textsLiteral(rows.map(({ day }) => day)),
      numbersLiteral(rows.map(({ visitor }) => visitor)),
      column(({ id }) => id),
      column(({ startedAt }) => startedAt / 1000),
      column(({ lastAt }) => lastAt / 1000),
      column(({ views }) => views),
      column(({ actions }) => actions),
      column(({ hourBits }) => hourBits),
      ...visitDimensions.map((_, index) => column(({ visitValues }) => idOrNull(visitValues[index] as number))),
      ...visitorDimensions.map((_, index) => column(({ visitorValues }) => idOrNull(visitorValues[index] as number))),
    ],
  }
}
