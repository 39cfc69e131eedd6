/** SQL of statistics over everything: what days came to, which costs by days and values and not by events. */

import type { Queries } from '../../storage/client.ts'
import { queryWithFreshPlan } from '../../storage/statements.ts'
import { type Dimension, dimensions, type PanelDimension, type ValueKind, valueKinds } from '../model/dimensions.ts'
import { CountTable, type ReadableCounts } from '../packing/count-table.ts'
import { addCount, addPackedCounts, type CountMap, unpackCounts } from '../packing/packed-counts.ts'

export interface WebsiteDays {
  websiteId: number
  from: string
  to: string
}

export interface DayTotalsRow {
  day: string
  visitors: number
  views: number
  visits: number
  bounces: number
  durationMs: number
  events: number
}

/** Days on which something happened. */
export async function readDayTotals(q: Queries, { websiteId, from, to }: WebsiteDays): Promise<DayTotalsRow[]> {
  return q.query<DayTotalsRow>(
    `select day::text as day, visitors, views, visits, bounces, duration_ms as "durationMs", events
       from traffic_days where website_id = $1 and day between $2 and $3 order by day`,
    [websiteId, from, to],
  )
}

/** Of each dimension, over all of the days. */
export async function readDimensionCounts(
  q: Queries,
  { websiteId, from, to }: WebsiteDays,
  wanted: readonly PanelDimension[],
): Promise<Map<Dimension, ReadableCounts>> {
  const [packed, counted] = await queryWithFreshPlan(
    q,
    {
      // Weeks that are wanted as a whole and are there, and days of the others.
      text: `with weeks as materialized (
          select week, ${wanted.join(', ')} from traffic_weeks where website_id = $1 and week >= $2 and week <= $3::date - 6
        )
        select ${wanted.join(', ')} from weeks
        union all
        select ${wanted.join(', ')} from traffic_days where website_id = $1 and day between $2 and $3
           and date_trunc('week', day)::date not in (select week from weeks)`,
      values: [websiteId, from, to],
    },
    {
      // As two texts of each dimension, and not as thousands of rows that become objects.
      text: `select dimension, array_agg(value)::text as values, array_agg(count)::text as counts from traffic_counts
              where website_id = $1 and dimension = any ($4) and day between $2 and $3 group by dimension`,
      values: [websiteId, from, to, wanted.map((name) => dimensions[name])],
    },
  )
  const unpacked = new Map((counted?.rows ?? []).map((row) => [row['dimension'] as number, row]))
  return new Map(
    wanted.map((name): [Dimension, ReadableCounts] => {
      const table = new CountTable()
      for (const row of packed?.rows ?? []) if (row[name] !== null) addPackedCounts(table, row[name])
      const { values = '{}', counts = '{}' } = unpacked.get(dimensions[name]) ?? {}
      const numbers = numbersIn(counts)
      for (const [index, value] of numbersIn(values).entries()) table.add(value, numbers[index] as number)
      return [name, table]
    }),
  )
}

/** Of an array, in PostgreSQL's words. */
function numbersIn(text: string): number[] {
  return JSON.parse(`[${text.slice(1, -1)}]`)
}

/** Hours of each day, by day. */
export async function readHourCounts(
  q: Queries,
  { websiteId, from, to }: WebsiteDays,
  name: 'view_hours' | 'visitor_hours',
): Promise<Map<string, CountMap>> {
  const hours = new Map<string, CountMap>()
  const ofDay = (day: string) => hours.getOrInsertComputed(day, () => new Map())
  const [packed, counted] = await queryWithFreshPlan(
    q,
    {
      text: `select day::text as day, ${name} as packed from traffic_days
              where website_id = $1 and day between $2 and $3 and ${name} is not null`,
      values: [websiteId, from, to],
    },
    {
      text: `select day::text as day, value, count from traffic_counts
              where website_id = $1 and dimension = $4 and day between $2 and $3`,
      values: [websiteId, from, to, dimensions[name]],
    },
  )
  for (const { day, packed: text } of packed?.rows ?? []) hours.set(day, unpackCounts(text))
  for (const { day, value, count } of counted?.rows ?? []) addCount(ofDay(day), value, count)
  return hours
}

export async function countVisitorsSince(q: Queries, websiteId: number, since: Date): Promise<number> {
  const [row] = await q.query<{ count: number }>(
    'select count(distinct visit_id) as count from events where website_id = $1 and at > $2',
    [websiteId, since],
  )
  return row?.count ?? 0
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

/** Every value there ever was of a kind. */
export async function readValues(q: Queries, websiteId: number, kind: ValueKind): Promise<Map<number, string>> {
  const rows = await q.query<{ id: number; value: string }>(
    'select id, value from traffic_values where website_id = $1 and kind = $2',
    [websiteId, valueKinds[kind]],
  )
  return new Map(rows.map(({ id, value }) => [id, value]))
}

/** Those that fit one of the patterns, in PostgreSQL's words. */
export async function findMatchingValueIds(
  q: Queries,
  websiteId: number,
  kind: ValueKind,
  patterns: readonly string[],
): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    'select id from traffic_values where website_id = $1 and kind = $2 and value like any ($3)',
    [websiteId, valueKinds[kind], patterns],
  )
  return rows.map(({ id }) => id)
}
