/**
 * Computes what a batch of events changes: groups the events of a visitor's day into visits, and tallies by how much
 * the totals and counts of the day change. These rules are pure functions; `store.ts` has the SQL.
 */
import { type CountColumn, visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import type { TrafficEvent } from '../model/event.ts'
import { encodeVisitSlot, findFirstSlotAt } from '../model/visit-slots.ts'
import type { EventWithIds, ValueIds } from './value-ids.ts'

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

/** After this long without an event, the visitor's next event begins a new visit. */
const VISIT_TIMEOUT_MS = 30 * 60_000

const LANDING_PAGE_INDEX = visitDimensions.indexOf('landing_page')
const EXIT_PAGE_INDEX = visitDimensions.indexOf('exit_page')

/** A row of `visits`. */
export interface VisitRecord {
  /** 0 if the visit is not stored yet. */
  id: number
  startedAt: number
  lastAt: number
  views: number
  /** The number of custom events that the visitor caused, which excludes passive ones. */
  actions: number
  /** Bit n is set if the visit has a page view or custom event in hour n of the day. */
  hourBits: number
  /** In the order of `visitDimensions`. 0 stands for an unknown value. */
  visitValues: number[]
  /** In the order of `visitorDimensions`. */
  visitorValues: readonly number[]
}

/**
 * Adds an event to `visits`, which has a visitor's visits of the day, oldest first. Returns the visit that the event belongs to.
 * An event that arrives late joins the last visit. An engagement (time spent on a page) never begins a visit: if the last visit
 * is too old or there is none, the engagement belongs to a page view of the day before, and the result is undefined.
 */
export function addEventToVisits(visits: VisitRecord[], event: EventWithIds): VisitRecord | undefined {
  const lastVisit = visits.at(-1)
  const continuesLastVisit = lastVisit !== undefined && event.at - lastVisit.lastAt < VISIT_TIMEOUT_MS
  if (event.kind === 'engagement' && !continuesLastVisit) return undefined
  const visit = continuesLastVisit ? lastVisit : beginVisit(visits, event)
  visit.lastAt = Math.max(visit.lastAt, event.at)
  if (event.kind === 'engagement') return visit
  visit.hourBits |= 1 << event.hour
  if (event.kind === 'view') {
    visit.views++
    visit.visitValues[LANDING_PAGE_INDEX] ||= event.pageId
    visit.visitValues[EXIT_PAGE_INDEX] = event.pageId
  } else if (!event.isPassive) {
    visit.actions++
  }
  return visit
}

function beginVisit(visits: VisitRecord[], event: EventWithIds): VisitRecord {
  // The first visit decides the visitor's values for the whole day, so that a visitor counts for one country a day, one
  // browser a day, and so on.
  const { visitorValues } = visits[0] ?? event
  const visit: VisitRecord = {
    id: 0,
    startedAt: event.at,
    lastAt: event.at,
    views: 0,
    actions: 0,
    hourBits: 0,
    visitValues: [...event.visitValues],
    visitorValues,
  }
  visits.push(visit)
  return visit
}

/** A visit without a page view has only custom events. It is a bounce if the visitor caused none of them. */
export function isBounce({ views, actions }: VisitRecord): boolean {
  return views <= 1 && actions === 0
}

export interface DayTotals {
  visitors: number
  views: number
  visits: number
  bounces: number
  durationMs: number
  events: number
}

const HOSTNAME_INDEX = visitDimensions.indexOf('hostname')

export class DayTally {
  readonly websiteId: number
  readonly day: string
  readonly totals: DayTotals = { visitors: 0, views: 0, visits: 0, bounces: 0, durationMs: 0, events: 0 }
  readonly counts = new Map<CountColumn, Map<number, number>>()
  readonly #firstSlotAt: number

  constructor(websiteId: number, day: string) {
    this.websiteId = websiteId
    this.day = day
    this.#firstSlotAt = findFirstSlotAt(day)
  }

  addCount(column: CountColumn, value: number, count: number): void {
    const counts = this.counts.getOrInsertComputed(column, () => new Map())
    counts.set(value, (counts.get(value) ?? 0) + count)
  }

  /** Counts the page view or custom event itself. `addVisits` counts everything that depends on the visitor. */
  addEvent({ kind, hour, eventNameId, pageId }: EventWithIds): void {
    if (kind === 'view') {
      this.totals.views++
      this.addCount('page', pageId, 1)
      this.addCount('view_hours', hour, 1)
    } else if (kind === 'custom') {
      this.totals.events++
      this.addCount('event', eventNameId, 1)
    }
  }

  /** Counts all visits of one visitor on this day. When visits change, call it with -1 before the change and 1 after it. */
  addVisits(visits: readonly VisitRecord[], sign: 1 | -1): void {
    const [firstVisit] = visits
    if (firstVisit === undefined) return
    this.totals.visitors += sign
    this.totals.visits += sign * visits.length
    let hourBits = 0
    for (const visit of visits) {
      hourBits |= visit.hourBits
      this.totals.durationMs += sign * (visit.lastAt - visit.startedAt)
      if (isBounce(visit)) this.totals.bounces += sign
    }
    for (let hour = 0; hourBits >> hour !== 0; hour++)
      if ((hourBits >> hour) & 1) this.addCount('visitor_hours', hour, sign)
    for (const [index, name] of visitorDimensions.entries()) {
      const value = firstVisit.visitorValues[index] as number
      if (value !== 0) this.addCount(name, value, sign)
    }
    for (let index = 0; index < visitDimensions.length; index++) this.#addVisitValues(index, visits, sign)
  }

  /** Counts when and on which host the new visits began. That never changes, so stored visits have been counted already. */
  addNewVisits(visits: readonly VisitRecord[]): void {
    for (const { id, startedAt, visitValues } of visits) {
      if (id !== 0) continue
      const hostnameId = visitValues[HOSTNAME_INDEX] as number
      this.addCount('visit_slots', encodeVisitSlot(hostnameId, startedAt, this.#firstSlotAt), 1)
    }
  }

  /** Counts each value once per visitor and day, even if several visits have it. A visitor has few visits a day, so comparing pairs is fast. */
  #addVisitValues(dimensionIndex: number, visits: readonly VisitRecord[], sign: 1 | -1): void {
    for (let index = 0; index < visits.length; index++) {
      const value = (visits[index] as VisitRecord).visitValues[dimensionIndex] as number
      let isFirst = value !== 0
      for (let earlier = 0; earlier < index; earlier++) {
        if ((visits[earlier] as VisitRecord).visitValues[dimensionIndex] === value) isFirst = false
      }
      if (isFirst) this.addCount(visitDimensions[dimensionIndex] as (typeof visitDimensions)[number], value, sign)
    }
  }
}
