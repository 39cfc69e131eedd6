/** Some batches of the inbox, worked out in memory: which visits they make, and how much more there is of everything. */
import type { TrafficEvent } from '../model/event.ts'
import type { Numbering } from './numbering.ts'
import { DayTally } from './tally.ts'
import { addToVisits, type NumberedEvent, type Visit } from './visits.ts'

/** A visitor on one day: the unit of everything that is counted. */
export interface VisitorDay {
  websiteId: number
  day: string
  visitor: number
  events: TrafficEvent[]
  /** Oldest first. */
  visits: Visit[]
}

/** By whom, in the order of time: batches of two nodes, or two that one writes at once, may have changed places. */
export function groupByVisitor(events: readonly TrafficEvent[]): VisitorDay[] {
  const groups = new Map<string, VisitorDay>()
  for (const event of events) {
    const { websiteId, day, visitor } = event
    const make = () => ({ websiteId, day, visitor, events: [], visits: [] })
    groups.getOrInsertComputed(keyOf(event), make).events.push(event)
  }
  const all = [...groups.values()]
  for (const { events } of all) if (events.length > 1) events.sort((one, other) => one.at - other.at)
  return all
}

export function keyOf({ websiteId, day, visitor }: { websiteId: number; day: string; visitor: number }): string {
  return `${visitor} ${day} ${websiteId}`
}

/** An event, its numbers and its visit, as it will be written. */
export interface PlacedEvent {
  sent: TrafficEvent
  numbered: NumberedEvent
  visit: Visit | undefined
}

export interface WorkedOut {
  events: PlacedEvent[]
  days: DayTally[]
}

export function workOut(groups: readonly VisitorDay[], numbering: Numbering): WorkedOut {
  const days = new Map<string, DayTally>()
  const events: PlacedEvent[] = []
  for (const { websiteId, day, events: sent, visits } of groups) {
    const tally = days.getOrInsertComputed(`${day} ${websiteId}`, () => new DayTally(websiteId, day))
    tally.addVisits(visits, -1)
    for (const event of sent) {
      const numbered = numbering.number(event)
      tally.addEvent(numbered)
      events.push({ sent: event, numbered, visit: addToVisits(visits, numbered) })
    }
    tally.addVisits(visits, 1)
  }
  return { events, days: [...days.values()] }
}
