/**
 * Reads all events of a website in the order of time, from rows and from blocks. A block is sorted by visitor, so this reads one
 * window of time after the other, and decodes every block that has events in the window. Nearly always, a window is one day
 * with one block.
 */
import { DAY_MS } from '../../../shared/time.ts'
import type { TransactionQueries } from '../../../storage/transaction.ts'
import { type BlockSpan, listBlockSpans, readStoredDays } from '../../blocks/block-store.ts'
import { listRowVisitors } from '../../blocks/row-store.ts'
import type { OrphanEvent, TrafficPart } from '../../blocks/traffic-part.ts'
import { visitOriginDimensions, visitorDimensions } from '../../model/dimensions.ts'
import { eventKinds } from '../../model/event.ts'
import type { WebsiteDays } from '../../stats/store.ts'
import { readStoredPart } from '../day-parts.ts'
import { type EventSpan, type EventWindow, type ExportedEvent, findRowSpan, readRowEvents } from './export-store.ts'

/** Windows are so short that they have about this many events in blocks, which take 30 MB. */
const MAX_EVENTS_PER_WINDOW = 100_000

/**
 * Yields about `chunkSize` events at a time. Events of the same visitor and millisecond are in the order in which they were
 * written. `q` must be a transaction that reads one snapshot.
 */
export async function* readExportedEvents(
  q: TransactionQueries,
  days: WebsiteDays,
  chunkSize: number,
): AsyncGenerator<ExportedEvent[]> {
  const rowSpan = await findRowSpan(q, days)
  const blocks = await listBlockSpans(q, days)
  const rowVisitorsByDay = await readRowVisitorsByDay(q, days, blocks)
  for (const window of listWindows(blocks, rowSpan)) {
    const blockEvents: ExportedEvent[] = []
    for (const block of blocks.filter((span) => overlaps({ first: span.firstEventAt, last: span.lastEventAt }, window)))
      collectEvents(await readStoredPart(q, block, rowVisitorsByDay.get(block.day)), block.day, window, blockEvents)
    // The sort is stable, so events of the same millisecond stay in the order of visitor and visit.
    blockEvents.sort((one, other) => one.at_ms - other.at_ms)
    if (rowSpan !== undefined && overlaps(rowSpan, window))
      yield* mergeByTime(blockEvents, readRowEvents(q, days, window, chunkSize), chunkSize)
    else yield* chunk(blockEvents, chunkSize)
  }
}

/** The visitors to skip in the blocks of each day that has rows, too. */
async function readRowVisitorsByDay(
  q: TransactionQueries,
  days: WebsiteDays,
  blocks: readonly BlockSpan[],
): Promise<Map<string, Float64Array>> {
  const visitorsByDay = new Map<string, Float64Array>()
  const daysWithBlocks = new Set(blocks.map(({ day }) => day))
  for (const { day, hasRows } of await readStoredDays(q, days)) {
    if (!hasRows || !daysWithBlocks.has(day)) continue
    visitorsByDay.set(day, await listRowVisitors(q, { websiteId: days.websiteId, day }))
  }
  return visitorsByDay
}

const overlaps = ({ first, last }: EventSpan, { from, to }: EventWindow) => first < to && last >= from

/** A window begins where a day's blocks begin. Windows with many events, and windows of several days with rows, are divided. */
export function listWindows(blocks: readonly BlockSpan[], rowSpan: EventSpan | undefined): EventWindow[] {
  const spans = blocks.map(({ firstEventAt, lastEventAt, weight }) => ({
    first: firstEventAt,
    last: lastEventAt,
    weight,
  }))
  const daySpans = Map.groupBy(blocks, ({ day }) => day).values()
  const dayStarts = [...daySpans].map((parts) => Math.min(...parts.map(({ firstEventAt }) => firstEventAt)))
  const starts = [...new Set([...dayStarts, ...(rowSpan === undefined ? [] : [rowSpan.first])])].sort((a, b) => a - b)
  const end = Math.max(...spans.map(({ last }) => last), rowSpan?.last ?? Number.NEGATIVE_INFINITY) + 1
  return starts.flatMap((from, index) => {
    const window = { from, to: starts[index + 1] ?? end }
    const weight = spans.reduce((sum, span) => sum + span.weight * getShare(span, window), 0)
    const hasRows = rowSpan !== undefined && overlaps(rowSpan, window)
    const lengthMs = window.to - window.from
    return divide(window, Math.max(weight / MAX_EVENTS_PER_WINDOW, hasRows ? lengthMs / DAY_MS : 0))
  })
}

/** The share of the span that is in the window. */
function getShare({ first, last }: EventSpan, { from, to }: EventWindow): number {
  return Math.max(0, Math.min(last + 1, to) - Math.max(first, from)) / (last + 1 - first)
}

/** Divides the window into `minCount` windows, rounded up. */
function divide({ from, to }: EventWindow, minCount: number): EventWindow[] {
  const count = Math.max(1, Math.ceil(minCount))
  const limits = Array.from({ length: count + 1 }, (_, index) => from + Math.round(((to - from) * index) / count))
  return limits.slice(1).map((limit, index) => ({ from: limits[index] as number, to: limit }))
}

/** Adds the events of the window to `result`. */
function collectEvents(part: TrafficPart, day: string, { from, to }: EventWindow, result: ExportedEvent[]): void {
  const { visitors, visits, events } = part
  const isInWindow = (at: number) => at >= from && at < to
  let [visit, event] = [0, 0]
  for (let visitor = 0; visitor < visitors.ids.length; visitor++) {
    for (const lastVisit = visit + (visitors.visitCounts[visitor] as number); visit < lastVisit; visit++) {
      for (const end = event + (visits.eventCounts[visit] as number); event < end; event++)
        if (isInWindow(events.at[event] as number)) result.push(toExportedEvent(part, { day, visitor, visit, event }))
    }
  }
  for (const orphan of part.orphans) if (isInWindow(orphan.at)) result.push(toExportedOrphan(orphan, day))
}

const toNullable = (id: number) => (id === 0 ? null : id)

interface EventPosition {
  day: string
  visitor: number
  visit: number
  event: number
}

function toExportedEvent(
  { visitors, visits, events }: TrafficPart,
  { day, visitor, visit, event }: EventPosition,
): ExportedEvent {
  const engagedMs = events.engagedMs[event] as number
  const exportedEvent: ExportedEvent = {
    ...unknownVisit,
    at_ms: events.at[event] as number,
    day,
    hour: events.hours[event] as number,
    kind: events.kinds[event] as number,
    visitor: visitors.ids[visitor] as number,
    visit_id: visits.ids[visit] as number,
    page: toNullable(events.pages[event] as number),
    name: toNullable(events.names[event] as number),
    engaged_ms: engagedMs === -1 ? null : engagedMs,
    props: events.props?.[event] ?? null,
    is_passive: events.kinds[event] === eventKinds.custom && visits.actions[visit] === 0,
  }
  for (const name of visitOriginDimensions) exportedEvent[name] = toNullable(visits.values[name][visit] as number)
  for (const name of visitorDimensions) exportedEvent[name] = toNullable(visitors.values[name][visitor] as number)
  return exportedEvent
}

const unknownVisit = Object.fromEntries(
  [...visitOriginDimensions, ...visitorDimensions].map((name) => [name, null]),
) as Record<(typeof visitOriginDimensions | typeof visitorDimensions)[number], null>

function toExportedOrphan({ at, hour, kind, page, name, engagedMs, props }: OrphanEvent, day: string): ExportedEvent {
  return {
    ...unknownVisit,
    at_ms: at,
    day,
    hour,
    kind,
    visitor: null,
    visit_id: null,
    page: toNullable(page),
    name: toNullable(name),
    engaged_ms: engagedMs,
    props,
    is_passive: false,
  }
}

function* chunk(events: readonly ExportedEvent[], size: number): Generator<ExportedEvent[]> {
  for (let first = 0; first < events.length; first += size) yield events.slice(first, first + size)
}

/** Both sources are in the order of time. */
async function* mergeByTime(
  blockEvents: readonly ExportedEvent[],
  rowChunks: AsyncIterable<ExportedEvent[]>,
  chunkSize: number,
): AsyncGenerator<ExportedEvent[]> {
  let next = 0
  for await (const rows of rowChunks) {
    const merged: ExportedEvent[] = []
    for (const row of rows) {
      for (; next < blockEvents.length && (blockEvents[next] as ExportedEvent).at_ms < row.at_ms; next++)
        merged.push(blockEvents[next] as ExportedEvent)
      merged.push(row)
    }
    yield* chunk(merged, chunkSize)
  }
  yield* chunk(blockEvents.slice(next), chunkSize)
}
