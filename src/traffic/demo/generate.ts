/** Generates sample data: realistic events in the order of time. The same seed gives the same data. Memory use is constant. */
import { addDays, type LocalDay, localDay, localDayAt } from '../../lib/local-day.ts'
import { DAY_MS } from '../../shared/time.ts'
import type { TrafficEvent } from '../model/event.ts'
import { countVisitorsOn, generateArrivalTimes } from './arrivals.ts'
import { PriorityQueue } from './priority-queue.ts'
import { type Random, seededRandom } from './random.ts'
import { createPages, createTrafficSources, findDemoAction } from './site.ts'
import { type DemoPickers, DemoVisit } from './visit.ts'
import { createVisitorPicker } from './visitors.ts'
import { createWeightedPicker, longTailWeight } from './weighted.ts'

export interface DemoTrafficOptions {
  websiteId: number
  timeZone: string
  /** Milliseconds since 1970; `to` is excluded. */
  from: number
  to: number
  visitorsPerDay: number
  seed: number
  /** How many different pages, sources and countries there are. */
  pages?: number
  sources?: number
  countries?: number
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

function createPickers({ pages = 40, sources = 20, countries = 30 }: DemoTrafficOptions): DemoPickers {
  const demoPages = createPages(pages).map((path) => ({ path, ...findDemoAction(path) }))
  return {
    pickPage: createWeightedPicker(demoPages, longTailWeight),
    pickSource: createWeightedPicker(createTrafficSources(sources), ({ weight }) => weight),
    pickVisitor: createVisitorPicker(countries),
  }
}

function* generateDayEvents(
  day: LocalDay,
  { websiteId, visitorsPerDay, seed }: DemoTrafficOptions,
  pickers: DemoPickers,
): Generator<TrafficEvent> {
  const random = seededRandom(seed, Math.floor(Date.parse(day.day) / DAY_MS))
  /** Ordered by the time of their next event. */
  const visits = new PriorityQueue<DemoVisit>()
  for (const at of generateArrivalTimes(day, countVisitorsOn(day, visitorsPerDay, random), random)) {
    yield* generateEventsUntil(at, visits, random)
    visits.push(new DemoVisit({ websiteId, day, at, pickers, random }))
  }
  // A visitor is known for one day only, so visits end with the day.
  yield* generateEventsUntil(day.endsAt, visits, random)
}

function* generateEventsUntil(end: number, visits: PriorityQueue<DemoVisit>, random: Random): Generator<TrafficEvent> {
  for (let visit = visits.first; visit !== undefined && visit.at < end; visit = visits.first) {
    yield visit.nextEvent(random)
    if (visit.isOver) visits.removeFirst()
    else visits.reorderFirst()
  }
}
