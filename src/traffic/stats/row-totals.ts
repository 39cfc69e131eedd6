/**
 * What a panel says about each value beside its count: visitors, visits, page views, bounce rate and length of visits.
 * Only the counts of values are stored, so these totals are counted from the visits of the period, as filtered
 * statistics are. A row has the totals that a filter by its value would give.
 */
import type { Queries } from '../../storage/transaction.ts'
import { CountTable, type ReadableCounts } from '../model/count-table.ts'
import { type Dimension, dimensionTable, visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import { computeAverages } from './figures.ts'
import { type MatchingVisit, readPackedChunks, VisitFilter } from './filtered.ts'
import { type FilterCondition, readPackedDaySizes, selectsByEvent } from './filtered-store.ts'
import { countRowTotals, type RowTotalsOfValue } from './row-totals-store.ts'
import type { RowDetails } from './schema.ts'
import type { WebsiteDays } from './store.ts'

/** The totals of each value of one dimension, by the id of the value. */
export class RowTotals {
  readonly visitors = new CountTable()
  readonly visits = new CountTable()
  readonly views = new CountTable()
  /** Counted only for the dimension event. */
  readonly events = new CountTable()
  readonly bounces = new CountTable()
  readonly durationMs = new CountTable()
  /** All visits that were counted. A visit can have several values, or none. */
  visitCount = 0
  readonly dimension: Dimension
  /** False if all visits have an event. Hardly any of them is a bounce, so a bounce rate would say little. */
  readonly #hasBounceRate: boolean

  constructor(dimension: Dimension, conditions: readonly FilterCondition[]) {
    this.dimension = dimension
    this.#hasBounceRate = dimension !== 'event' && !selectsByEvent(conditions)
  }

  /** What the rows of the panel count. */
  get counts(): ReadableCounts {
    const { scope } = dimensionTable[this.dimension]
    return scope === 'view' ? this.views : scope === 'event' ? this.events : this.visitors
  }

  add({ value, visitors, visits, views, events, bounces, durationMs }: RowTotalsOfValue): void {
    this.visitors.add(value, visitors)
    this.visits.add(value, visits)
    this.views.add(value, views)
    if (events > 0) this.events.add(value, events)
    this.bounces.add(value, bounces)
    this.durationMs.add(value, durationMs)
  }

  /** Values of several ids are summed up. That is right for countries, because a visitor has one country a day. */
  getDetails(ids: readonly number[]): RowDetails {
    const sumOf = (table: CountTable) => ids.reduce((sum, id) => sum + (table.get(id) ?? 0), 0)
    const visits = sumOf(this.visits)
    const bounces = this.#hasBounceRate ? sumOf(this.bounces) : null
    const totals = { visits, bounces, durationMs: sumOf(this.durationMs), views: sumOf(this.views) }
    const { bounce_rate, visit_duration } = computeAverages(totals)
    return { visitors: sumOf(this.visitors), visits, pageviews: totals.views, bounce_rate, visit_duration }
  }
}

/** Returns the details of a row. Several ids are those of the countries of a continent. */
export type FindRowDetails = (ids: readonly number[], count: number) => RowDetails

/**
 * Without totals, only the count of a row is known: on days whose visits are no longer stored, or were imported as
 * totals.
 */
export function createDetailsFinder(dimension: Dimension, totals: RowTotals | undefined): FindRowDetails {
  if (totals !== undefined) return (ids) => totals.getDetails(ids)
  const { scope } = dimensionTable[dimension]
  const unknown: RowDetails = { visitors: null, visits: null, pageviews: null, bounce_rate: null, visit_duration: null }
  if (scope === 'event') return () => unknown
  return (_, count) => ({ ...unknown, [scope === 'view' ? 'pageviews' : 'visitors']: count })
}

export async function readRowTotals(
  q: Queries,
  days: WebsiteDays,
  conditions: readonly FilterCondition[],
  dimension: Dimension,
): Promise<RowTotals> {
  const totals = new RowTotals(dimension, conditions)
  const sizes = await readPackedDaySizes(q, days)
  const unpackedDays = sizes.filter(({ bytes }) => bytes === null).map(({ day }) => day)
  if (unpackedDays.length > 0) {
    const { rows, visitCount } = await countRowTotals(q, {
      websiteId: days.websiteId,
      days: unpackedDays,
      conditions,
      dimension,
    })
    for (const row of rows) totals.add(row)
    totals.visitCount += visitCount
  }
  const filter = new VisitFilter(conditions)
  const counter = createCounter(totals)
  for await (const { packed } of readPackedChunks(q, days.websiteId, sizes)) {
    filter.forEachVisitor(packed, (visitor, visits) => {
      totals.visitCount += visits.length
      counter(visitor.values, visits)
    })
  }
  return totals
}

/** Adds the matching visits of a visitor to the totals. */
type VisitorCounter = (visitorValues: readonly number[], visits: readonly MatchingVisit[]) => void

function createCounter(totals: RowTotals): VisitorCounter {
  const { dimension } = totals
  const { scope } = dimensionTable[dimension]
  if (scope === 'view') return createHitCounter(totals, ({ pageId }) => pageId)
  if (scope === 'event') return createHitCounter(totals, ({ isView, eventNameId }) => (isView ? 0 : eventNameId))
  const visitorIndex = (visitorDimensions as readonly Dimension[]).indexOf(dimension)
  if (visitorIndex !== -1) {
    return (visitorValues, visits) => {
      const value = visitorValues[visitorIndex] as number
      if (value === 0) return
      totals.visitors.add(value, 1)
      for (const visit of visits) addVisit(totals, value, visit, countViews(visit))
    }
  }
  const visitIndex = (visitDimensions as readonly Dimension[]).indexOf(dimension)
  const valuesOfVisitor = new Set<number>()
  return (_, visits) => {
    valuesOfVisitor.clear()
    for (const visit of visits) {
      const value = visit.visit.values[visitIndex] as number
      if (value === 0) continue
      if (!valuesOfVisitor.has(value)) totals.visitors.add(value, 1)
      valuesOfVisitor.add(value)
      addVisit(totals, value, visit, countViews(visit))
    }
  }
}

/** For the values of single page views and events. A visit counts once for each value that it has. */
function createHitCounter(totals: RowTotals, getValue: (hit: MatchingVisit['hits'][number]) => number): VisitorCounter {
  const isByPage = totals.dimension === 'page'
  const [valuesOfVisitor, valuesOfVisit] = [new Set<number>(), new Set<number>()]
  return (_, visits) => {
    valuesOfVisitor.clear()
    for (const visit of visits) {
      valuesOfVisit.clear()
      const views = isByPage ? 0 : countViews(visit)
      for (const hit of visit.hits) {
        const value = getValue(hit)
        if (value === 0) continue
        if (!isByPage) totals.events.add(value, 1)
        else if (hit.isView) totals.views.add(value, 1)
        if (valuesOfVisit.has(value)) continue
        valuesOfVisit.add(value)
        addVisit(totals, value, visit, views)
        if (!valuesOfVisitor.has(value)) totals.visitors.add(value, 1)
        valuesOfVisitor.add(value)
      }
    }
  }
}

function addVisit(totals: RowTotals, value: number, { visit }: MatchingVisit, views: number): void {
  totals.visits.add(value, 1)
  if (views > 0) totals.views.add(value, views)
  if (visit.isBounce) totals.bounces.add(value, 1)
  totals.durationMs.add(value, visit.durationMs)
}

function countViews({ hits }: MatchingVisit): number {
  let views = 0
  for (const { isView } of hits) if (isView) views++
  return views
}
