/**
 * Counts the totals of each value of a dimension: visitors, visits, page views, bounces and length of visits. A value has the totals that
 * a filter by this value would give. A page has the views of this page; any other value has all views of its visits.
 */
import type { CodedColumn } from '../blocks/coded-column.ts'
import { CountTable } from '../model/count-table.ts'
import { type Dimension, dimensionTable } from '../model/dimensions.ts'
import { Conditions } from './conditions.ts'
import { countMarks, type Matches, matchPart } from './match-part.ts'
import type { PartColumns } from './part-columns.ts'
import { type DetailFigure, detailFigures, type FilterCondition } from './question.ts'

type DetailTables = Record<DetailFigure, CountTable>

export class DetailsCounter {
  readonly tables = Object.fromEntries(detailFigures.map((name) => [name, new CountTable()])) as DetailTables
  /** All visits that were counted. A visit can have several values, or none. */
  visitCount = 0
  readonly #dimension: Dimension
  readonly #conditions: Conditions

  constructor(dimension: Dimension, conditions: readonly FilterCondition[]) {
    this.#dimension = dimension
    this.#conditions = new Conditions(conditions)
  }

  add(columns: PartColumns, skippedVisitors: Float64Array | undefined): void {
    const matches = matchPart(columns, this.#conditions, skippedVisitors)
    const visits = new MatchingVisits(columns, matches)
    this.visitCount += visits.count
    const column = columns.readDimension(this.#dimension)
    if (column === undefined || visits.count === 0) return
    const { scope } = dimensionTable[this.#dimension]
    if (scope === 'view') this.#addPages(column, columns, visits)
    else if (scope === 'event') this.#addEvents(column, columns, visits)
    else this.#addVisits(column, columns, visits, scope === 'visitor')
  }

  /** For values of visitors and visits. */
  #addVisits({ dictionary, codes }: CodedColumn, columns: PartColumns, visits: MatchingVisits, isOfVisitor: boolean) {
    const counts = new CodeCounts(dictionary.length)
    const { visitCounts } = columns
    let visit = 0
    for (let visitor = 0; visitor < visitCounts.length; visitor++) {
      for (const end = visit + (visitCounts[visitor] as number); visit < end; visit++) {
        if (!visits.isMatching(visit)) continue
        const code = codes[isOfVisitor ? visitor : visit] as number
        counts.addVisit(code, visitor, visits, visit)
        counts.numbers.views[code] = (counts.numbers.views[code] as number) + visits.countViews(visit)
      }
    }
    counts.addTo(this.tables, dictionary)
  }

  /** For the pages of hits. A visit counts once for each page that it has. */
  #addPages({ dictionary, codes }: CodedColumn, columns: PartColumns, visits: MatchingVisits) {
    const counts = new CodeCounts(dictionary.length)
    const { visitCounts, hitCounts, isCustom } = columns
    const { views } = counts.numbers
    /** The last visit that was counted for each code, + 1. */
    const lastVisits = new Int32Array(dictionary.length)
    let [visit, hit] = [0, 0]
    for (let visitor = 0; visitor < visitCounts.length; visitor++) {
      for (const lastVisit = visit + (visitCounts[visitor] as number); visit < lastVisit; visit++) {
        const end = hit + (hitCounts[visit] as number)
        if (!visits.isMatching(visit)) hit = end
        for (; hit < end; hit++) {
          if (!visits.isMatchingHit(hit)) continue
          const code = codes[hit] as number
          if (isCustom[hit] === 0) views[code] = (views[code] as number) + 1
          if (lastVisits[code] === visit + 1) continue
          lastVisits[code] = visit + 1
          counts.addVisit(code, visitor, visits, visit)
        }
      }
    }
    counts.addTo(this.tables, dictionary)
  }

  /** For the names of custom events. A visit counts once for each name that it has. */
  #addEvents(
    { dictionary, codes }: CodedColumn,
    { customHits, visitsOfCustomHits, visitorsOfVisits }: PartColumns,
    visits: MatchingVisits,
  ) {
    const counts = new CodeCounts(dictionary.length)
    const { views, events } = counts.numbers
    const lastVisits = new Int32Array(dictionary.length)
    for (const [index, hit] of customHits.entries()) {
      const visit = visitsOfCustomHits[index] as number
      if (!visits.isMatching(visit) || !visits.isMatchingHit(hit)) continue
      const code = codes[index] as number
      events[code] = (events[code] as number) + 1
      if (lastVisits[code] === visit + 1) continue
      lastVisits[code] = visit + 1
      counts.addVisit(code, visitorsOfVisits[visit] as number, visits, visit)
      views[code] = (views[code] as number) + visits.countViews(visit)
    }
    counts.addTo(this.tables, dictionary)
  }
}

class MatchingVisits {
  readonly count: number
  readonly durations: Float64Array
  readonly isBounce: Uint8Array
  readonly #matches: Matches
  readonly #views: Int32Array

  constructor(columns: PartColumns, matches: Matches) {
    this.#matches = matches
    const { views, actions } = columns.viewsAndActions
    this.durations = columns.durations
    this.isBounce = Uint8Array.from(views, (count, visit) => Number(count <= 1 && actions[visit] === 0))
    this.#views = matches.hits === undefined ? views : countMatchingViews(columns, matches.hits)
    this.count = countMarks(matches.visits)
  }

  isMatching(visit: number): boolean {
    return this.#matches.visits[visit] === 1
  }

  isMatchingHit(hit: number): boolean {
    return this.#matches.hits === undefined || this.#matches.hits[hit] === 1
  }

  /** Only views that match count. */
  countViews(visit: number): number {
    return this.#views[visit] as number
  }
}

function countMatchingViews({ hitCounts, isCustom }: PartColumns, hits: Uint8Array): Int32Array {
  let hit = 0
  return hitCounts.map((count) => {
    let views = 0
    for (const end = hit + count; hit < end; hit++) views += (hits[hit] as number) & (1 - (isCustom[hit] as number))
    return views
  })
}

/** The numbers of each code of one part. */
class CodeCounts {
  readonly numbers: Record<DetailFigure, Float64Array>
  /** The last visitor that was counted for each code, + 1. */
  readonly #lastVisitors: Int32Array

  constructor(codeCount: number) {
    this.numbers = Object.fromEntries(
      detailFigures.map((name) => [name, new Float64Array(codeCount)]),
    ) as CodeCounts['numbers']
    this.#lastVisitors = new Int32Array(codeCount)
  }

  /** Visitors must come in ascending order. */
  addVisit(code: number, visitor: number, { durations, isBounce }: MatchingVisits, visit: number): void {
    const { visitors, visits, bounces, durationMs } = this.numbers
    if (this.#lastVisitors[code] !== visitor + 1) visitors[code] = (visitors[code] as number) + 1
    this.#lastVisitors[code] = visitor + 1
    visits[code] = (visits[code] as number) + 1
    bounces[code] = (bounces[code] as number) + (isBounce[visit] as number)
    durationMs[code] = (durationMs[code] as number) + (durations[visit] as number)
  }

  addTo(tables: DetailTables, dictionary: Int32Array): void {
    for (const name of detailFigures) {
      const numbers = this.numbers[name]
      for (let code = 0; code < numbers.length; code++)
        if (dictionary[code] !== 0 && numbers[code] !== 0)
          tables[name].add(dictionary[code] as number, numbers[code] as number)
    }
  }
}
