/** Counts the stored events one by one and compares the result with the stored statistics. */
import { expect } from 'vitest'
import {
  countColumnNumbers,
  countColumns,
  dimensionNames,
  visitDimensions,
  visitorDimensions,
} from '../../src/traffic/model/dimensions.ts'
import { unpackCounts } from '../../src/traffic/packing/packed-counts.ts'
import { openStoredTraffic, type QueryRows } from './stored-traffic.ts'

export type { QueryRows }

/** A key joins website, day, metric and value. Zeros are omitted. */
type CountsByKey = Record<string, number>

interface CountRow {
  website: string
  day: string
  metric: string
  value: number
  count: number
}

const totalColumns = ['visitors', 'views', 'visits', 'bounces', 'duration_ms', 'events'] as const
const visitColumns = [...visitDimensions, ...visitorDimensions]

/**
 * A visit with any custom event is no bounce in this query. Belfry itself ignores passive events, which the visitor did not
 * cause, but the tests that use this query send none.
 */
const selectFromEvents = `
  , e as (select website_id, day, hour, kind, visit_id, page, name from all_events),
       v as (select website_id, day, visitor, id, started_at, ${visitColumns.join(', ')},
                    extract(epoch from last_at - started_at) * 1000 as duration_ms from all_visits),
       hits as (select v.website_id, v.day, v.id, count(*) filter (where kind = 1) as views,
                         count(*) filter (where kind = 2) as events
                    from v join e on e.visit_id = v.id group by 1, 2, 3)
  select website_id::text as website, day::text as day, metric, value::int as value, count::float8 as count from (
    select website_id, day, 'visitors' as metric, 0 as value, count(distinct visitor) as count from v group by 1, 2
    union all select website_id, day, 'visits', 0, count(*) from v group by 1, 2
    union all select website_id, day, 'duration_ms', 0, sum(duration_ms) from v group by 1, 2
    union all select website_id, day, 'bounces', 0, count(*) from hits where views = 1 and events = 0 group by 1, 2
    union all select website_id, day, 'views', 0, count(*) from e where kind = 1 group by 1, 2
    union all select website_id, day, 'events', 0, count(*) from e where kind = 2 group by 1, 2
    union all select website_id, day, 'page', page, count(*) from e where kind = 1 group by 1, 2, 4
    union all select website_id, day, 'event', name, count(*) from e where kind = 2 group by 1, 2, 4
    union all select website_id, day, 'view_hours', hour, count(*) from e where kind = 1 group by 1, 2, 4
    union all select e.website_id, e.day, 'visitor_hours', hour, count(distinct visitor)
                from e join v on v.id = e.visit_id where kind <> 3 group by 1, 2, 4
    -- Computes the same as visit-slots.ts, but in PostgreSQL.
    union all select website_id, day, 'visit_slots',
                     coalesce(hostname, 0) * 1024 + floor(extract(epoch from started_at - (day::timestamp at time zone 'UTC' - interval '16 hours')) / 300),
                     count(*) from v group by 1, 2, 4
    union all select website_id, day, metric, value, count(distinct visitor)
                from v, lateral (values ${visitColumns.map((name) => `('${name}', ${name})`).join(', ')}) d (metric, value)
               where value is not null group by 1, 2, 3, 4
  ) counted`

const selectTotals = `
  select website_id::text as website, day::text as day, metric, 0 as value, count::float8 as count
    from traffic_days, lateral (values ${totalColumns.map((name) => `('${name}', ${name}::bigint)`).join(', ')}) t (metric, count)`

const selectCounts = `
  select website_id::text as website, day::text as day, dimension, value, count::float8 as count from traffic_counts`

/** Selects visits that contradict their events, and events without a visit. */
const selectInconsistentVisits = `

  select v.id::text as visit from all_visits v
    left join (select visit_id, count(*) filter (where kind = 1) as views, max(at) as last_at,
                      bit_or(1 << hour) filter (where kind <> 3) as hours,
                      array_agg(page) filter (where kind = 1) as pages
                 from all_events group by 1) e on e.visit_id = v.id
   where e.views is distinct from v.views or e.last_at is distinct from v.last_at or e.hours is distinct from v.hours
      or v.landing_page <> all (e.pages) or v.exit_page <> all (e.pages)
  union all select 'none' from all_events where visit_id is null and kind <> 3`

async function countFromEvents(queryTraffic: QueryRows): Promise<CountsByKey> {
  const counts: CountsByKey = {}
  for (const row of await queryTraffic<CountRow>(selectFromEvents)) addCount(counts, row)
  return counts
}

async function readStoredCounts(queryRows: QueryRows): Promise<CountsByKey> {
  const counts: CountsByKey = {}
  for (const row of await queryRows<CountRow>(selectTotals)) addCount(counts, row)
  const namesByNumber = new Map<number, string>(countColumns.map((name) => [countColumnNumbers[name], name]))
  for (const row of await queryRows<CountRow & { dimension: number }>(selectCounts)) {
    addCount(counts, { ...row, metric: namesByNumber.get(row.dimension) ?? `dimension ${row.dimension}` })
  }
  const packedRows = await queryRows<Pick<CountRow, 'website' | 'day'> & Record<string, string | null>>(
    `select website_id::text as website, day::text as day, ${countColumns.join(', ')} from traffic_days`,
  )
  for (const row of packedRows) {
    for (const metric of countColumns) {
      for (const [value, count] of unpackCounts(row[metric] ?? null))
        addCount(counts, { website: row.website, day: row.day, metric, value, count })
    }
  }
  for (const [key, count] of Object.entries(counts)) if (count === 0) delete counts[key]
  return counts
}

/** Reads packed counts by week: the sums over `traffic_days`, or the stored sums of `traffic_weeks`. */
async function readWeeks(queryRows: QueryRows, table: 'traffic_days' | 'traffic_weeks'): Promise<CountsByKey> {
  const weekSql = table === 'traffic_weeks' ? 'week' : `date_trunc('week', day)::date`
  const packedRows = await queryRows<Pick<CountRow, 'website' | 'day'> & Record<string, string | null>>(
    `select website_id::text as website, ${weekSql}::text as day, ${dimensionNames.join(', ')} from ${table}
      where (website_id, ${weekSql}) in (select website_id, week from traffic_weeks)`,
  )
  const counts: CountsByKey = {}
  for (const row of packedRows) {
    for (const metric of dimensionNames) {
      for (const [value, count] of unpackCounts(row[metric] ?? null)) {
        addCount(counts, { website: row.website, day: row.day, metric, value, count })
      }
    }
  }
  return counts
}

function addCount(counts: CountsByKey, { website, day, metric, value, count }: CountRow): void {
  if (count === 0) return
  const key = `${website} ${day} ${metric} ${value}`
  counts[key] = (counts[key] ?? 0) + Math.round(count)
}

/** Expects every stored count to equal a count over the events. Returns how many counts there are. */
export async function expectCountsMatchEvents(queryRows: QueryRows, message = ''): Promise<number> {
  const queryTraffic = await openStoredTraffic(queryRows)
  const counts = await countFromEvents(queryTraffic)
  expect(await readStoredCounts(queryRows), message).toEqual(counts)
  expect(await readWeeks(queryRows, 'traffic_weeks'), message).toEqual(await readWeeks(queryRows, 'traffic_days'))
  expect(await queryTraffic(selectInconsistentVisits), message).toEqual([])
  return Object.keys(counts).length
}

export const countViewsByPage = async (queryRows: QueryRows): Promise<Map<string, number>> => {
  const queryTraffic = await openStoredTraffic(queryRows)
  const counts = await queryTraffic<{ page: string; count: number }>(
    `select v.value as page, count(*)::float8 as count from all_events e
       join traffic_values v on v.website_id = e.website_id and v.id = e.page where e.kind = 1 group by 1`,
  )
  return new Map(counts.map(({ page, count }) => [page, count]))
}
