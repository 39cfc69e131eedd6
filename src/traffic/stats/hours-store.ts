/** SQL of unfiltered statistics by hour. */
import type { Queries } from '../../storage/client.ts'
import { queryWithFreshPlan } from '../../storage/statements.ts'
import { countColumnNumbers, type HourColumn, hourColumns } from '../model/dimensions.ts'
import { addCount, type CountMap, unpackCounts } from '../packing/packed-counts.ts'
import type { VisitTotals, WebsiteDays } from './counts-store.ts'

/** Counts by day and hour of the day. */
export interface HourStatistics extends Record<HourColumn, Map<string, CountMap>> {
  /** The visits that began in the hour. */
  visits: Map<string, Map<number, VisitTotals>>
}

export const createHourStatistics = (): HourStatistics => ({
  view_hours: new Map(),
  visitor_hours: new Map(),
  visits: new Map(),
})

function createCountStatements({ websiteId, from, to }: WebsiteDays, columns: readonly HourColumn[]) {
  return [
    {
      text: `select day::text as day, view_hours, visitor_hours
               from traffic_days
              where website_id = $1 and day between $2 and $3`,
      values: [websiteId, from, to],
    },
    {
      text: `select day::text as day, dimension, value as hour, count
               from traffic_counts
              where website_id = $1 and dimension = any ($4) and day between $2 and $3`,
      values: [websiteId, from, to, columns.map((column) => countColumnNumbers[column])],
    },
  ]
}

type HourRows = readonly Record<string, unknown>[]

function collectCounts(column: HourColumn, packedRows: HourRows, unpackedRows: HourRows): Map<string, CountMap> {
  const hoursByDay = new Map<string, CountMap>()
  for (const row of packedRows) hoursByDay.set(row['day'] as string, unpackCounts(row[column] as string | null))
  for (const { day, dimension, hour, count } of unpackedRows) {
    if (dimension !== countColumnNumbers[column]) continue
    addCount(
      hoursByDay.getOrInsertComputed(day as string, () => new Map()),
      hour as number,
      count as number,
    )
  }
  return hoursByDay
}

export async function readHourCounts(
  q: Queries,
  days: WebsiteDays,
  column: HourColumn,
): Promise<Map<string, CountMap>> {
  const [packedResult, unpackedResult] = await queryWithFreshPlan(q, ...createCountStatements(days, [column]))
  return collectCounts(column, packedResult?.rows ?? [], unpackedResult?.rows ?? [])
}

/** Counts stored visits one by one, so older days have no visits by hour. */
export async function readHourStatistics(q: Queries, days: WebsiteDays): Promise<HourStatistics> {
  const columns = Object.keys(hourColumns) as HourColumn[]
  const [packedResult, unpackedResult, visitResult] = await queryWithFreshPlan(
    q,
    ...createCountStatements(days, columns),
    {
      // The lowest bit of `hours` stands for the hour in which the visit began.
      text: `select day::text as day, hours & -hours as "hourBit", count(*) as visits,
                    count(*) filter (where views <= 1 and actions = 0) as bounces,
                    (extract(epoch from sum(last_at - started_at)) * 1000)::bigint as "durationMs", sum(views)::bigint as views
               from visits
              where website_id = $1 and day between $2 and $3
              group by visits.day, hours & -hours`,
      values: [days.websiteId, days.from, days.to],
    },
  )
  const [packedRows, unpackedRows] = [packedResult?.rows ?? [], unpackedResult?.rows ?? []]
  const statistics: HourStatistics = {
    view_hours: collectCounts('view_hours', packedRows, unpackedRows),
    visitor_hours: collectCounts('visitor_hours', packedRows, unpackedRows),
    visits: new Map(),
  }
  for (const { day, hourBit, visits, bounces, durationMs, views } of visitResult?.rows ?? []) {
    statistics.visits
      .getOrInsertComputed(day, () => new Map())
      .set(toHour(hourBit), { visits, bounces, durationMs, views })
  }
  return statistics
}

/** Converts a power of two to its exponent. */
export const toHour = (hourBit: number): number => 31 - Math.clz32(hourBit)
