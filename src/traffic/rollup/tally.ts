/** Tallies by how much rolled-up events change the totals and counts of a day. */
import { type CountColumn, visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import { encodeVisitSlot, findFirstSlotAt } from '../model/visit-slots.ts'
import { type EventWithIds, isBounce, type VisitRecord } from './visits.ts'

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
