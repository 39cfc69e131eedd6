/** Finds the visitors, visits and hits of a part that meet the conditions of a question. */
import { markVisitors } from '../blocks/mark-visitors.ts'
import { type Dimension, visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import type { Conditions } from './conditions.ts'
import type { PartColumns } from './part-columns.ts'

/** Each array has one element for each visitor, visit or hit. 1 means that it matches. */
export interface Matches {
  visitors: Uint8Array
  visits: Uint8Array
  /** Undefined if every hit of a matching visit matches. */
  hits: Uint8Array | undefined
}

/** `skippedVisitors` are in ascending order. */
export function matchPart(
  columns: PartColumns,
  conditions: Conditions,
  skippedVisitors: Float64Array | undefined,
): Matches {
  const visitors = matchAll(columns.sizes.visitors, columns, conditions, visitorDimensions)
  const skipsVisitors = skippedVisitors !== undefined && skippedVisitors.length > 0
  if (conditions.isEmpty && !skipsVisitors)
    return { visitors, visits: new Uint8Array(columns.sizes.visits).fill(1), hits: undefined }
  if (skipsVisitors) skipVisitors(visitors, columns.visitorIds, skippedVisitors)
  const visits = matchAll(columns.sizes.visits, columns, conditions, visitDimensions)
  const { visitorsOfVisits } = columns
  // Only visits of matching visitors match.
  for (let visit = 0; visit < visits.length; visit++)
    visits[visit] = (visits[visit] as number) & (visitors[visitorsOfVisits[visit] as number] as number)
  const hits = conditions.isEmpty ? undefined : matchHits(columns, conditions, visits)
  // Only visitors with a matching visit match.
  visitors.fill(0)
  for (let visit = 0; visit < visits.length; visit++) {
    const visitor = visitorsOfVisits[visit] as number
    visitors[visitor] = (visitors[visitor] as number) | (visits[visit] as number)
  }
  return { visitors, visits, hits }
}

function matchAll(
  count: number,
  columns: PartColumns,
  conditions: Conditions,
  dimensions: readonly Dimension[],
): Uint8Array {
  const matches = new Uint8Array(count).fill(1)
  for (const name of dimensions) if (conditions.has(name)) matchColumn(matches, columns, conditions, name)
  return matches
}

function matchColumn(matches: Uint8Array, columns: PartColumns, conditions: Conditions, dimension: Dimension): void {
  const column = columns.readDimension(dimension)
  const isMatching = column && conditions.matchDictionary(dimension, column.dictionary)
  if (column === undefined || isMatching === undefined) {
    matches.fill(0)
    return
  }
  const { codes } = column
  for (let index = 0; index < codes.length; index++)
    matches[index] = (matches[index] as number) & (isMatching[codes[index] as number] as number)
}

function skipVisitors(matches: Uint8Array, visitorIds: Float64Array, skippedIds: Float64Array): void {
  const isSkipped = markVisitors(visitorIds, skippedIds)
  for (let visitor = 0; visitor < isSkipped.length; visitor++) if (isSkipped[visitor] === 1) matches[visitor] = 0
}

/** Counts the ones in an array of zeros and ones, four elements at a time. */
export function countMarks(marks: Uint8Array): number {
  const isAligned = marks.byteOffset % 4 === 0
  const words = isAligned ? new Uint32Array(marks.buffer, marks.byteOffset, marks.length >> 2) : new Uint32Array(0)
  let sum = 0
  // The product has the sum of the four bytes in its highest byte.
  for (let index = 0; index < words.length; index++) sum += Math.imul(words[index] as number, 0x01010101) >>> 24
  for (let index = words.length * 4; index < marks.length; index++) sum += marks[index] as number
  return sum
}

/** A visit matches only if it has a matching hit. */
function matchHits(columns: PartColumns, conditions: Conditions, visits: Uint8Array): Uint8Array | undefined {
  const { hitCounts } = columns
  if (!conditions.has('page') && !conditions.has('event')) {
    for (let visit = 0; visit < visits.length; visit++) if (hitCounts[visit] === 0) visits[visit] = 0
    return undefined
  }
  const hits = new Uint8Array(columns.sizes.hits).fill(1)
  if (conditions.has('page')) matchColumn(hits, columns, conditions, 'page')
  if (conditions.has('event')) matchEvents(hits, columns, conditions)
  const isCustom = conditions.selectsByEvent ? columns.isCustom : undefined
  let hit = 0
  for (let visit = 0; visit < visits.length; visit++) {
    const firstHit = hit
    let isMatching = 0
    for (const end = hit + (hitCounts[visit] as number); hit < end; hit++)
      isMatching |= (hits[hit] as number) & (isCustom === undefined ? 1 : (isCustom[hit] as number))
    visits[visit] = (visits[visit] as number) & isMatching
    if (visits[visit] === 0) for (let index = firstHit; index < hit; index++) hits[index] = 0
  }
  return hits
}

/** A condition on the event doesn't exclude page views. */
function matchEvents(hits: Uint8Array, columns: PartColumns, conditions: Conditions): void {
  const column = columns.readDimension('event')
  const isMatching = column && conditions.matchDictionary('event', column.dictionary)
  for (const [index, hit] of columns.customHits.entries())
    hits[hit] = (hits[hit] as number) & (isMatching?.[column?.codes[index] as number] ?? 0)
}
