/** Groups events by visitor and day, assigns them to visits, and tallies by how much they change the statistics of each day. */
import type { TrafficEvent } from '../model/event.ts'
import { DayTally } from './tally.ts'
import type { ValueIds } from './value-ids.ts'
import { addEventToVisits, type EventWithIds, type VisitRecord } from './visits.ts'

export interface VisitorDay {
  websiteId: number
  day: string
  visitor: number
  events: TrafficEvent[]
  /** Oldest first. */
  visits: VisitRecord[]
}

/** Sorts each visitor's events by time, because concurrent inserts may have put batches out of order. */
export function groupByVisitorDay(events: readonly TrafficEvent[]): VisitorDay[] {
  const groups = new Map<string, VisitorDay>()
  for (const event of events) {
    const { websiteId, day, visitor } = event
    const create = () => ({ websiteId, day, visitor, events: [], visits: [] })
    groups.getOrInsertComputed(visitorDayKey(event), create).events.push(event)
  }
  const visitorDays = [...groups.values()]
  for (const { events } of visitorDays) if (events.length > 1) events.sort((one, other) => one.at - other.at)
  return visitorDays
}

export function visitorDayKey({ websiteId, day, visitor }: Pick<VisitorDay, 'websiteId' | 'day' | 'visitor'>): string {
  return `${visitor} ${day} ${websiteId}`
}

/** `insertEvents` stores it as a row of the table `events`. */
export interface EventWithVisit {
  event: TrafficEvent
  eventWithIds: EventWithIds
  visit: VisitRecord | undefined
}

export interface RolledUpEvents {
  events: EventWithVisit[]
  tallies: DayTally[]
}

/** Adds each group's events to its visits, which already contain the visits of earlier rollups. */
export function assignVisits(groups: readonly VisitorDay[], valueIds: ValueIds): RolledUpEvents {
  const tallies = new Map<string, DayTally>()
  const eventsWithVisit: EventWithVisit[] = []
  for (const { websiteId, day, events, visits } of groups) {
    const tally = tallies.getOrInsertComputed(`${day} ${websiteId}`, () => new DayTally(websiteId, day))
    tally.addVisits(visits, -1)
    for (const event of events) {
      const eventWithIds = valueIds.toEventWithIds(event)
      tally.addEvent(eventWithIds)
      eventsWithVisit.push({ event, eventWithIds, visit: addEventToVisits(visits, eventWithIds) })
    }
    tally.addVisits(visits, 1)
    tally.addNewVisits(visits)
  }
  return { events: eventsWithVisit, tallies: [...tallies.values()] }
}
