/** Counts the packed visits of a day that match the filters, with the same result as the statement in filtered-store.ts. */
import { type Dimension, visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import type { CountTable } from '../packing/count-table.ts'
import { type Hit, unpackVisits, type VisitorWithVisits, type VisitWithHits } from '../packing/packed-visits.ts'
import type { DayTotalsRow } from './counts-store.ts'
import type { FilteredCounts } from './filtered.ts'
import { type FilterCondition, findMatchingIds, type RequestedParts } from './filtered-store.ts'

/** Matches visitors or visits whose `values[index]` is one of `ids`. */
interface IndexedCondition {
  index: number
  ids: ReadonlySet<number>
}

interface MatchingVisit {
  visit: VisitWithHits
  /** The matching hits of the visit, at least one. */
  hits: readonly Hit[]
}

export class VisitFilter {
  readonly #parts: RequestedParts
  readonly #visitorConditions: IndexedCondition[]
  readonly #visitConditions: IndexedCondition[]
  readonly #pageIds: ReadonlySet<number> | undefined
  readonly #eventNameIds: ReadonlySet<number> | undefined

  constructor(conditions: readonly FilterCondition[], parts: RequestedParts) {
    const indexConditions = (dimensions: readonly Dimension[]): IndexedCondition[] =>
      dimensions.flatMap((name, index) => {
        const ids = findMatchingIds(conditions, name)
        return ids === undefined ? [] : [{ index, ids }]
      })
    this.#parts = parts
    this.#visitorConditions = indexConditions(visitorDimensions)
    this.#visitConditions = indexConditions(visitDimensions)
    this.#pageIds = findMatchingIds(conditions, 'page')
    this.#eventNameIds = findMatchingIds(conditions, 'event')
  }

  countDay(day: string, packedVisits: string, counts: FilteredCounts): void {
    const bounces = this.#eventNameIds === undefined ? 0 : null
    const totals: DayTotalsRow = { day, visitors: 0, views: 0, visits: 0, bounces, durationMs: 0, events: 0 }
    const panels = this.#parts.panels ? new PanelCounter(counts) : undefined
    for (const visitor of unpackVisits(packedVisits)) {
      if (!matchesAll(this.#visitorConditions, visitor.values)) continue
      const visits = this.#findMatchingVisits(visitor)
      if (visits.length === 0) continue
      addToTotals(totals, visits)
      panels?.add(visitor, visits)
      if (this.#parts.hours) addHours(day, visits, counts, bounces !== null)
    }
    if (totals.visitors > 0) counts.addTotals(totals)
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
    // A filter by event selects visits with such an event. Their page views count, too.
    return eventNameIds === undefined || matchingHits.some(({ isView }) => !isView) ? matchingHits : []
  }
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
      if (!isView) continue
      counts.addHour('view_hours', day, hour, 1)
      views++
    }
    const { durationMs, isBounce } = visit
    const firstHour = visit.hits.reduce((first, { hour }) => Math.min(first, hour), Number.POSITIVE_INFINITY)
    counts.addVisits(day, firstHour, { visits: 1, bounces: hasBounces ? Number(isBounce) : null, durationMs, views })
  }
  for (const hour of hours) counts.addHour('visitor_hours', day, hour, 1)
}
