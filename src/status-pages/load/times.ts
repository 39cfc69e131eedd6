/** The periods that a page shows, relative to one moment. */
import { addMs } from '../../lib/clock.ts'
import { getResponseHours, type ResponseHours } from '../../overview/response-times.ts'
import { STATUS_PAGE_DAYS } from '../../shared/status-pages.ts'
import { DAY_MS } from '../../shared/time.ts'
import { PLANNED_MAINTENANCE_DAYS, RECENT_DAYS } from './limits.ts'

/**
 * Read more history than is shown, because the page's time zone is not known yet. A local day begins less than a day
 * before or after the UTC day with the same date.
 */
const EXTRA_DAYS = 2

export interface SnapshotTimes {
  now: Date
  historyFrom: Date
  recentFrom: Date
  plannedUntil: Date
  responseHours: ResponseHours
}

export function toSnapshotTimes(now: Date): SnapshotTimes {
  return {
    now,
    historyFrom: addMs(now, -(STATUS_PAGE_DAYS + EXTRA_DAYS) * DAY_MS),
    recentFrom: addMs(now, -RECENT_DAYS * DAY_MS),
    plannedUntil: addMs(now, PLANNED_MAINTENANCE_DAYS * DAY_MS),
    responseHours: getResponseHours(now),
  }
}
