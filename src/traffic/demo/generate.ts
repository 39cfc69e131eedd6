/** Traffic that never was: believable, in the order of time, the same for the same seed, and without growing in memory. */
import { addDays, type LocalDay, localDay, localDayOf } from '../../lib/local-day.ts'
import type { TrafficEvent } from '../model/event.ts'
import { makePeople } from './people.ts'
import { Queue } from './priority-queue.ts'
import { type Random, seededRandom } from './random.ts'
import { arrivals, visitorsOn } from './rhythm.ts'
import { findAction, makePages, makeRoads } from './site.ts'
import { type Tools, Visit } from './visit.ts'
import { longTail, weightedPick } from './weighted.ts'

export interface GenerateOptions {
  websiteId: number
  timeZone: string
  /** From this moment until before that one, in milliseconds since 1970. */
  from: number
  to: number
  visitorsADay: number
  seed: number
  /** How many different ones there are. */
  pages?: number
  sources?: number
  countries?: number
}

/** A day's traffic depends on the seed and the day alone, wherever the range begins and ends. */
export function* generateEvents(options: GenerateOptions): Generator<TrafficEvent> {
  const { timeZone, from, to } = options
  const tools = makeTools(options)
  for (let day = localDayOf(timeZone, from); day.startsAt < to; day = localDay(timeZone, addDays(day.day, 1))) {
    for (const event of eventsOfDay(day, options, tools)) {
      if (event.at >= to) break
      if (event.at >= from) yield event
    }
  }
}

function makeTools({ pages = 40, sources = 20, countries = 30 }: GenerateOptions): Tools {
  const all = makePages(pages).map((path) => ({ path, ...findAction(path) }))
  return {
    pickPage: weightedPick(all, longTail),
    pickRoad: weightedPick(makeRoads(sources), ({ weight }) => weight),
    pickPerson: makePeople(countries),
  }
}

function* eventsOfDay(
  day: LocalDay,
  { websiteId, visitorsADay, seed }: GenerateOptions,
  tools: Tools,
): Generator<TrafficEvent> {
  const random = seededRandom(seed, Math.floor(Date.parse(day.day) / 86_400_000))
  /** Visits that go on, each by the time of its next event. */
  const visits = new Queue<Visit>()
  for (const at of arrivals(day, visitorsOn(day, visitorsADay, random), random)) {
    yield* eventsUntil(at, visits, random)
    visits.push(new Visit({ websiteId, day, at, tools, random }))
  }
  // With the day everybody becomes somebody else.
  yield* eventsUntil(day.endsAt, visits, random)
}

function* eventsUntil(end: number, visits: Queue<Visit>, random: Random): Generator<TrafficEvent> {
  for (let visit = visits.next; visit !== undefined && visit.at < end; visit = visits.next) {
    yield visit.takeEvent(random)
    if (visit.isOver) visits.shift()
    else visits.sink()
  }
}
