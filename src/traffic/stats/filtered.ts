/** Statistics of the visits that match filters. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Queries, TransactionQueries } from '../../storage/transaction.ts'
import { addToTable, getByteLength } from '../counting/counted-values.ts'
import {
  type CountedHours,
  type DayCounts,
  type FilterCondition,
  type Question,
  selectsByEvent,
} from '../counting/question.ts'
import { findContinent } from '../model/continents.ts'
import { CountTable, type ReadableCounts } from '../model/count-table.ts'
import type { Dimension } from '../model/dimensions.ts'
import { type Counting, countDays } from './count-days.ts'
import { createMatcher, type StatisticsFilter, toLikePattern } from './filters.ts'
import {
  createHourStatistics,
  type DayTotalsRow,
  findMatchingValueIds,
  type HourStatistics,
  readDimensionValues,
  type VisitTotals,
  type WebsiteDays,
} from './store.ts'

/** Converts the filters of a request to conditions on the ids of values. */
export function readFilterConditions(
  q: Queries,
  websiteId: number,
  filters: readonly StatisticsFilter[],
): Promise<FilterCondition[]> {
  return Promise.all(
    [...Map.groupBy(filters, (filter) => filter.name)].map(async ([name, alternatives]): Promise<FilterCondition> => {
      const patterns = alternatives.map(({ pattern }) => pattern)
      return name === 'continent'
        ? { dimension: 'country', ids: await findCountryIds(q, websiteId, patterns) }
        : { dimension: name, ids: await findMatchingValueIds(q, websiteId, name, patterns.map(toLikePattern)) }
    }),
  )
}

/** Returns the ids of all countries whose continent matches one of the patterns. */
async function findCountryIds(q: Queries, websiteId: number, continentPatterns: readonly string[]): Promise<number[]> {
  const matchers = continentPatterns.map(createMatcher)
  const countries = await readDimensionValues(q, websiteId, 'country')
  return [...countries].flatMap(([id, code]) => {
    const continent = findContinent(code)
    return continent !== undefined && matchers.some((matches) => matches(continent)) ? [id] : []
  })
}

/** Statistics of some days. Parts that were not requested are empty. */
export interface PeriodStatistics {
  totals: DayTotalsRow[]
  counts: ReadonlyMap<Dimension, ReadableCounts>
  hours: HourStatistics
}

/** What to count. */
export interface RequestedParts {
  /** The dimensions whose values are counted. */
  panels: readonly Dimension[]
  /** The totals of each day. */
  totals: boolean
  hours: boolean
}

export async function readFilteredStatistics(
  q: TransactionQueries,
  counting: Counting,
  days: WebsiteDays,
  conditionsPromise: Promise<readonly FilterCondition[]>,
  parts: RequestedParts,
): Promise<PeriodStatistics> {
  const questionPromise = conditionsPromise.then(
    (conditions): Question => ({ kind: 'statistics', conditions, ...parts }),
  )
  const countsByDay = await countDays(q, counting, days, questionPromise)
  const hasBounces = !selectsByEvent(await conditionsPromise)
  const statistics = { totals: [] as DayTotalsRow[], hours: createHourStatistics() }
  for (const [day, { totals, hours }] of [...countsByDay].toSorted(compareDays)) {
    if (totals.visitors > 0) statistics.totals.push(toTotalsRow(day, totals, hasBounces))
    if (hours !== undefined) addHours(statistics.hours, day, hours, hasBounces)
  }
  return { ...statistics, counts: await sumPanels([...countsByDay.values()], parts.panels) }
}

const compareDays = ([one]: [string, DayCounts], [other]: [string, DayCounts]) => (one < other ? -1 : 1)

export function toTotalsRow(day: string, totals: DayCounts['totals'], hasBounces: boolean): DayTotalsRow {
  return { day, ...totals, bounces: hasBounces ? totals.bounces : null }
}

/** Adding up values of this size takes about 1 ms. Then other requests can run. */
const BYTES_PER_TURN = 100_000

async function sumPanels(
  days: readonly DayCounts[],
  dimensions: readonly Dimension[],
): Promise<Map<Dimension, ReadableCounts>> {
  const tables = new Map<Dimension, ReadableCounts>()
  let byteCount = 0
  for (const dimension of dimensions) {
    const table = new CountTable()
    tables.set(dimension, table)
    for (const { panels } of days) {
      const values = panels[dimension] ?? []
      addToTable(table, values)
      byteCount += getByteLength(values)
      if (byteCount < BYTES_PER_TURN) continue
      byteCount = 0
      await yieldToEventLoop()
    }
  }
  return tables
}

/** Adds what was counted on one day. Hours without visits are left out. */
export function addHours(statistics: HourStatistics, day: string, counted: CountedHours, hasBounces: boolean): void {
  for (const name of ['visitor_hours', 'view_hours', 'event_hours'] as const) {
    const hours = [...counted[name].entries()].filter(([, count]) => count > 0)
    if (hours.length > 0) statistics[name].set(day, new Map(hours))
  }
  addVisitHours(statistics, day, counted, hasBounces)
}

export function addVisitHours(
  statistics: HourStatistics,
  day: string,
  { visits, bounces, durationMs, views }: CountedHours,
  hasBounces: boolean,
): void {
  const totalsByHour = new Map<number, VisitTotals>()
  for (const [hour, visitCount] of visits.entries()) {
    if (visitCount === 0) continue
    totalsByHour.set(hour, {
      visits: visitCount,
      bounces: hasBounces ? (bounces[hour] as number) : null,
      durationMs: durationMs[hour] as number,
      views: views[hour] as number,
    })
  }
  if (totalsByHour.size > 0) statistics.visits.set(day, totalsByHour)
}
