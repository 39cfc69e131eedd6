/**
 * Filtered statistics. A packed day has all its visits in one column, and this process counts the matching ones. On all other
 * days, PostgreSQL counts the matching events.
 */
import type { Queries } from '../../storage/transaction.ts'
import { findContinent } from '../model/continents.ts'
import { CountTable, type ReadableCounts } from '../model/count-table.ts'
import { type Dimension, type HourColumn, visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import { addCount } from '../packing/packed-counts.ts'
import { type Hit, unpackVisits, type VisitorWithVisits, type VisitWithHits } from '../packing/packed-visits.ts'
import {
  countMatchingEvents,
  type FilterCondition,
  type FilteredRow,
  findMatchingIds,
  type PackedDaySize,
  type RequestedParts,
  readPackedDaySizes,
  readPackedVisits,
} from './filtered-store.ts'
import { createMatcher, type StatisticsFilter, toLikePattern } from './filters.ts'
import {
  createHourStatistics,
  type DayTotalsRow,
  type EventHours,
  findMatchingValueIds,
  type HourStatistics,
  readDimensionValues,
  type VisitTotals,
  type WebsiteDays,
} from './store.ts'

/** Converts the filters of a request to conditions on the ids of values. Returns undefined if there are no filters. */
export async function readFilterConditions(
  q: Queries,
  websiteId: number,
  filters: readonly StatisticsFilter[],
): Promise<FilterCondition[] | undefined> {
  if (filters.length === 0) return undefined
  const conditions: FilterCondition[] = []
  for (const [name, alternatives] of Map.groupBy(filters, (filter) => filter.name)) {
    const patterns = alternatives.map(({ pattern }) => pattern)
    conditions.push(
      name === 'continent'
        ? { dimension: 'country', ids: await findCountryIds(q, websiteId, patterns) }
        : { dimension: name, ids: await findMatchingValueIds(q, websiteId, name, patterns.map(toLikePattern)) },
    )
  }
  return conditions
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

/** Days are read in chunks of up to this size, to save memory. Counting a full chunk blocks the event loop for about 25 ms. */
const MAX_BYTES_PER_READ = 1_000_000

export async function readFilteredStatistics(
  q: Queries,
  days: WebsiteDays,
  conditions: readonly FilterCondition[],
  parts: RequestedParts,
): Promise<PeriodStatistics> {
  const counts = new FilteredCounts()
  const sizes = await readPackedDaySizes(q, days)
  const unpackedDays = sizes.filter(({ bytes }) => bytes === null).map(({ day }) => day)
  if (unpackedDays.length > 0) {
    for (const row of await countMatchingEvents(q, {
      websiteId: days.websiteId,
      days: unpackedDays,
      conditions,
      parts,
    }))
      counts.addRow(row)
  }
  const filter = new VisitFilter(conditions)
  for await (const { day, packed } of readPackedChunks(q, days.websiteId, sizes)) {
    countPackedDay(filter, { day, packed, parts, counts })
  }
  return counts.toStatistics()
}

/** Reads the packed visits of each day that has some. */
export async function* readPackedChunks(
  q: Queries,
  websiteId: number,
  sizes: readonly PackedDaySize[],
): AsyncGenerator<{ day: string; packed: string }> {
  for (const chunk of chunkPackedDays(sizes)) yield* await readPackedVisits(q, websiteId, chunk)
}

function* chunkPackedDays(days: readonly PackedDaySize[]): Generator<string[]> {
  let chunk: string[] = []
  let chunkBytes = 0
  for (const { day, bytes } of days) {
    if (bytes === null || bytes === 0) continue
    if (chunkBytes > 0 && chunkBytes + bytes > MAX_BYTES_PER_READ) {
      yield chunk
      chunk = []
      chunkBytes = 0
    }
    chunk.push(day)
    chunkBytes += bytes
  }
  if (chunk.length > 0) yield chunk
}

class FilteredCounts {
  readonly #totals: DayTotalsRow[] = []
  readonly #tables = new Map<Dimension, CountTable>()
  readonly #hours = createHourStatistics()

  addTotals(totals: DayTotalsRow): void {
    this.#totals.push(totals)
  }

  getCountTable(dimension: Dimension): CountTable {
    return this.#tables.getOrInsertComputed(dimension, () => new CountTable())
  }

  addHour(column: HourColumn | EventHours, day: string, hour: number, count: number): void {
    addCount(
      this.#hours[column].getOrInsertComputed(day, () => new Map()),
      hour,
      count,
    )
  }

  /** Adds visits that began in the hour. */
  addVisits(day: string, hour: number, { visits, bounces, durationMs, views }: VisitTotals): void {
    const totals = this.#hours.visits
      .getOrInsertComputed(day, () => new Map())
      .getOrInsertComputed(hour, () => ({ visits: 0, bounces: bounces === null ? null : 0, durationMs: 0, views: 0 }))
    totals.visits += visits
    if (totals.bounces !== null) totals.bounces += bounces ?? 0
    totals.durationMs += durationMs
    totals.views += views
  }

  addRow(row: FilteredRow): void {
    if (row.part === 'totals') this.addTotals(row)
    else if (row.part === 'panel') this.getCountTable(row.dimension).add(row.value, row.count)
    else if (row.part === 'visit_hours') this.addVisits(row.day, row.hour, row)
    else this.addHour(row.part, row.day, row.hour, row.count)
  }

  toStatistics(): PeriodStatistics {
    return { totals: this.#totals, counts: this.#tables, hours: this.#hours }
  }
}

/** Matches visitors or visits whose `values[index]` is one of `ids`. */
interface IndexedCondition {
  index: number
  ids: ReadonlySet<number>
}

export interface MatchingVisit {
  visit: VisitWithHits
  /** The matching hits of the visit, at least one. */
  hits: readonly Hit[]
}

/** Finds the packed visits of a day that match the filters. */
export class VisitFilter {
  /** Null with a filter by event, 0 otherwise. */
  readonly initialBounces: number | null
  readonly #visitorConditions: IndexedCondition[]
  readonly #visitConditions: IndexedCondition[]
  readonly #pageIds: ReadonlySet<number> | undefined
  readonly #eventNameIds: ReadonlySet<number> | undefined

  constructor(conditions: readonly FilterCondition[]) {
    const indexConditions = (dimensions: readonly Dimension[]): IndexedCondition[] =>
      dimensions.flatMap((name, index) => {
        const ids = findMatchingIds(conditions, name)
        return ids === undefined ? [] : [{ index, ids }]
      })
    this.#visitorConditions = indexConditions(visitorDimensions)
    this.#visitConditions = indexConditions(visitDimensions)
    this.#pageIds = findMatchingIds(conditions, 'page')
    this.#eventNameIds = findMatchingIds(conditions, 'event')
    this.initialBounces = this.#eventNameIds === undefined ? 0 : null
  }

  /** Calls back with each visitor who has matching visits. */
  forEachVisitor(
    packedVisits: string,
    callback: (visitor: VisitorWithVisits, visits: readonly MatchingVisit[]) => void,
  ): void {
    for (const visitor of unpackVisits(packedVisits)) {
      if (!matchesAll(this.#visitorConditions, visitor.values)) continue
      const visits = this.#findMatchingVisits(visitor)
      if (visits.length > 0) callback(visitor, visits)
    }
  }

  #findMatchingVisits({ visits }: VisitorWithVisits): MatchingVisit[] {
    const matchingVisits: MatchingVisit[] = []
    for (const visit of visits) {
      if (!matchesAll(this.#visitConditions, visit.values)) continue
      const hits = this.#findMatchingHits(visit)
      if (hits.length > 0) matchingVisits.push({ visit, hits })
    }
    return matchingVisits
  }

  #findMatchingHits({ hits }: VisitWithHits): readonly Hit[] {
    const [pageIds, eventNameIds] = [this.#pageIds, this.#eventNameIds]
    if (pageIds === undefined && eventNameIds === undefined) return hits
    const matchingHits = hits.filter(
      ({ isView, pageId, eventNameId }) =>
        (pageIds?.has(pageId) ?? true) && (isView || (eventNameIds?.has(eventNameId) ?? true)),
    )
    // A filter by event selects visits that have a matching event. The page views of these visits count, too.
    return eventNameIds === undefined || matchingHits.some(({ isView }) => !isView) ? matchingHits : []
  }
}

interface PackedDay {
  day: string
  packed: string
  parts: RequestedParts
  counts: FilteredCounts
}

/** Counts the matching visits of a day, with the same result as the statement of `countMatchingEvents`. */
function countPackedDay(filter: VisitFilter, { day, packed, parts, counts }: PackedDay): void {
  const bounces = filter.initialBounces
  const totals: DayTotalsRow = { day, visitors: 0, views: 0, visits: 0, bounces, durationMs: 0, events: 0 }
  const panels = parts.panels ? new PanelCounter(counts) : undefined
  filter.forEachVisitor(packed, (visitor, visits) => {
    addToTotals(totals, visits)
    panels?.add(visitor, visits)
    if (parts.hours) addHours(day, visits, counts, bounces !== null)
  })
  if (totals.visitors > 0) counts.addTotals(totals)
}

function matchesAll(conditions: readonly IndexedCondition[], values: readonly number[]): boolean {
  return conditions.every(({ index, ids }) => ids.has(values[index] as number))
}

function addToTotals(totals: DayTotalsRow, visits: readonly MatchingVisit[]): void {
  totals.visitors++
  totals.visits += visits.length
  for (const { visit, hits } of visits) {
    totals.durationMs += visit.durationMs
    if (visit.isBounce && totals.bounces !== null) totals.bounces++
    for (const { isView } of hits) {
      if (isView) totals.views++
      else totals.events++
    }
  }
}

class PanelCounter {
  /** In the order of `visitorDimensions`. */
  readonly #visitorTables: CountTable[]
  /** In the order of `visitDimensions`. */
  readonly #visitTables: CountTable[]
  readonly #pageTable: CountTable
  readonly #eventTable: CountTable

  constructor(counts: FilteredCounts) {
    this.#visitorTables = visitorDimensions.map((name) => counts.getCountTable(name))
    this.#visitTables = visitDimensions.map((name) => counts.getCountTable(name))
    this.#pageTable = counts.getCountTable('page')
    this.#eventTable = counts.getCountTable('event')
  }

  add({ values }: VisitorWithVisits, visits: readonly MatchingVisit[]): void {
    for (let index = 0; index < values.length; index++) {
      const value = values[index] as number
      if (value !== 0) this.#visitorTables[index]?.add(value, 1)
    }
    for (let index = 0; index < this.#visitTables.length; index++) {
      addDistinctValues(this.#visitTables[index] as CountTable, index, visits)
    }
    for (const { hits } of visits) {
      for (const { isView, pageId, eventNameId } of hits) {
        if (isView) this.#pageTable.add(pageId, 1)
        else this.#eventTable.add(eventNameId, 1)
      }
    }
  }
}

/** Counts each value once, even if several visits of the visitor have it. A visitor has few visits, so comparing each pair is fast. */
function addDistinctValues(table: CountTable, dimensionIndex: number, visits: readonly MatchingVisit[]): void {
  for (let index = 0; index < visits.length; index++) {
    const value = (visits[index] as MatchingVisit).visit.values[dimensionIndex] as number
    let isFirst = value !== 0
    for (let earlier = 0; earlier < index; earlier++) {
      if ((visits[earlier] as MatchingVisit).visit.values[dimensionIndex] === value) isFirst = false
    }
    if (isFirst) table.add(value, 1)
  }
}

function addHours(day: string, visits: readonly MatchingVisit[], counts: FilteredCounts, hasBounces: boolean): void {
  const hours = new Set<number>()
  for (const { visit, hits } of visits) {
    let views = 0
    for (const { hour, isView } of hits) {
      hours.add(hour)
      counts.addHour(isView ? 'view_hours' : 'event_hours', day, hour, 1)
      if (isView) views++
    }
    const { durationMs, isBounce } = visit
    const firstHour = visit.hits.reduce((first, { hour }) => Math.min(first, hour), Number.POSITIVE_INFINITY)
    counts.addVisits(day, firstHour, { visits: 1, bounces: hasBounces ? Number(isBounce) : null, durationMs, views })
  }
  for (const hour of hours) counts.addHour('visitor_hours', day, hour, 1)
}
