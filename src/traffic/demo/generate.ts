/** Traffic that never was: believable, in the order of time, the same for the same seed, and without growing in memory. */
import { addDays, type LocalDay, localDay, localDayOf } from '../../lib/local-day.ts'
import type { TrafficEvent } from '../model/event.ts'
import { arrivalTimes, countVisitorsOn } from './arrivals.ts'
import { PriorityQueue } from './priority-queue.ts'
import { type Random, seededRandom } from './random.ts'
import { createPages, createTrafficSources, findDemoAction } from './site.ts'
import { type DemoPickers, DemoVisit } from './visit.ts'
import { createVisitorPicker } from './visitors.ts'
import { createWeightedPicker, longTailWeight } from './weighted.ts'

export interface DemoTrafficOptions {
  websiteId: number
  timeZone: string
  /** From this moment until before that one, in milliseconds since 1970. */
  from: number
  to: number
  visitorsPerDay: number
  seed: number
  /** How many different ones there are. */
  pages?: number
  sources?: number
  countries?: number
}

/** A day's traffic depends on the seed and the day alone, wherever the range begins and ends. */
export function* generateDemoEvents(options: DemoTrafficOptions): Generator<TrafficEvent> {
  const { timeZone, from, to } = options
  const tools = makeTools(options)
  for (let day = localDayOf(timeZone, from); day.startsAt < to; day = localDay(timeZone, addDays(day.day, 1))) {
    for (const event of eventsOfDay(day, options, tools)) {
      if (event.at >= to) break
      if (event.at >= from) yield event
    }
  }
}

function makeTools({ pages = 40, sources = 20, countries = 30 }: DemoTrafficOptions): DemoPickers {
  const all = createPages(pages).map((path) => ({ path, ...findDemoAction(path) }))
  return {
    pickPage: createWeightedPicker(all, longTailWeight),
    pickRoad: createWeightedPicker(createTrafficSources(sources), ({ weight }) => weight),
    pickPerson: createVisitorPicker(countries),
  }
}

function* eventsOfDay(
  day: LocalDay,
  { websiteId, visitorsPerDay, seed }: DemoTrafficOptions,
  tools: DemoPickers,
): Generator<TrafficEvent> {
  const random = seededRandom(seed, Math.floor(Date.parse(day.day) / 86_400_000))
  /** Visits that go on, each by the time of its next event. */
  const visits = new PriorityQueue<DemoVisit>()
  for (const at of arrivalTimes(day, countVisitorsOn(day, visitorsPerDay, random), random)) {
    yield* eventsUntil(at, visits, random)
    visits.push(new DemoVisit({ websiteId, day, at, tools, random }))
  }
  // With the day everybody becomes somebody else.
  yield* eventsUntil(day.endsAt, visits, random)
}

function* eventsUntil(end: number, visits: PriorityQueue<DemoVisit>, random: Random): Generator<TrafficEvent> {
  for (let visit = visits.next; visit !== undefined && visit.at < end; visit = visits.next) {
    yield visit.nextEvent(random)
    if (visit.isOver) visits.shift()
    else visits.sink()
  }
}
