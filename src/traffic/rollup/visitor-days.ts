/** Some batches of the inbox, worked out in memory: which visits they make, and how much more there is of everything. */
import type { TrafficEvent } from '../model/event.ts'
import { DayTally } from './tally.ts'
import type { ValueIds } from './value-ids.ts'
import { addEventToVisits, type EventWithIds, type VisitRecord } from './visits.ts'

/** A visitor on one day: the unit of everything that is counted. */
export interface VisitorDay {
  websiteId: number
  day: string
  visitor: number
  events: TrafficEvent[]
  /** Oldest first. */
  visits: VisitRecord[]
}

/** By whom, in the order of time: batches of two nodes, or two that one writes at once, may have changed places. */
export function groupByVisitor(events: readonly TrafficEvent[]): VisitorDay[] {
  const groups = new Map<string, VisitorDay>()
  for (const event of events) {
    const { websiteId, day, visitor } = event
    const make = () => ({ websiteId, day, visitor, events: [], visits: [] })
    groups.getOrInsertComputed(visitorDayKey(event), make).events.push(event)
  }
  const all = [...groups.values()]
  for (const { events } of all) if (events.length > 1) events.sort((one, other) => one.at - other.at)
  return all
}

export function visitorDayKey({
  websiteId,
  day,
  visitor,
}: {
  websiteId: number
  day: string
  visitor: number
}): string {
  return `${visitor} ${day} ${websiteId}`
}

/** An event, its numbers and its visit, as it will be written. */
export interface EventWithVisit {
  sent: TrafficEvent
  numbered: EventWithIds
  visit: VisitRecord | undefined
}

export interface RolledUpEvents {
  events: EventWithVisit[]
  days: DayTally[]
}

export function assignVisits(groups: readonly VisitorDay[], numbering: ValueIds): RolledUpEvents {
  const days = new Map<string, DayTally>()
  const events: EventWithVisit[] = []
  for (const { websiteId, day, events: sent, visits } of groups) {
    const tally = days.getOrInsertComputed(`${day} ${websiteId}`, () => new DayTally(websiteId, day))
    tally.addVisits(visits, -1)
    for (const event of sent) {
      const numbered = numbering.number(event)
      tally.addEvent(numbered)
      events.push({ sent: event, numbered, visit: addEventToVisits(visits, numbered) })
    }
    tally.addVisits(visits, 1)
  }
  return { events, days: [...days.values()] }
}
