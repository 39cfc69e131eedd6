/** Generates sample data: realistic events in the order of time. The same seed gives the same data. Memory use is constant. */
import { addDays, countHours, type LocalDay, localDay, localDayAt } from '../../lib/local-day.ts'
import { DAY_MS, HOUR_MS } from '../../shared/time.ts'
import type { TrafficEvent } from '../model/event.ts'
import { type Random, seededRandom } from './random.ts'
import { createPages, createTrafficSources, findDemoAction } from './site.ts'
import { type DemoPickers, DemoVisitor } from './visit.ts'
import { createVisitorPicker } from './visitors.ts'
import { createWeightedPicker, longTailWeight } from './weighted.ts'

const EVENTS_PER_CHUNK = 1_000

export interface DemoTrafficOptions {
  websiteId: number
  /** The host of most visits; the others have `www.` before it. If undefined, hosts are unknown, as in events of Belfry 0.2.0. */
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

/** The relative number of arrivals in each hour of the day: few at night, most in the late morning and in the evening. */
const hourWeights = [9, 6, 4, 3, 3, 5, 10, 20, 35, 48, 55, 56, 50, 48, 52, 53, 50, 45, 42, 45, 48, 44, 32, 18]
/** From Monday to Sunday; the average is 1. */
const weekdayFactors = [1.12, 1.18, 1.17, 1.12, 1.0, 0.68, 0.73]

/** The number of visitors varies by weekday, and by up to 10 % at random. */
function drawVisitorCount({ day }: LocalDay, visitorsPerDay: number, random: Random): number {
  const weekday = Temporal.PlainDate.from(day).dayOfWeek - 1
  return Math.round(visitorsPerDay * (weekdayFactors[weekday] as number) * (0.9 + 0.2 * random()))
}

/** Yields the arrival times in ascending order, without holding all of them in memory. */
function* generateArrivalTimes(day: LocalDay, visitorCount: number, random: Random): Generator<number> {
  const weights = Array.from({ length: countHours(day) }, (_, hour) => hourWeights[hour % 24] as number)
  let weightLeft = weights.reduce((sum, weight) => sum + weight, 0)
  let visitorsLeft = visitorCount
  for (const [hour, weight] of weights.entries()) {
    const arrivalCount = Math.min(visitorsLeft, Math.round((visitorsLeft * weight) / weightLeft))
    const startsAt = day.startsAt + hour * HOUR_MS
    yield* generateRandomTimes(startsAt, Math.min(startsAt + HOUR_MS, day.endsAt), arrivalCount, random)
    visitorsLeft -= arrivalCount
    weightLeft -= weight
  }
}

/** Yields uniformly distributed times in ascending order, by repeatedly drawing the smallest of the remaining ones. */
function* generateRandomTimes(from: number, to: number, count: number, random: Random): Generator<number> {
  let at = from
  for (let remainingCount = count; remainingCount > 0; remainingCount--) {
    at += (to - at) * (1 - random() ** (1 / remainingCount))
    yield Math.min(Math.floor(at), to - 1)
  }
}

/**
 * A binary heap: the item with the smallest `at` is first.
 *
 * A seed must always generate the same sample data. Visitors with the same `at` draw random numbers in the order in which
 * the heap returns them, and a heap from a package may return them in another order. tinyqueue 3.0 would not be faster,
 * either: two million operations took 0.45 s with it and 0.41 s here.
 */
class PriorityQueue<T extends { at: number }> {
  readonly #items: T[] = []

  get first(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    const items = this.#items
    let index = items.push(item) - 1
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = items[parentIndex] as T
      if (parent.at <= item.at) break
      items[index] = parent
      index = parentIndex
    }
    items[index] = item
  }

  /** Call it after the time of the first item has changed. */
  reorderFirst(): void {
    const items = this.#items
    const item = items[0] as T
    let index = 0
    for (;;) {
      let childIndex = 2 * index + 1
      if (childIndex >= items.length) break
      if (childIndex + 1 < items.length && (items[childIndex + 1] as T).at < (items[childIndex] as T).at) childIndex++
      const child = items[childIndex] as T
      if (child.at >= item.at) break
      items[index] = child
      index = childIndex
    }
    items[index] = item
  }

  removeFirst(): void {
    const last = this.#items.pop() as T
    if (this.#items.length === 0) return
    this.#items[0] = last
    this.reorderFirst()
  }
}
