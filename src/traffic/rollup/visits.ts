/** Groups the events of a visitor's day into visits. These rules are pure functions; visits-store.ts has the SQL. */
import { visitDimensions } from '../model/dimensions.ts'
import type { EventKind } from '../model/event.ts'

/** After this long without an event, the visitor's next event begins a new visit. */
const VISIT_TIMEOUT_MS = 30 * 60_000

const LANDING_PAGE_INDEX = visitDimensions.indexOf('landing_page')
const EXIT_PAGE_INDEX = visitDimensions.indexOf('exit_page')

/** An event whose values are replaced with ids of `traffic_values`. 0 stands for an unknown value. */
export interface EventWithIds {
  kind: EventKind
  at: number
  hour: number
  isPassive: boolean
  pageId: number
  eventNameId: number
  /**
   * In the order of `visitDimensions`. The landing page and exit page are 0, because a single event can't tell them:
   * `addEventToVisits` sets them in the visit.
   */
  visitValues: readonly number[]
  /** In the order of `visitorDimensions`. */
  visitorValues: readonly number[]
}

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
