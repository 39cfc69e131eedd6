/** What the events in the database come to when they are counted one by one, and what was added up from them. */
import { expect } from 'vitest'
import {
  countColumns,
  countNumbers,
  dimensionNames,
  visitDimensions,
  visitorDimensions,
} from '../../src/traffic/model/dimensions.ts'
import { unpackCounts } from '../../src/traffic/packing/packed-counts.ts'

/** Across users. */
export type Rows = <R extends object>(sql: string, values?: unknown[]) => Promise<R[]>

/** By website, day, what is counted, and of which value. What is 0 is left out. */
export type Counted = Record<string, number>

interface Line {
  website: string
  day: string
  what: string
  value: number
  count: number
}

const totals = ['visitors', 'views', 'visits', 'bounces', 'duration_ms', 'events'] as const
const ofVisits = [...visitDimensions, ...visitorDimensions]

/** Events that are passive are not told apart here: no test that counts like this sends any. */
const fromEvents = `
  with e as (select website_id, day, hour, kind, visit_id, page, name from events),
       v as (select website_id, day, visitor, id, ${ofVisits.join(', ')},
                    extract(epoch from last_at - started_at) * 1000 as duration_ms from visits),
       inside as (select v.website_id, v.day, v.id, count(*) filter (where kind = 1) as views,
                         count(*) filter (where kind = 2) as events
                    from v join e on e.visit_id = v.id group by 1, 2, 3)
  select website_id::text as website, day::text as day, what, value::int as value, count::float8 as count from (
    select website_id, day, 'visitors' as what, 0 as value, count(distinct visitor) as count from v group by 1, 2
    union all select website_id, day, 'visits', 0, count(*) from v group by 1, 2
    union all select website_id, day, 'duration_ms', 0, sum(duration_ms) from v group by 1, 2
    union all select website_id, day, 'bounces', 0, count(*) from inside where views = 1 and events = 0 group by 1, 2
    union all select website_id, day, 'views', 0, count(*) from e where kind = 1 group by 1, 2
    union all select website_id, day, 'events', 0, count(*) from e where kind = 2 group by 1, 2
    union all select website_id, day, 'page', page, count(*) from e where kind = 1 group by 1, 2, 4
    union all select website_id, day, 'event', name, count(*) from e where kind = 2 group by 1, 2, 4
    union all select website_id, day, 'view_hours', hour, count(*) from e where kind = 1 group by 1, 2, 4
    union all select e.website_id, e.day, 'visitor_hours', hour, count(distinct visitor)
                from e join v on v.id = e.visit_id where kind <> 3 group by 1, 2, 4
    union all select website_id, day, what, value, count(distinct visitor)
                from v, lateral (values ${ofVisits.map((name) => `('${name}', ${name})`).join(', ')}) d (what, value)
               where value is not null group by 1, 2, 3, 4
  ) counted`

const fromTotals = `
  select website_id::text as website, day::text as day, what, 0 as value, count::float8 as count
    from traffic_days, lateral (values ${totals.map((name) => `('${name}', ${name}::bigint)`).join(', ')}) t (what, count)`

const fromCounts = `
  select website_id::text as website, day::text as day, dimension, value, count::float8 as count from traffic_counts`

/** Visits that are not what their events make of them. */
const strange = `
  select v.id::text as visit from visits v
    left join (select visit_id, count(*) filter (where kind = 1) as views, max(at) as last_at,
                      bit_or(1 << hour) filter (where kind <> 3) as hours,
                      array_agg(page) filter (where kind = 1) as pages
                 from events group by 1) e on e.visit_id = v.id
   where e.views is distinct from v.views or e.last_at is distinct from v.last_at or e.hours is distinct from v.hours
      or v.landing_page <> all (e.pages) or v.exit_page <> all (e.pages)
  union all select 'none' from events where visit_id is null and kind <> 3`

export async function countEvents(rows: Rows): Promise<Counted> {
  const counted: Counted = {}
  for (const line of await rows<Line>(fromEvents)) add(counted, line)
  return counted
}

export async function readKept(rows: Rows): Promise<Counted> {
  const kept: Counted = {}
  for (const line of await rows<Line>(fromTotals)) add(kept, line)
  const byNumber = new Map<number, string>(countColumns.map((name) => [countNumbers[name], name]))
  for (const line of await rows<Line & { dimension: number }>(fromCounts)) {
    add(kept, { ...line, what: byNumber.get(line.dimension) ?? `dimension ${line.dimension}` })
  }
  const packed = await rows<Pick<Line, 'website' | 'day'> & Record<string, string | null>>(
    `select website_id::text as website, day::text as day, ${countColumns.join(', ')} from traffic_days`,
  )
  for (const row of packed) {
    for (const what of countColumns) {
      for (const [value, count] of unpackCounts(row[what] ?? null))
        add(kept, { website: row.website, day: row.day, what, value, count })
    }
  }
  for (const [key, count] of Object.entries(kept)) if (count === 0) delete kept[key]
  return kept
}

/** What is packed, of days or of weeks, by the week. */
async function readWeeks(rows: Rows, table: 'traffic_days' | 'traffic_weeks'): Promise<Counted> {
  const day = table === 'traffic_weeks' ? 'week' : `date_trunc('week', day)::date`
  const packed = await rows<Pick<Line, 'website' | 'day'> & Record<string, string | null>>(
    `select website_id::text as website, ${day}::text as day, ${dimensionNames.join(', ')} from ${table}
      where (website_id, ${day}) in (select website_id, week from traffic_weeks)`,
  )
  const counted: Counted = {}
  for (const row of packed) {
    for (const what of dimensionNames) {
      for (const [value, count] of unpackCounts(row[what] ?? null)) {
        add(counted, { website: row.website, day: row.day, what, value, count })
      }
    }
  }
  return counted
}

function add(counted: Counted, { website, day, what, value, count }: Line): void {
  if (count === 0) return
  const key = `${website} ${day} ${what} ${value}`
  counted[key] = (counted[key] ?? 0) + Math.round(count)
}

/** Every number that was added up is what counting comes to. Answers with how many there are. */
export async function expectCountedRight(rows: Rows, about = ''): Promise<number> {
  const counted = await countEvents(rows)
  expect(await readKept(rows), about).toEqual(counted)
  expect(await readWeeks(rows, 'traffic_weeks'), about).toEqual(await readWeeks(rows, 'traffic_days'))
  expect(await rows(strange), about).toEqual([])
  return Object.keys(counted).length
}

export const pagesOf = async (rows: Rows): Promise<Map<string, number>> => {
  const found = await rows<{ page: string; count: number }>(
    `select v.value as page, count(*)::float8 as count from events e
       join traffic_values v on v.website_id = e.website_id and v.id = e.page where e.kind = 1 group by 1`,
  )
  return new Map(found.map(({ page, count }) => [page, count]))
}
