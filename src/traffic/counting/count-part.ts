/** Counts the matching visitors, visits and hits of a part. These loops are the engine of filtered statistics. */
import type { CodedColumn } from '../blocks/coded-column.ts'
import { CountTable } from '../model/count-table.ts'
import { type Dimension, dimensionTable } from '../model/dimensions.ts'
import { type Matches, matchPart } from './match-part.ts'
import type { PartColumns } from './part-columns.ts'
import {
  type CountedHours,
  type CountedTotals,
  createHours,
  createTotals,
  MAX_HOURS,
  type Question,
} from './question.ts'

export type StatisticsQuestion = Extract<Question, { kind: 'statistics' }>

/** The sum over all parts of a day. */
export class StatisticsCounter {
  readonly totals: CountedTotals = createTotals()
  readonly tables = new Map<Dimension, CountTable>()
  readonly hours: CountedHours | undefined
  readonly #question: StatisticsQuestion

  constructor(question: StatisticsQuestion) {
    this.#question = question
    this.hours = question.hours ? createHours() : undefined
    for (const dimension of question.panels) this.tables.set(dimension, new CountTable())
  }

  add(columns: PartColumns, excludedVisitors: Float64Array | undefined): void {
    const matches = matchPart(columns, this.#question.conditions, excludedVisitors)
    const visitorCount = sumOf(matches.visitors)
    if (visitorCount === 0) return
    this.totals.visitors += visitorCount
    if (this.#question.totals) addTotals(this.totals, columns, matches)
    for (const [dimension, table] of this.tables) addPanel(table, dimension, columns, matches)
    if (this.hours !== undefined) addHours(this.hours, columns, matches)
  }
}

function sumOf(values: Uint8Array): number {
  let sum = 0
  for (let index = 0; index < values.length; index++) sum += values[index] as number
  return sum
}

function addTotals(totals: CountedTotals, columns: PartColumns, { visits, hits }: Matches): void {
  const { durations, hitCounts, isCustom } = columns
  const { views, actions } = columns.viewsAndActions
  for (let visit = 0; visit < visits.length; visit++) {
    if (visits[visit] === 0) continue
    totals.visits++
    totals.durationMs += durations[visit] as number
    if ((views[visit] as number) <= 1 && actions[visit] === 0) totals.bounces++
  }
  let [hit, hitCount, customCount] = [0, 0, 0]
  if (hits === undefined) {
    for (let visit = 0; visit < visits.length; visit++) {
      const end = hit + (hitCounts[visit] as number)
      if (visits[visit] === 1) {
        hitCount += end - hit
        for (; hit < end; hit++) customCount += isCustom[hit] as number
      }
      hit = end
    }
  } else {
    for (; hit < hits.length; hit++) {
      hitCount += hits[hit] as number
      customCount += (hits[hit] as number) & (isCustom[hit] as number)
    }
  }
  totals.views += hitCount - customCount
  totals.events += customCount
}

function addPanel(table: CountTable, dimension: Dimension, columns: PartColumns, matches: Matches): void {
  const column = columns.readDimension(dimension)
  if (column === undefined) return
  const counts = new Int32Array(column.dictionary.length)
  const { scope } = dimensionTable[dimension]
  if (scope === 'visitor') countVisitors(counts, column, matches.visitors)
  else if (scope === 'visit') countVisitValues(counts, column, matches.visits, columns.visitCounts)
  else countHits(counts, column, columns, matches, scope === 'event' ? 1 : 0)
  for (let code = 0; code < counts.length; code++) {
    const id = column.dictionary[code] as number
    if (id !== 0 && counts[code] !== 0) table.add(id, counts[code] as number)
  }
}

function countVisitors(counts: Int32Array, { codes }: CodedColumn, visitors: Uint8Array): void {
  for (let visitor = 0; visitor < visitors.length; visitor++) {
    const code = codes[visitor] as number
    counts[code] = (counts[code] as number) + (visitors[visitor] as number)
  }
}

/** Counts each value once for a visitor, even if several visits of the visitor have it. */
function countVisitValues(
  counts: Int32Array,
  { codes }: CodedColumn,
  visits: Uint8Array,
  visitCounts: Int32Array,
): void {
  /** The last visitor that was counted for each code, + 1. */
  const lastVisitors = new Int32Array(counts.length)
  let visit = 0
  for (let visitor = 0; visitor < visitCounts.length; visitor++) {
    for (const end = visit + (visitCounts[visitor] as number); visit < end; visit++) {
      if (visits[visit] === 0) continue
      const code = codes[visit] as number
      if (lastVisitors[code] === visitor + 1) continue
      lastVisitors[code] = visitor + 1
      counts[code] = (counts[code] as number) + 1
    }
  }
}

/** Counts page views, or custom events if `custom` is 1. */
function countHits(
  counts: Int32Array,
  { codes }: CodedColumn,
  { hitCounts, isCustom }: PartColumns,
  { visits, hits }: Matches,
  custom: 0 | 1,
): void {
  if (hits !== undefined) {
    for (let hit = 0; hit < hits.length; hit++) {
      if (hits[hit] === 0 || isCustom[hit] !== custom) continue
      const code = codes[hit] as number
      counts[code] = (counts[code] as number) + 1
    }
    return
  }
  let hit = 0
  for (let visit = 0; visit < visits.length; visit++) {
    const end = hit + (hitCounts[visit] as number)
    if (visits[visit] === 1) {
      for (; hit < end; hit++) {
        if (isCustom[hit] !== custom) continue
        const code = codes[hit] as number
        counts[code] = (counts[code] as number) + 1
      }
    }
    hit = end
  }
}

/** A visit began in the first of its hours. */
function addHours(counts: CountedHours, columns: PartColumns, { visits, hits }: Matches): void {
  const { durations, hitCounts, isCustom, hours, hourBits, visitCounts } = columns
  const { views, actions } = columns.viewsAndActions
  const add = (numbers: Float64Array, hour: number, count: number) => {
    numbers[hour] = (numbers[hour] as number) + count
  }
  let [visit, hit] = [0, 0]
  for (let visitor = 0; visitor < visitCounts.length; visitor++) {
    let visitorHours = 0
    for (const lastVisit = visit + (visitCounts[visitor] as number); visit < lastVisit; visit++) {
      const end = hit + (hitCounts[visit] as number)
      const firstHour = findFirstHour(hourBits[visit] as number)
      if (visits[visit] === 1) {
        let viewCount = 0
        for (; hit < end; hit++) {
          if (hits !== undefined && hits[hit] === 0) continue
          const hour = hours[hit] as number
          visitorHours |= 1 << hour
          add(isCustom[hit] === 1 ? counts.event_hours : counts.view_hours, hour, 1)
          if (isCustom[hit] === 0) viewCount++
        }
        if (firstHour !== undefined) {
          add(counts.visits, firstHour, 1)
          add(counts.durationMs, firstHour, durations[visit] as number)
          add(counts.views, firstHour, hits === undefined ? (views[visit] as number) : viewCount)
          if ((views[visit] as number) <= 1 && actions[visit] === 0) add(counts.bounces, firstHour, 1)
        }
      }
      hit = end
    }
    for (let hour = 0; hour < MAX_HOURS && visitorHours >>> hour !== 0; hour++)
      if ((visitorHours >>> hour) & 1) add(counts.visitor_hours, hour, 1)
  }
}

const findFirstHour = (hourBits: number): number | undefined =>
  hourBits === 0 ? undefined : 31 - Math.clz32(hourBits & -hourBits)
