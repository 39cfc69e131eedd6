/** Finds the windows of a recurring maintenance. This module is pure. */
import { addMs } from '../lib/clock.ts'
import { findNextTime, toLocalDayNumber } from '../lib/cron.ts'
import { type CronCalendar, getCronCalendar } from '../lib/cron-calendar.ts'
import { MINUTE_MS, SECOND_MS } from '../shared/time.ts'

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

/** This many days with windows are compared. That covers more than a year, even if there is a window every day. */
const MAX_COMPARED_DAYS = 400
/** This many clock changes are considered. Most time zones with daylight saving time have them within five years. */
const MAX_CLOCK_CHANGES = 10
const DAY_MINUTES = 1_440

/**
 * Returns the shortest time between the starts of two windows after `from`, in seconds. Infinity if there is only one. It computes
 * with local days and minutes, because finding every window would take 40 ms.
 */
export function findShortestPeriod({ cron, timeZone }: Recurrence, from: Date): number {
  const calendar = getCronCalendar(cron)
  const days = calendar.listDays(toLocalDayNumber(from, timeZone), MAX_COMPARED_DAYS)
  const periods = [
    ...listLocalPeriods(calendar, days),
    ...listClockChanges(timeZone, from).flatMap((change) => listPeriodsAround(change, calendar, days, timeZone)),
  ]
  return periods.reduce((shortest, period) => Math.min(shortest, period), Number.POSITIVE_INFINITY) * 60
}

/** Returns the times between the starts of windows, in minutes of the local clock. */
function listLocalPeriods({ minutesOfDay }: CronCalendar, days: readonly number[]): number[] {
  const [first = 0] = minutesOfDay
  const last = minutesOfDay.at(-1) ?? 0
  const betweenDays = listDifferences(days).map((dayCount) => dayCount * DAY_MINUTES + first - last)
  return days.length === 0 ? [] : [...listDifferences(minutesOfDay), ...betweenDays]
}

const listDifferences = (numbers: readonly number[]) =>
  numbers.slice(1).map((number, index) => number - (numbers[index] as number))

/** A change of the UTC offset. Local minutes are counted from 1970-01-01 00:00 on the local clock. */
interface ClockChange {
  /** The local minute at which clocks change. */
  before: number
  /** The local minute to which clocks change. */
  after: number
}

function listClockChanges(timeZone: string, from: Date): ClockChange[] {
  const changes: ClockChange[] = []
  let next = Temporal.Instant.fromEpochMilliseconds(from.getTime())
    .toZonedDateTimeISO(timeZone)
    .getTimeZoneTransition('next')
  while (next !== null && changes.length < MAX_CLOCK_CHANGES) {
    const { epochMilliseconds, offsetNanoseconds } = next
    const previousOffset = next.subtract({ nanoseconds: 1 }).offsetNanoseconds
    const toLocalMinute = (offset: number) => (epochMilliseconds + offset / 1e6) / MINUTE_MS
    changes.push({ before: toLocalMinute(previousOffset), after: toLocalMinute(offsetNanoseconds) })
    next = next.getTimeZoneTransition('next')
  }
  return changes
}

/** Returns the times between windows around a clock change, in minutes. */
function listPeriodsAround(
  { before, after }: ClockChange,
  { minutesOfDay, isFixedTime }: CronCalendar,
  days: readonly number[],
  timeZone: string,
): number[] {
  const isBefore = (day: number) => day * DAY_MINUTES < before
  const nearDays = [...days.filter(isBefore).slice(-2), ...days.filter((day) => !isBefore(day)).slice(0, 2)]
  const starts = nearDays.flatMap((day) => minutesOfDay.map((minute) => day * DAY_MINUTES + minute))
  if (after < before) {
    // When clocks go back, some local times occur twice. Windows start twice then, unless the expression has only one time of day.
    const repeated = starts.filter((start) => start >= after && start < before)
    if (isFixedTime || repeated.length === 0) return []
    return [before - after - ((repeated.at(-1) as number) - (repeated[0] as number))]
  }
  // When clocks go forward, some local times don't exist. If the expression has only one time of day, its window starts at the change.
  // Otherwise, the window is skipped.
  const isMoved = isFixedTime && starts.some((start) => start >= before && start < after)
  const startsAround = [
    ...starts.filter((start) => start < before).slice(-1),
    ...(isMoved ? [after] : []),
    ...starts.filter((start) => start >= after).slice(0, 1),
  ]
  return listDifferences(startsAround.map((start) => toRealMinute(start, timeZone)))
}

function toRealMinute(localMinute: number, timeZone: string): number {
  const localTime = Temporal.Instant.fromEpochMilliseconds(localMinute * MINUTE_MS).toZonedDateTimeISO('UTC')
  return localTime.toPlainDateTime().toZonedDateTime(timeZone).epochMilliseconds / MINUTE_MS
}
