/** Generates sample data: realistic events in the order of time. The same seed gives the same data. Memory use is constant. */
import { addDays, type LocalDay, localDay, localDayAt } from '../../lib/local-day.ts'
import { DAY_MS } from '../../shared/time.ts'
import type { TrafficEvent } from '../model/event.ts'
import { drawVisitorCount, generateArrivalTimes } from './arrivals.ts'
import { PriorityQueue } from './priority-queue.ts'
import { type Random, seededRandom } from './random.ts'
import { createPages, createTrafficSources, findDemoAction } from './site.ts'
import { type DemoPickers, DemoVisitor } from './visit.ts'
import { createVisitorPicker } from './visitors.ts'
import { createWeightedPicker, longTailWeight } from './weighted.ts'

const EVENTS_PER_CHUNK = 1_000

export interface DemoTrafficOptions {
  websiteId: number
  /** The host of most visits; the others have `www.` before it. Without it, the host is unknown, as for events of earlier versions. */
  domain?: string
  timeZone: string
  /** Milliseconds since 1970; `to` is excluded. */
  from: number
  to: number
  visitorsPerDay: number
  seed: number
  pageCount?: number
  sourceCount?: number
  countryCount?: number
}

/** The events of a day depend only on the seed and the day, not on where the range begins and ends. */
export function* generateDemoEvents(options: DemoTrafficOptions): Generator<TrafficEvent> {
  const { timeZone, from, to } = options
  const pickers = createPickers(options)
  for (let day = localDayAt(timeZone, from); day.startsAt < to; day = localDay(timeZone, addDays(day.day, 1))) {
    for (const event of generateDayEvents(day, options, pickers)) {
      if (event.at >= to) break
      if (event.at >= from) yield event
    }
  }
}

function createPickers({ pageCount = 40, sourceCount = 20, countryCount = 30 }: DemoTrafficOptions): DemoPickers {
  const demoPages = createPages(pageCount).map((path) => ({ path, ...findDemoAction(path) }))
  return {
    pickPage: createWeightedPicker(demoPages, longTailWeight),
    pickSource: createWeightedPicker(createTrafficSources(sourceCount), ({ weight }) => weight),
    pickVisitor: createVisitorPicker(countryCount),
  }
}

function* generateDayEvents(
  day: LocalDay,
  { websiteId, domain, visitorsPerDay, seed }: DemoTrafficOptions,
  pickers: DemoPickers,
): Generator<TrafficEvent> {
  const random = seededRandom(seed, Math.floor(Date.parse(day.day) / DAY_MS))
  /** Ordered by the time of their next event. */
  const visitors = new PriorityQueue<DemoVisitor>()
  for (const at of generateArrivalTimes(day, drawVisitorCount(day, visitorsPerDay, random), random)) {
    yield* generateEventsUntil(at, visitors, random)
    visitors.push(new DemoVisitor({ websiteId, domain, day, firstEventAt: at, pickers, random }))
  }
  // Visitor ids change every day, so a visitor sends no events after the end of the day.
  yield* generateEventsUntil(day.endsAt, visitors, random)
}

function* generateEventsUntil(
  end: number,
  visitors: PriorityQueue<DemoVisitor>,
  random: Random,
): Generator<TrafficEvent> {
  for (let visitor = visitors.first; visitor !== undefined && visitor.at < end; visitor = visitors.first) {
    yield visitor.nextEvent(random)
    if (visitor.hasLeft) visitors.removeFirst()
    else visitors.reorderFirst()
  }
}

/** `onChunk` receives the time of the chunk's last event. */
export function* splitIntoChunks(
  events: Iterable<TrafficEvent>,
  onChunk?: (lastEventAt: number) => void,
): Generator<TrafficEvent[]> {
  let chunk: TrafficEvent[] = []
  for (const event of events) {
    if (chunk.push(event) < EVENTS_PER_CHUNK) continue
    onChunk?.(event.at)
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
