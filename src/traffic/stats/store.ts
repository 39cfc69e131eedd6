/**
 * SQL of unfiltered statistics, and of the website that they are about. It reads totals and counts of days, so the cost does not
 * depend on the number of events.
 */

import { queryWithFreshPlan } from '../../storage/statements.ts'
import type { TenantId } from '../../storage/tenant.ts'
import type { Queries } from '../../storage/transaction.ts'
import { CountTable, type ReadableCounts } from '../model/count-table.ts'
import {
  countColumnNumbers,
  type Dimension,
  dimensionTable,
  type HourColumn,
  hourColumns,
} from '../model/dimensions.ts'
import { addCount, addPackedCounts, type CountMap, unpackCounts } from '../packing/packed-counts.ts'

export type WebsiteRef = { id: number } | { domain: string }

export interface StatisticsWebsite {
  id: number
  teamId: number
  domain: string
  timeZone: string
  isSample: boolean
  privacy: number
  passwordHash: string | null
}

export interface StatisticsLookup {
  website: StatisticsWebsite | undefined
  /** Whether the caller's key or session still exists. After it was deleted, it may still be in the cache of callers. */
  isCallerValid: boolean
  /** Whether the caller's role in the website's team lets them read the website. */
  isMember: boolean
}

/** Runs a single statement in all cases, so that the response time does not tell whether the website exists. */
export async function findWebsiteForReader(
  q: Queries,
  ref: WebsiteRef,
  caller: TenantId | undefined,
): Promise<StatisticsLookup> {
  const [column, value] = 'id' in ref ? ['id', ref.id] : ['domain', ref.domain]
  const [row] = await q.query(
    `select c.is_valid, w.id, w.user_id, w.domain, w.time_zone, w.is_sample, w.privacy, w.password_hash,
            exists (select from team_members m
                      join teams t on t.id = m.team_id
                     where m.team_id = w.user_id and m.team_id = $4::bigint and m.user_id = $5::bigint
                       and ($3::bigint is null or not t.requires_second_factor
                            or exists (select from sessions s where s.id = $3::bigint and s.is_strong))
                       and (m.role <> 'guest' or exists (select from guest_websites g
                                                          where g.team_id = m.team_id and g.user_id = m.user_id
                                                            and g.website_id = w.id))) as is_member
       from (select exists (select from api_keys where id = $2::bigint)
                 or exists (select from sessions where id = $3::bigint) as is_valid) c
       left join websites w on w.${column} = $1`,
    [value, caller?.keyId, caller?.sessionId, caller?.teamId, caller?.userId],
  )
  const isCallerValid = row?.['is_valid'] === true
  if (row === undefined || row['id'] === null) return { website: undefined, isCallerValid, isMember: false }
  const website = {
    id: row['id'],
    teamId: row['user_id'],
    domain: row['domain'],
    timeZone: row['time_zone'],
    isSample: row['is_sample'],
    privacy: row['privacy'],
    passwordHash: row['password_hash'],
  }
  return { website, isCallerValid, isMember: row['is_member'] }
}

/** `from` and `to` are included. */
export interface WebsiteDays {
  websiteId: number
  from: string
  to: string
}

/** Totals of a group of visits. */
export interface VisitTotals {
  visits: number
  /**
   * Null with a filter by event. Every visit that such a filter selects has a custom event, so it is a bounce only if
   * all its custom events are passive. A bounce rate would say little.
   */
  bounces: number | null
  durationMs: number
  /** The page views of these visits. */
  views: number
}

export interface DayTotalsRow extends VisitTotals {
  day: string
  visitors: number
  events: number
}

/** Totals of all visits, so bounces are known. */
export type StoredDayTotals = DayTotalsRow & { bounces: number }

/** Days without traffic have no row. */
export async function readDayTotals(q: Queries, { websiteId, from, to }: WebsiteDays): Promise<StoredDayTotals[]> {
  return q.query<StoredDayTotals>(
    `select day::text as day, visitors, views, visits, bounces, duration_ms as "durationMs", events
       from traffic_days
      where website_id = $1 and day between $2 and $3
      order by traffic_days.day`,
    [websiteId, from, to],
  )
}

/** The counts of several dimensions, each summed over all days. */
export async function readDimensionCounts(
  q: Queries,
  { websiteId, from, to }: WebsiteDays,
  dimensions: readonly Dimension[],
): Promise<Map<Dimension, ReadableCounts>> {
  const columns = dimensions.join(', ')
  const [packedResult, unpackedResult] = await queryWithFreshPlan(
    q,
    {
      // Reads whole weeks where they are packed, and single days otherwise.
      text: `with weeks as materialized (
          select week, ${columns}
            from traffic_weeks
           where website_id = $1 and week >= $2 and week <= $3::date - 6
        )
        select ${columns} from weeks
        union all
        select ${columns}
          from traffic_days
         where website_id = $1 and day between $2 and $3
           and date_trunc('week', day)::date not in (select week from weeks)`,
      values: [websiteId, from, to],
    },
    {
      // Returns two arrays as text for each dimension, because parsing thousands of rows into objects would take longer.
      text: `select dimension, array_agg(value)::text as values, array_agg(count)::text as counts
               from traffic_counts
              where website_id = $1 and dimension = any ($4) and day between $2 and $3
              group by dimension`,
      values: [websiteId, from, to, dimensions.map((name) => dimensionTable[name].number)],
    },
  )
  const unpackedByDimensionNumber = new Map(
    (unpackedResult?.rows ?? []).map((row) => [row['dimension'] as number, row]),
  )
  return new Map(
    dimensions.map((name): [Dimension, ReadableCounts] => {
      const table = new CountTable()
      for (const row of packedResult?.rows ?? []) if (row[name] !== null) addPackedCounts(table, row[name])
      const { values = '{}', counts = '{}' } = unpackedByDimensionNumber.get(dimensionTable[name].number) ?? {}
      const countList = parseArrayText(counts)
      for (const [index, id] of parseArrayText(values).entries()) table.add(id, countList[index] as number)
      return [name, table]
    }),
  )
}

/** PostgreSQL writes an array of numbers as `{1,2,3}`. */
function parseArrayText(text: string): number[] {
  return JSON.parse(`[${text.slice(1, -1)}]`)
}

/** Counts the visitors of the last minutes, and finds the first day with traffic, in one round trip. */
export async function readWebsiteFacts(
  q: Queries,
  websiteId: number,
  since: Date,
): Promise<{ visitorsNow: number; firstDay: string | null }> {
  const [visitors, firstDays] = await q.batch(
    {
      text: 'select count(distinct visit_id) as count from events where website_id = $1 and at > $2',
      values: [websiteId, since],
    },
    {
      text: `select day::text as day
               from traffic_days
              where website_id = $1 and (visitors > 0 or views > 0)
              order by traffic_days.day
              limit 1`,
      values: [websiteId],
    },
  )
  return { visitorsNow: visitors?.rows[0]?.['count'] ?? 0, firstDay: firstDays?.rows[0]?.['day'] ?? null }
}

export async function readValuesById(
  q: Queries,
  websiteId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await q.query<{ id: number; value: string }>(
    'select id, value from traffic_values where website_id = $1 and id = any ($2)',
    [websiteId, ids],
  )
  return new Map(rows.map(({ id, value }) => [id, value]))
}

/** Values are read in chunks of up to this many, to save memory. */
const MAX_VALUES_PER_READ = 10_000

/** Every value that the dimension ever had, in the order of their bytes. */
export async function* readValuesInOrder(
  q: Queries,
  websiteId: number,
  dimension: Dimension,
): AsyncGenerator<{ id: number; value: string }> {
  let lastValue: string | null = null
  for (;;) {
    const rows: { id: number; value: string }[] = await q.query(
      `select id, value
         from traffic_values
        where website_id = $1 and kind = $2 and ($3::text is null or value > $3)
        order by value
        limit $4`,
      [websiteId, dimensionTable[dimension].kind, lastValue, MAX_VALUES_PER_READ],
    )
    yield* rows
    if (rows.length < MAX_VALUES_PER_READ) return
    lastValue = rows.at(-1)?.value ?? null
  }
}

/** Every value that the dimension ever had, by id. */
export async function readDimensionValues(
  q: Queries,
  websiteId: number,
  dimension: Dimension,
): Promise<Map<number, string>> {
  const rows = await q.query<{ id: number; value: string }>(
    'select id, value from traffic_values where website_id = $1 and kind = $2',
    [websiteId, dimensionTable[dimension].kind],
  )
  return new Map(rows.map(({ id, value }) => [id, value]))
}

/** The ids of values that match one of the LIKE patterns. */
export async function findMatchingValueIds(
  q: Queries,
  websiteId: number,
  dimension: Dimension,
  patterns: readonly string[],
): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    'select id from traffic_values where website_id = $1 and kind = $2 and value like any ($3)',
    [websiteId, dimensionTable[dimension].kind, patterns],
  )
  return rows.map(({ id }) => id)
}

/** Custom events by hour. They are counted one by one, unlike the hours that are stored in columns. */
export type EventHours = 'event_hours'

/** Counts by day and hour of the day. */
export interface HourStatistics extends Record<HourColumn | EventHours, Map<string, CountMap>> {
  /** The visits that began in the hour. */
  visits: Map<string, Map<number, VisitTotals>>
}

export const createHourStatistics = (): HourStatistics => ({
  view_hours: new Map(),
  visitor_hours: new Map(),
  event_hours: new Map(),
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

/** Reads the views and visitors by hour, which are stored for every day. */
export async function readStoredHours(q: Queries, days: WebsiteDays): Promise<HourStatistics> {
  const columns = Object.keys(hourColumns) as HourColumn[]
  const [packedResult, unpackedResult] = await queryWithFreshPlan(q, ...createCountStatements(days, columns))
  const [packedRows, unpackedRows] = [packedResult?.rows ?? [], unpackedResult?.rows ?? []]
  return {
    ...createHourStatistics(),
    view_hours: collectCounts('view_hours', packedRows, unpackedRows),
    visitor_hours: collectCounts('visitor_hours', packedRows, unpackedRows),
  }
}
