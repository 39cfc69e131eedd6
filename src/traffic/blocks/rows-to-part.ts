/** Turns rows of `visits` and `events` into a part, in any order of the rows. */
import { type VisitDimension, type VisitorDimension, visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import { createTrafficPart, type OrphanEvent, type TrafficPart } from './traffic-part.ts'

/** Rows of `visits`, in columns. */
export interface VisitRows {
  visitors: Float64Array
  ids: Float64Array
  /** Milliseconds since 1970. */
  startedAt: Float64Array
  lastAt: Float64Array
  views: Int32Array
  actions: Int32Array
  hourBits: Int32Array
  values: Record<VisitDimension | VisitorDimension, Int32Array>
}

/** Rows of `events`, in columns. Those of the same visit and millisecond are in the order in which they were written. */
export interface EventRows {
  /** 0 if the event belongs to no visit. */
  visitIds: Float64Array
  kinds: Int32Array
  at: Float64Array
  hours: Int32Array
  pages: Int32Array
  names: Int32Array
  /** -1 if it is unknown. */
  engagedMs: Int32Array
  /** Undefined if no event has properties. */
  props: readonly (string | null)[] | undefined
}

export function buildPart(visitRows: VisitRows, eventRows: EventRows): TrafficPart {
  const visitOrder = sortVisits(visitRows)
  const visitCount = visitOrder.length
  const positions = findVisitPositions(visitRows.ids, visitOrder, eventRows.visitIds)
  const { order: eventOrder, counts, orphanOrder } = sortEvents(positions, eventRows.at, visitCount)
  const part = createTrafficPart(countVisitors(visitRows.visitors, visitOrder), visitCount, eventOrder.length)
  fillVisitors(part, visitRows, visitOrder)
  fillVisits(part, visitRows, visitOrder)
  part.visits.eventCounts = counts
  fillEvents(part, eventRows, eventOrder)
  part.orphans = Array.from(orphanOrder, (row) => toOrphan(eventRows, row))
  return part
}

/** Returns the positions of the rows in the order of visitor and visit. PostgreSQL mostly returns them in this order already. */
function sortVisits({ visitors, ids }: VisitRows): Int32Array {
  const order = new Int32Array(ids.length)
  let isSorted = true
  for (let row = 0; row < order.length; row++) {
    order[row] = row
    if (row > 0 && compareVisits(row - 1, row) > 0) isSorted = false
  }
  function compareVisits(one: number, other: number): number {
    return (visitors[one] as number) - (visitors[other] as number) || (ids[one] as number) - (ids[other] as number)
  }
  return isSorted ? order : order.sort(compareVisits)
}

/** Ids in a range up to this size are looked up in an array, which is faster than a Map. */
const MAX_TABLE_RANGE = 2 ** 22

/** For each event, the position of its visit in `visitOrder`, or -1. */
function findVisitPositions(ids: Float64Array, visitOrder: Int32Array, visitIds: Float64Array): Int32Array {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const id of ids) {
    if (id < min) min = id
    if (id > max) max = id
  }
  const positions = new Int32Array(visitIds.length)
  if (ids.length === 0) return positions.fill(-1)
  if (max - min <= MAX_TABLE_RANGE) {
    const table = new Int32Array(max - min + 1)
    for (let position = 0; position < visitOrder.length; position++)
      table[(ids[visitOrder[position] as number] as number) - min] = position + 1
    for (let row = 0; row < visitIds.length; row++) positions[row] = (table[(visitIds[row] as number) - min] ?? 0) - 1
  } else {
    const positionsById = new Map<number, number>()
    for (let position = 0; position < visitOrder.length; position++)
      positionsById.set(ids[visitOrder[position] as number] as number, position)
    for (let row = 0; row < visitIds.length; row++) positions[row] = positionsById.get(visitIds[row] as number) ?? -1
  }
  return positions
}

interface SortedEvents {
  /** Positions of event rows in the order of visit and time. */
  order: Int32Array
  /** Events of each visit. */
  counts: Int32Array
  /** Positions of the rows without a visit, in the order of time. */
  orphanOrder: Int32Array
}

function sortEvents(positions: Int32Array, at: Float64Array, visitCount: number): SortedEvents {
  const counts = new Int32Array(visitCount)
  const orphans: number[] = []
  for (let row = 0; row < positions.length; row++) {
    const position = positions[row] as number
    if (position === -1) orphans.push(row)
    else counts[position] = (counts[position] as number) + 1
  }
  const next = new Int32Array(visitCount)
  for (let visit = 1; visit < visitCount; visit++)
    next[visit] = (next[visit - 1] as number) + (counts[visit - 1] as number)
  const order = new Int32Array(positions.length - orphans.length)
  for (let row = 0; row < positions.length; row++) {
    const position = positions[row] as number
    if (position === -1) continue
    order[next[position] as number] = row
    next[position] = (next[position] as number) + 1
  }
  sortWithinVisits(order, counts, at)
  const compare = (one: number, other: number) => (at[one] as number) - (at[other] as number)
  return { order, counts, orphanOrder: Int32Array.from(orphans).sort(compare) }
}

/** Most visits have their events in order already. */
function sortWithinVisits(order: Int32Array, counts: Int32Array, at: Float64Array): void {
  let from = 0
  for (let visit = 0; visit < counts.length; visit++) {
    const to = from + (counts[visit] as number)
    for (let index = from + 1; index < to; index++) {
      if ((at[order[index] as number] as number) >= (at[order[index - 1] as number] as number)) continue
      order.subarray(from, to).sort((one, other) => (at[one] as number) - (at[other] as number))
      break
    }
    from = to
  }
}

function countVisitors(visitors: Float64Array, visitOrder: Int32Array): number {
  let count = 0
  let previous = Number.NaN
  for (const row of visitOrder) {
    const visitor = visitors[row] as number
    if (visitor !== previous) count++
    previous = visitor
  }
  return count
}

/** Visitor dimensions, such as the browser, are the same in all visits of a visitor on one day. So read them from the first visit. */
function fillVisitors({ visitors }: TrafficPart, rows: VisitRows, visitOrder: Int32Array): void {
  let index = -1
  for (const row of visitOrder) {
    const id = rows.visitors[row] as number
    if (index === -1 || id !== visitors.ids[index]) {
      visitors.ids[++index] = id
      for (const name of visitorDimensions) visitors.values[name][index] = rows.values[name][row] as number
    }
    visitors.visitCounts[index] = (visitors.visitCounts[index] as number) + 1
  }
}

function fillVisits({ visits }: TrafficPart, rows: VisitRows, visitOrder: Int32Array): void {
  for (let index = 0; index < visitOrder.length; index++) {
    const row = visitOrder[index] as number
    visits.ids[index] = rows.ids[row] as number
    visits.startedAt[index] = rows.startedAt[row] as number
    visits.durationMs[index] = (rows.lastAt[row] as number) - (rows.startedAt[row] as number)
    visits.views[index] = rows.views[row] as number
    visits.actions[index] = rows.actions[row] as number
    visits.hourBits[index] = rows.hourBits[row] as number
  }
  for (const name of visitDimensions) pick(rows.values[name], visitOrder, visits.values[name])
}

function fillEvents({ events }: TrafficPart, rows: EventRows, eventOrder: Int32Array): void {
  pick(rows.at, eventOrder, events.at)
  for (const name of ['kinds', 'hours', 'pages', 'names', 'engagedMs'] as const)
    pick(rows[name], eventOrder, events[name])
  const { props } = rows
  if (props === undefined) return
  const texts = Array.from(eventOrder, (row) => props[row] ?? null)
  if (texts.some((text) => text !== null)) events.props = texts
}

function pick<Column extends Int32Array | Float64Array>(from: Column, order: Int32Array, to: Column): void {
  for (let index = 0; index < order.length; index++) to[index] = from[order[index] as number] as number
}

function toOrphan(rows: EventRows, row: number): OrphanEvent {
  const engagedMs = rows.engagedMs[row] as number
  return {
    kind: rows.kinds[row] as number,
    at: rows.at[row] as number,
    hour: rows.hours[row] as number,
    page: rows.pages[row] as number,
    name: rows.names[row] as number,
    engagedMs: engagedMs === -1 ? null : engagedMs,
    props: rows.props?.[row] ?? null,
  }
}
