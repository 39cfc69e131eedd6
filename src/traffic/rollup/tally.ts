/** What days came to, as differences: how much more there is of each value than before. */
import { type Dimension, type VisitDimension, visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import { type EventWithIds, isBounce, type VisitRecord } from './visits.ts'

export interface DayTotals {
  visitors: number
  views: number
  visits: number
  bounces: number
  durationMs: number
  events: number
}

export class DayTally {
  readonly websiteId: number
  readonly day: string
  readonly totals: DayTotals = { visitors: 0, views: 0, visits: 0, bounces: 0, durationMs: 0, events: 0 }
  readonly counts = new Map<Dimension, Map<number, number>>()

  constructor(websiteId: number, day: string) {
    this.websiteId = websiteId
    this.day = day
  }

  add(dimension: Dimension, value: number, count: number): void {
    const counts = this.counts.getOrInsertComputed(dimension, () => new Map())
    counts.set(value, (counts.get(value) ?? 0) + count)
  }

  /** What counts by itself, whoever did it. */
  addEvent({ kind, hour, name, page }: EventWithIds): void {
    if (kind === 'view') {
      this.totals.views++
      this.add('page', page, 1)
      this.add('view_hours', hour, 1)
    } else if (kind === 'custom') {
      this.totals.events++
      this.add('event', name, 1)
    }
  }

  /** What a visitor's visits came to: with -1 before they change, with 1 afterwards. */
  addVisits(visits: readonly VisitRecord[], sign: 1 | -1): void {
    const [first] = visits
    if (first === undefined) return
    this.totals.visitors += sign
    this.totals.visits += sign * visits.length
    let hours = 0
    for (const visit of visits) {
      hours |= visit.hours
      this.totals.durationMs += sign * (visit.lastAt - visit.startedAt)
      if (isBounce(visit)) this.totals.bounces += sign
    }
    for (let hour = 0; hours >> hour !== 0; hour++) if ((hours >> hour) & 1) this.add('visitor_hours', hour, sign)
    for (const name of visitorDimensions) this.#addOnce(name, first[name], sign)
    for (const name of visitDimensions) this.#addEach(name, visits, sign)
  }

  /** Each value once, however many visits have it. There are few visits. */
  #addEach(name: VisitDimension, visits: readonly VisitRecord[], sign: 1 | -1): void {
    for (let index = 0; index < visits.length; index++) {
      const value = (visits[index] as VisitRecord)[name]
      let isFirst = true
      for (let earlier = 0; earlier < index; earlier++) {
        if ((visits[earlier] as VisitRecord)[name] === value) isFirst = false
      }
      if (isFirst) this.#addOnce(name, value, sign)
    }
  }

  #addOnce(name: Dimension, value: number, sign: 1 | -1): void {
    if (value !== 0) this.add(name, value, sign)
  }
}
