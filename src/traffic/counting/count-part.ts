/** Counts the matching visitors, visits and hits of a part. These loops are the engine of filtered statistics. */
import { UNKNOWN_CODE } from '../blocks/coded-column.ts'
import { BlockError, type Codes } from '../blocks/column-bytes.ts'
import { CountTable } from '../model/count-table.ts'
import { type Dimension, type DimensionScope, dimensionTable } from '../model/dimensions.ts'
import { Conditions } from './conditions.ts'
import { countMarks, type Matches, matchPart } from './match-part.ts'
import type { LaterVisits, PartColumns } from './part-columns.ts'
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
  readonly #conditions: Conditions

  constructor(question: StatisticsQuestion) {
    this.#question = question
    this.#conditions = new Conditions(question.conditions)
    this.hours = question.hours ? createHours() : undefined
    for (const dimension of question.panels) this.tables.set(dimension, new CountTable())
  }

  add(columns: PartColumns, skippedVisitors: Float64Array | undefined): void {
    const matches = matchPart(columns, this.#conditions, skippedVisitors)
    const visitorCount = countMarks(matches.visitors)
    if (visitorCount === 0) return
    this.totals.visitors += visitorCount
    if (this.#question.totals) addTotals(this.totals, columns, matches)
    if (this.tables.size > 0) {
      const selections = selectByScope(columns, matches, this.#question.panels.some(countsHits))
      for (const [dimension, table] of this.tables) addPanel(table, dimension, columns, selections)
    }
    if (this.hours !== undefined) addHours(this.hours, columns, matches)
  }
}

function addTotals(totals: CountedTotals, columns: PartColumns, { visits, hits }: Matches): void {
  const { durations, hitCounts } = columns
  const { views, actions } = columns.viewsAndActions
  for (let visit = 0; visit < visits.length; visit++) {
    if (visits[visit] === 0) continue
    totals.visits++
    totals.durationMs += durations[visit] as number
    if ((views[visit] as number) <= 1 && actions[visit] === 0) totals.bounces++
  }
  let [hitCount, customCount] = [0, 0]
  if (hits === undefined) {
    for (let visit = 0; visit < visits.length; visit++)
      hitCount += (visits[visit] as number) * (hitCounts[visit] as number)
    for (const visit of columns.visitsOfCustomHits) customCount += visits[visit] as number
  } else {
    hitCount = countMarks(hits)
    for (const hit of columns.customHits) customCount += hits[hit] as number
  }
  totals.views += hitCount - customCount
  totals.events += customCount
}

/** Marks the elements that match with 1. */
interface Selection {
  marks: Uint8Array
  count: number
}

const createSelection = (marks: Uint8Array): Selection => ({ marks, count: countMarks(marks) })

/** What is counted for the dimensions of each scope. */
type Selections = Record<DimensionScope, Selection>

function addPanel(table: CountTable, dimension: Dimension, columns: PartColumns, selections: Selections): void {
  const column = columns.readDimension(dimension)
  if (column === undefined) return
  const { dictionary, codes } = column
  const { scope } = dimensionTable[dimension]
  const counts = new Int32Array(dictionary.length)
  addMatches(counts, codes, selections[scope])
  if (scope === 'visit') subtractRepetitions(counts, codes, selections.visit.marks, columns.laterVisits)
  for (let code = 0; code < counts.length; code++) {
    const id = dictionary[code] as number
    if (id !== 0 && counts[code] !== 0) table.add(id, counts[code] as number)
  }
}

/** Counts the matching elements by code. A loop for each type, because a loop over all types would be slower. */
function addMatches(counts: Int32Array, codes: Codes, { marks, count }: Selection): void {
  if (codes instanceof Uint8Array) addByteMatches(counts, codes, marks)
  else if (codes instanceof Uint16Array) addShortMatches(counts, codes, marks)
  else addNumberMatches(counts, codes, marks)
  if (sumOfCounts(counts) !== count) throw new BlockError(UNKNOWN_CODE)
}

function addByteMatches(counts: Int32Array, codes: Uint8Array, matches: Uint8Array): void {
  for (let index = 0; index < matches.length; index++) {
    const code = codes[index] as number
    counts[code] = (counts[code] as number) + (matches[index] as number)
  }
}

function addShortMatches(counts: Int32Array, codes: Uint16Array, matches: Uint8Array): void {
  for (let index = 0; index < matches.length; index++) {
    const code = codes[index] as number
    counts[code] = (counts[code] as number) + (matches[index] as number)
  }
}

function addNumberMatches(counts: Int32Array, codes: Int32Array, matches: Uint8Array): void {
  for (let index = 0; index < matches.length; index++) {
    const code = codes[index] as number
    counts[code] = (counts[code] as number) + (matches[index] as number)
  }
}

function sumOfCounts(counts: Int32Array): number {
  let sum = 0
  for (let index = 0; index < counts.length; index++) sum += counts[index] as number
  return sum
}

/** A visitor counts once for each value, even if several visits of the visitor have it. */
function subtractRepetitions(
  counts: Int32Array,
  codes: Codes,
  visits: Uint8Array,
  { visits: laterVisits, firstVisits }: LaterVisits,
): void {
  /** For each code, the first visit of the last visitor who has it, + 1. */
  const lastVisitors = new Int32Array(counts.length)
  for (let index = 0; index < laterVisits.length; index++) {
    const [visit, firstVisit] = [laterVisits[index] as number, firstVisits[index] as number]
    if (visit === firstVisit + 1 && visits[firstVisit] === 1) lastVisitors[codes[firstVisit] as number] = visit
    if (visits[visit] === 0) continue
    const code = codes[visit] as number
    if (lastVisitors[code] === firstVisit + 1) counts[code] = (counts[code] as number) - 1
    else lastVisitors[code] = firstVisit + 1
  }
}

const countsHits = (dimension: Dimension) => dimension === 'page' || dimension === 'event'

function selectByScope(columns: PartColumns, matches: Matches, needsHits: boolean): Selections {
  const { views, events } = needsHits ? selectHits(columns, matches) : { views: NOTHING, events: NOTHING }
  return {
    visitor: createSelection(matches.visitors),
    visit: createSelection(matches.visits),
    view: createSelection(views),
    event: createSelection(events),
  }
}

const NOTHING = new Uint8Array(0)

/** Marks each page view, and each custom event, that matches. */
function selectHits({ sizes, hitCounts, customHits }: PartColumns, { visits, hits }: Matches) {
  const views = hits === undefined ? expandVisits(visits, hitCounts, sizes.hits) : hits.slice()
  const events = new Uint8Array(customHits.length)
  for (const [index, hit] of customHits.entries()) {
    events[index] = views[hit] as number
    views[hit] = 0
  }
  return { views, events }
}

/** Gives each hit the value of its visit. */
function expandVisits(visits: Uint8Array, hitCounts: Int32Array, hitCount: number): Uint8Array {
  const hits = new Uint8Array(hitCount)
  let hit = 0
  for (let visit = 0; visit < visits.length; visit++) {
    const isMatching = visits[visit] as number
    for (const end = hit + (hitCounts[visit] as number); hit < end; hit++) hits[hit] = isMatching
  }
  return hits
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
