/** Finds the visitors, visits and hits of a part that meet the conditions of a question. */
import type { CodedColumn } from '../blocks/coded-column.ts'
import { visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import type { PartColumns } from './part-columns.ts'
import { type FilterCondition, findMatchingIds, selectsByEvent } from './question.ts'

/** Each array has one element for each visitor, visit or hit. 1 means that it matches. */
export interface Matches {
  visitors: Uint8Array
  visits: Uint8Array
  /** Undefined if every hit of a matching visit matches. */
  hits: Uint8Array | undefined
}

/** `excludedVisitors` are in ascending order. */
export function matchPart(
  columns: PartColumns,
  conditions: readonly FilterCondition[],
  excludedVisitors: Float64Array | undefined,
): Matches {
  const visitors = matchAll(columns.sizes.visitors, columns, conditions, visitorDimensions)
  if (excludedVisitors !== undefined && excludedVisitors.length > 0)
    excludeVisitors(visitors, columns.visitorIds, excludedVisitors)
  const visits = matchAll(columns.sizes.visits, columns, conditions, visitDimensions)
  passDown(visitors, columns.visitCounts, visits)
  const hits = matchHits(columns, conditions, visits)
  passUp(visits, columns.visitCounts, visitors)
  return { visitors, visits, hits }
}

function matchAll(
  count: number,
  columns: PartColumns,
  conditions: readonly FilterCondition[],
  dimensions: typeof visitorDimensions | typeof visitDimensions,
): Uint8Array {
  const matches = new Uint8Array(count).fill(1)
  for (const name of dimensions) {
    const ids = findMatchingIds(conditions, name)
    if (ids === undefined) continue
    const column = columns.readDimension(name)
    if (column === undefined) matches.fill(0)
    else matchCodes(matches, column, ids)
  }
  return matches
}

function matchCodes(matches: Uint8Array, column: CodedColumn, ids: ReadonlySet<number>): void {
  const { codes } = column
  const isMatching = findMatchingCodes(column, ids)
  for (let index = 0; index < codes.length; index++)
    matches[index] = (matches[index] as number) & (isMatching[codes[index] as number] as number)
}

/** Returns 1 for each code whose value matches. */
function findMatchingCodes({ dictionary }: CodedColumn, ids: ReadonlySet<number>): Uint8Array {
  return Uint8Array.from(dictionary, (id) => Number(ids.has(id)))
}

function excludeVisitors(matches: Uint8Array, visitorIds: Float64Array, excluded: Float64Array): void {
  let next = 0
  for (let visitor = 0; visitor < visitorIds.length; visitor++) {
    const id = visitorIds[visitor] as number
    while (next < excluded.length && (excluded[next] as number) < id) next++
    if (excluded[next] === id) matches[visitor] = 0
  }
}

/** Only visits of matching visitors match. */
function passDown(visitors: Uint8Array, visitCounts: Int32Array, visits: Uint8Array): void {
  let visit = 0
  for (let visitor = 0; visitor < visitors.length; visitor++) {
    const isMatching = visitors[visitor] as number
    for (const end = visit + (visitCounts[visitor] as number); visit < end; visit++)
      visits[visit] = (visits[visit] as number) & isMatching
  }
}

/** Only visitors with a matching visit match. */
function passUp(visits: Uint8Array, visitCounts: Int32Array, visitors: Uint8Array): void {
  let visit = 0
  for (let visitor = 0; visitor < visitors.length; visitor++) {
    let isMatching = 0
    for (const end = visit + (visitCounts[visitor] as number); visit < end; visit++)
      isMatching |= visits[visit] as number
    visitors[visitor] = isMatching
  }
}

/** With any condition, a visit matches only if it has a matching hit. */
function matchHits(
  columns: PartColumns,
  conditions: readonly FilterCondition[],
  visits: Uint8Array,
): Uint8Array | undefined {
  if (conditions.length === 0) return undefined
  const { hitCounts } = columns
  const pageIds = findMatchingIds(conditions, 'page')
  const eventIds = findMatchingIds(conditions, 'event')
  if (pageIds === undefined && eventIds === undefined) {
    for (let visit = 0; visit < visits.length; visit++) if (hitCounts[visit] === 0) visits[visit] = 0
    return undefined
  }
  const { isCustom } = columns
  const hits = new Uint8Array(columns.sizes.hits).fill(1)
  if (pageIds !== undefined) {
    const column = columns.readDimension('page')
    if (column === undefined) hits.fill(0)
    else matchCodes(hits, column, pageIds)
  }
  if (eventIds !== undefined) matchEvents(hits, isCustom, columns.readDimension('event'), eventIds)
  const mustHaveEvent = selectsByEvent(conditions)
  let hit = 0
  for (let visit = 0; visit < visits.length; visit++) {
    const firstHit = hit
    let isMatching = 0
    for (const end = hit + (hitCounts[visit] as number); hit < end; hit++)
      isMatching |= (hits[hit] as number) & (mustHaveEvent ? (isCustom[hit] as number) : 1)
    visits[visit] = (visits[visit] as number) & isMatching
    if (visits[visit] === 0) hits.fill(0, firstHit, hit)
  }
  return hits
}

/** A condition on the event doesn't exclude page views. */
function matchEvents(
  hits: Uint8Array,
  isCustom: Int32Array,
  column: CodedColumn | undefined,
  ids: ReadonlySet<number>,
): void {
  const isMatching = column === undefined ? undefined : findMatchingCodes(column, ids)
  for (let hit = 0; hit < hits.length; hit++) {
    if (isCustom[hit] === 0) continue
    hits[hit] = (hits[hit] as number) & (isMatching?.[column?.codes[hit] as number] ?? 0)
  }
}
