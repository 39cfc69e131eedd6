/** Visits: a visitor's events of one day without a long pause. Nothing here knows a database. */
import type { VisitorDimension } from '../model/dimensions.ts'
import type { EventKind } from '../model/event.ts'

/** Whoever comes back after this long comes for another visit. */
export const VISIT_TIMEOUT_MS = 30 * 60_000

/** An event whose values have become numbers; 0 is not known. */
export interface EventWithIds extends Record<VisitorDimension, number> {
  kind: EventKind
  at: number
  hour: number
  isPassive: boolean
  page: number
  name: number
  referrer: number
  source: number
  campaign: number
}

export interface VisitRecord extends Record<VisitorDimension, number> {
  /** 0: not written yet. */
  id: number
  startedAt: number
  lastAt: number
  views: number
  actions: number
  /** Bit n: something happened in hour n of the day. */
  hours: number
  landing_page: number
  exit_page: number
  referrer: number
  source: number
  campaign: number
}

/**
 * Adds an event to a visitor's visits of the day, the oldest first, and answers whose it is. What comes late, because two
 * nodes took turns, belongs to the last visit. Looking at a page begins no visit: the page view that did was another day's.
 */
export function addEventToVisits(visits: VisitRecord[], event: EventWithIds): VisitRecord | undefined {
  const last = visits.at(-1)
  const goesOn = last !== undefined && event.at - last.lastAt < VISIT_TIMEOUT_MS
  if (event.kind === 'engagement' && !goesOn) return undefined
  const visit = goesOn ? last : beginVisit(visits, event)
  visit.lastAt = Math.max(visit.lastAt, event.at)
  if (event.kind === 'engagement') return visit
  visit.hours |= 1 << event.hour
  if (event.kind === 'view') {
    visit.views++
    visit.landing_page ||= event.page
    visit.exit_page = event.page
  } else if (!event.isPassive) {
    visit.actions++
  }
  return visit
}

function beginVisit(visits: VisitRecord[], event: EventWithIds): VisitRecord {
  const { referrer, source, campaign } = event
  // For a whole day somebody is where and what they were at first, so that days add up.
  const first = visits[0] ?? event
  const visit: VisitRecord = {
    id: 0,
    startedAt: event.at,
    lastAt: event.at,
    views: 0,
    actions: 0,
    hours: 0,
    landing_page: 0,
    exit_page: 0,
    referrer,
    source,
    campaign,
    country: first.country,
    region: first.region,
    city: first.city,
    language: first.language,
    browser: first.browser,
    os: first.os,
    device: first.device,
    resolution: first.resolution,
  }
  visits.push(visit)
  return visit
}

export function isBounce({ views, actions }: VisitRecord): boolean {
  return views === 1 && actions === 0
}
