/** Finds the windows of a recurring maintenance. This module is pure. */
import { addMs } from '../lib/clock.ts'
import { findNextTime, listNextTimes } from '../lib/cron.ts'
import { SECOND_MS } from '../shared/time.ts'

export interface Recurrence {
  cron: string
  timeZone: string
  durationSeconds: number
  /** No window starts after this time. */
  until: Date | null
}

export interface MaintenanceWindow {
  startsAt: Date
  endsAt: Date
}

/** Returns the first window that starts at `from` or later, or undefined if there is none. */
export function findFirstWindow(recurrence: Recurrence, from: Date): MaintenanceWindow | undefined {
  const startsAt = findNextTime(recurrence.cron, recurrence.timeZone, addMs(from, -1))
  if (startsAt === undefined || (recurrence.until !== null && startsAt > recurrence.until)) return undefined
  return { startsAt, endsAt: addMs(startsAt, recurrence.durationSeconds * SECOND_MS) }
}

/** More than a year of daily windows, so that they include the changes to and from summer time. */
const MAX_COMPARED_WINDOWS = 400

/** Returns the shortest time between the starts of two windows after `from`, in seconds. Infinity if there is only one. */
export function findShortestPeriod({ cron, timeZone }: Recurrence, from: Date): number {
  const times = listNextTimes(cron, timeZone, from, MAX_COMPARED_WINDOWS).map((time) => time.getTime())
  const periods = times.slice(1).map((time, index) => time - (times[index] as number))
  return Math.min(...periods) / SECOND_MS
}
