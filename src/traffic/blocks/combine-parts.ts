/** Splits and merges parts of a day. Visitors stay whole. */
import { visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import { markVisitors } from './mark-visitors.ts'
import { createTrafficPart, type OrphanEvent, type TrafficPart } from './traffic-part.ts'

/**
 * Parts have about this many events or fewer, unless one visitor has more. A block of this many events takes about 2 MB, and decoding all
 * of it takes about 60 ms. Counting smaller blocks takes longer.
 */
export const TARGET_EVENTS_PER_PART = 262_144
/**
 * An event counts once more for every 64 bytes of its properties, so a part has at most 16 MB of them. Nearly all events have none or
 * short ones.
 */
const PROPS_BYTES_PER_EVENT = 64
/** If more than this share of a part would be events without a visit, they get parts of their own. */
const MAX_ORPHAN_SHARE = 1 / 16

const weighEvent = (props: string | null | undefined) =>
  props == null ? 1 : 1 + Math.floor(Buffer.byteLength(props) / PROPS_BYTES_PER_EVENT)

/** Where the visits and events of each visitor begin. The last element is the end. */
interface VisitorOffsets {
  visits: Int32Array
  events: Int32Array
}

function findVisitorOffsets({ visitors, visits }: TrafficPart): VisitorOffsets {
  const visitorCount = visitors.ids.length
  const offsets = { visits: new Int32Array(visitorCount + 1), events: new Int32Array(visitorCount + 1) }
  let [visit, event] = [0, 0]
  for (let visitor = 0; visitor < visitorCount; visitor++) {
    const end = visit + (visitors.visitCounts[visitor] as number)
    for (; visit < end; visit++) event += visits.eventCounts[visit] as number
    offsets.visits[visitor + 1] = visit
    offsets.events[visitor + 1] = event
  }
  return offsets
}

/**
 * Splits a part between visitors, so that each result has about as many events as the others and at most `maxEvents`, unless one visitor
 * has more. The first part with visitors has the events without a visit. If there are many, parts without visitors come before it.
 */
export function splitPart(part: TrafficPart, maxEvents: number): TrafficPart[] {
  const orphanWeight = part.orphans.reduce((sum, { props }) => sum + weighEvent(props), 0)
  const hasVisitors = part.visitors.ids.length > 0
  if (hasVisitors && orphanWeight <= maxEvents * MAX_ORPHAN_SHARE) return splitVisitors(part, maxEvents)
  const orphanParts = splitOrphans(part.orphans, maxEvents)
  return hasVisitors ? [...orphanParts, ...splitVisitors({ ...part, orphans: [] }, maxEvents)] : orphanParts
}

function splitVisitors(part: TrafficPart, maxEvents: number): TrafficPart[] {
  const offsets = findVisitorOffsets(part)
  const weights = weighVisitors(part, offsets)
  const weight = weights.at(-1) as number
  const partCount = Math.ceil(weight / maxEvents)
  if (partCount <= 1) return [part]
  const weightPerPart = Math.ceil(weight / partCount)
  const parts: TrafficPart[] = []
  let from = 0
  for (let visitor = 1; visitor <= part.visitors.ids.length; visitor++) {
    const isLast = visitor === part.visitors.ids.length
    const nextWeight = (weights[visitor + 1] as number) - (weights[from] as number)
    if (!isLast && nextWeight <= weightPerPart) continue
    parts.push(sliceVisitors(part, offsets, from, visitor))
    from = visitor
  }
  ;(parts[0] as TrafficPart).orphans = part.orphans
  return parts
}

/** The weight of all events before each visitor. The last element is the weight of all events. */
function weighVisitors({ events: { props } }: TrafficPart, offsets: VisitorOffsets): Int32Array {
  if (props === undefined) return offsets.events
  const weights = new Int32Array(offsets.events.length)
  let [event, weight] = [0, 0]
  for (let visitor = 1; visitor < weights.length; visitor++) {
    for (; event < (offsets.events[visitor] as number); event++) weight += weighEvent(props[event])
    weights[visitor] = weight
  }
  return weights
}

/** Returns parts without visitors. */
function splitOrphans(orphans: readonly OrphanEvent[], maxEvents: number): TrafficPart[] {
  const parts: TrafficPart[] = []
  let [from, weight] = [0, 0]
  for (let event = 0; event < orphans.length; event++) {
    weight += weighEvent(orphans[event]?.props)
    const nextWeight = event + 1 < orphans.length ? weighEvent(orphans[event + 1]?.props) : Number.POSITIVE_INFINITY
    if (weight + nextWeight <= maxEvents) continue
    parts.push({ ...createTrafficPart(0, 0, 0), orphans: orphans.slice(from, event + 1) })
    from = event + 1
    weight = 0
  }
  return parts
}

function sliceVisitors(part: TrafficPart, offsets: VisitorOffsets, from: number, to: number): TrafficPart {
  const [visitFrom, visitTo] = [offsets.visits[from] as number, offsets.visits[to] as number]
  const [eventFrom, eventTo] = [offsets.events[from] as number, offsets.events[to] as number]
  const { visitors, visits, events } = part
  const slice = createTrafficPart(0, 0, 0)
  slice.visitors.ids = visitors.ids.subarray(from, to)
  slice.visitors.visitCounts = visitors.visitCounts.subarray(from, to)
  for (const name of visitorDimensions) slice.visitors.values[name] = visitors.values[name].subarray(from, to)
  for (const name of largeVisitNumbers) slice.visits[name] = visits[name].subarray(visitFrom, visitTo)
  for (const name of smallVisitNumbers) slice.visits[name] = visits[name].subarray(visitFrom, visitTo)
  for (const name of visitDimensions) slice.visits.values[name] = visits.values[name].subarray(visitFrom, visitTo)
  slice.events.at = events.at.subarray(eventFrom, eventTo)
  for (const name of eventNumbers) slice.events[name] = events[name].subarray(eventFrom, eventTo)
  const props = events.props?.slice(eventFrom, eventTo)
  slice.events.props = props?.some((text) => text !== null) ? props : undefined
  return slice
}

/** The columns of visits that are a Float64Array. */
const largeVisitNumbers = ['ids', 'startedAt', 'durationMs'] as const
/** Those that are an Int32Array. */
const smallVisitNumbers = ['views', 'actions', 'hourBits', 'eventCounts'] as const
const visitNumbers = [...largeVisitNumbers, ...smallVisitNumbers]

const eventNumbers = ['kinds', 'hours', 'pages', 'names', 'engagedMs'] as const

/** Merges two parts. If both have a visitor, the result has the visitor of `preferred`. */
export function mergeParts(preferred: TrafficPart, other: TrafficPart): TrafficPart {
  const picks = pickVisitors(preferred.visitors.ids, other.visitors.ids)
  const merged = copyVisitors([preferred, other], picks)
  merged.orphans = [...other.orphans, ...preferred.orphans]
  return merged
}

/** Removes the visits and events of some visitors. `ids` are in ascending order. */
export function removeVisitors(part: TrafficPart, ids: Float64Array): TrafficPart {
  const isRemoved = markVisitors(part.visitors.ids, ids)
  if (!isRemoved.includes(1)) return part
  const remaining = selectVisitors(part, (_, visitor) => isRemoved[visitor] === 0)
  remaining.orphans = part.orphans
  return remaining
}

/** Copies some visitors of a part, without the events that belong to no visit. */
export function selectVisitors(part: TrafficPart, isSelected: (id: number, visitor: number) => boolean): TrafficPart {
  const picks: PickedVisitor[] = []
  for (const [visitor, id] of part.visitors.ids.entries())
    if (isSelected(id, visitor)) picks.push({ source: 0, visitor })
  return copyVisitors([part, createTrafficPart(0, 0, 0)], picks)
}

function copyVisitors(sources: readonly [TrafficPart, TrafficPart], picks: readonly PickedVisitor[]): TrafficPart {
  const offsets = sources.map(findVisitorOffsets) as [VisitorOffsets, VisitorOffsets]
  let [visitCount, eventCount] = [0, 0]
  for (const { source, visitor } of picks) {
    visitCount += countBetween(offsets[source].visits, visitor)
    eventCount += countBetween(offsets[source].events, visitor)
  }
  const copy = createTrafficPart(picks.length, visitCount, eventCount)
  const hasProps = sources.some(({ events }) => events.props !== undefined)
  const props: (string | null)[] = []
  let [visit, event] = [0, 0]
  for (const [index, { source, visitor }] of picks.entries()) {
    const { visits: visitOffsets, events: eventOffsets } = offsets[source]
    copyVisitor(sources[source], visitor, copy, index)
    for (let from = visitOffsets[visitor] as number; from < (visitOffsets[visitor + 1] as number); from++)
      copyVisit(sources[source], from, copy, visit++)
    for (let from = eventOffsets[visitor] as number; from < (eventOffsets[visitor + 1] as number); from++) {
      copyEvent(sources[source], from, copy, event++)
      if (hasProps) props.push(sources[source].events.props?.[from] ?? null)
    }
  }
  if (props.some((text) => text !== null)) copy.events.props = props
  return copy
}

const countBetween = (offsets: Int32Array, index: number) => (offsets[index + 1] as number) - (offsets[index] as number)

interface PickedVisitor {
  /** 0 for the preferred part, 1 for the other one. */
  source: 0 | 1
  visitor: number
}

function pickVisitors(preferredIds: Float64Array, otherIds: Float64Array): PickedVisitor[] {
  const picks: PickedVisitor[] = []
  let [first, second] = [0, 0]
  while (first < preferredIds.length || second < otherIds.length) {
    const preferredId = preferredIds[first] ?? Number.POSITIVE_INFINITY
    const otherId = otherIds[second] ?? Number.POSITIVE_INFINITY
    picks.push(preferredId <= otherId ? { source: 0, visitor: first } : { source: 1, visitor: second })
    if (preferredId <= otherId) first++
    if (otherId <= preferredId) second++
  }
  return picks
}

function copyVisitor(from: TrafficPart, index: number, to: TrafficPart, toIndex: number): void {
  to.visitors.ids[toIndex] = from.visitors.ids[index] as number
  to.visitors.visitCounts[toIndex] = from.visitors.visitCounts[index] as number
  for (const name of visitorDimensions) to.visitors.values[name][toIndex] = from.visitors.values[name][index] as number
}

function copyVisit(from: TrafficPart, index: number, to: TrafficPart, toIndex: number): void {
  for (const name of visitNumbers) to.visits[name][toIndex] = from.visits[name][index] as number
  for (const name of visitDimensions) to.visits.values[name][toIndex] = from.visits.values[name][index] as number
}

function copyEvent(from: TrafficPart, index: number, to: TrafficPart, toIndex: number): void {
  to.events.at[toIndex] = from.events.at[index] as number
  for (const name of eventNumbers) to.events[name][toIndex] = from.events[name][index] as number
}
