/** Counts those of a day's packed visits that fit, just as the statement in filtered-store.ts counts events. */
import {
  type PanelDimension,
  type VisitDimension,
  type VisitorDimension,
  visitDimensions,
  visitorDimensions,
} from '../model/dimensions.ts'
import type { CountTable } from '../packing/count-table.ts'
import { type Hit, type PackedVisit, type PackedVisitor, unpackVisits } from '../packing/packed-visits.ts'
import type { DayTotalsRow } from './counts-store.ts'
import type { FilteredCounts } from './filtered.ts'
import { type FilterCondition, type FilteredParts, findMatchingIds } from './filtered-store.ts'

interface Fit<Name> {
  name: Name
  ids: Set<number>
}

/** A visit with at least one hit that fits. */
interface Seen {
  visit: PackedVisit
  hits: Hit[]
}

export class VisitFilter {
  readonly #wanted: FilteredParts
  readonly #ofVisitor: Fit<VisitorDimension>[]
  readonly #ofVisit: Fit<VisitDimension>[]
  readonly #pages: Set<number> | undefined
  readonly #names: Set<number> | undefined

  constructor(conditions: readonly FilterCondition[], wanted: FilteredParts) {
    const fitsOf = <Name extends FilterCondition['name']>(names: readonly Name[]): Fit<Name>[] =>
      names.flatMap((name) => {
        const ids = findMatchingIds(conditions, name)
        return ids === undefined ? [] : [{ name, ids }]
      })
    this.#wanted = wanted
    this.#ofVisitor = fitsOf(visitorDimensions)
    this.#ofVisit = fitsOf(visitDimensions)
    this.#pages = findMatchingIds(conditions, 'page')
    this.#names = findMatchingIds(conditions, 'event')
  }

  count(day: string, packed: string, counts: FilteredCounts): void {
    const totals = { day, visitors: 0, views: 0, visits: 0, bounces: 0, durationMs: 0, events: 0 }
    const panels = this.#wanted.panels ? new Panels(counts) : undefined
    for (const visitor of unpackVisits(packed)) {
      if (!this.#ofVisitor.every(({ name, ids }) => ids.has(visitor[name]))) continue
      const seen = this.#seenOf(visitor)
      if (seen.length === 0) continue
      addTotals(totals, seen)
      panels?.add(visitor, seen)
      if (this.#wanted.hours) addHours(day, seen, counts)
    }
    if (totals.visitors > 0) counts.addTotals(totals)
  }

  #seenOf({ visits }: PackedVisitor): Seen[] {
    const seen: Seen[] = []
    for (const visit of visits) {
      if (!this.#ofVisit.every(({ name, ids }) => ids.has(visit[name]))) continue
      const hits = this.#hitsOf(visit)
      if (hits.length > 0) seen.push({ visit, hits })
    }
    return seen
  }

  #hitsOf({ hits }: PackedVisit): Hit[] {
    const [pages, names] = [this.#pages, this.#names]
    if (pages === undefined && names === undefined) return hits
    return hits.filter(({ page, name }) => (pages?.has(page) ?? true) && (names?.has(name) ?? true))
  }
}

function addTotals(totals: DayTotalsRow, seen: readonly Seen[]): void {
  totals.visitors++
  totals.visits += seen.length
  for (const { visit, hits } of seen) {
    totals.durationMs += visit.durationMs
    if (visit.isBounce) totals.bounces++
    for (const { isView } of hits) {
      if (isView) totals.views++
      else totals.events++
    }
  }
}

class Panels {
  readonly #ofVisitor: { name: VisitorDimension; table: CountTable }[]
  readonly #ofVisit: { name: VisitDimension; table: CountTable }[]
  readonly #pages: CountTable
  readonly #events: CountTable

  constructor(counts: FilteredCounts) {
    const tablesOf = <Name extends PanelDimension>(names: readonly Name[]) =>
      names.map((name) => ({ name, table: counts.table(name) }))
    this.#ofVisitor = tablesOf(visitorDimensions)
    this.#ofVisit = tablesOf(visitDimensions)
    this.#pages = counts.table('page')
    this.#events = counts.table('event')
  }

  add(visitor: PackedVisitor, seen: readonly Seen[]): void {
    for (const { name, table } of this.#ofVisitor) if (visitor[name] !== 0) table.add(visitor[name], 1)
    for (const { name, table } of this.#ofVisit) addOnce(table, name, seen)
    for (const { hits } of seen) {
      for (const { isView, page, name } of hits) {
        if (isView) this.#pages.add(page, 1)
        else this.#events.add(name, 1)
      }
    }
  }
}

/** Each value once, however many visits have it. There are few visits. */
function addOnce(table: CountTable, name: VisitDimension, seen: readonly Seen[]): void {
  for (const [index, { visit }] of seen.entries()) {
    const value = visit[name]
    const isFirst = index === 0 || !seen.slice(0, index).some((earlier) => earlier.visit[name] === value)
    if (value !== 0 && isFirst) table.add(value, 1)
  }
}

function addHours(day: string, seen: readonly Seen[], counts: FilteredCounts): void {
  const hours = new Set<number>()
  for (const { hits } of seen) {
    for (const { hour, isView } of hits) {
      hours.add(hour)
      if (isView) counts.addHour('view_hours', day, hour, 1)
    }
  }
  for (const hour of hours) counts.addHour('visitor_hours', day, hour, 1)
}
