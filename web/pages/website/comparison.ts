/** Compares the statistics with those of an earlier period. */
import { DAY_MS, HOUR_MS } from '../../../src/shared/time.ts'
import { formatDay, formatDays, formatTimeInZone } from '../../lib/format.ts'
import { countDays, type DayRange, getLocalTime } from './calendar.ts'
import type { Statistics } from './queries.ts'

/** Returns null if there is no earlier value. */
export function computeChange(value: number | null | undefined, previous: number | null | undefined): number | null {
  if (value == null || previous == null || previous === 0) return null
  return (100 * (value - previous)) / previous
}

/**
 * Returns the first day with traffic if the earlier period starts before that day. That period then has only partial
 * data.
 */
export function findLateStart({ previous, website: { first_day: firstDay } }: Statistics): string | undefined {
  return previous !== null && firstDay !== null && previous.from < firstDay ? firstDay : undefined
}

/**
 * Whether there is too little data for a comparison. This is the case if traffic began after the start of the earlier
 * period. It is also the case on the current day, in its first hour or before its first visit.
 */
export function isTooEarlyToJudge(statistics: Statistics): boolean {
  const { from, to, totals, previous, website } = statistics
  if (findLateStart(statistics) !== undefined) return true
  if (from !== to || previous === null || previous.until === null) return false
  const { dayFraction } = getLocalTime(website.time_zone, Date.parse(previous.until))
  return totals.visits === 0 || dayFraction * DAY_MS < HOUR_MS
}

/** Empty if the earlier period begins on another weekday. */
function describeSameWeekdays({ from, to }: DayRange, previous: DayRange): string {
  const shiftedDays = countDays({ from: previous.from, to: from }) - 1
  if (shiftedDays % 7 !== 0) return ''
  return from === to ? 'the same weekday, ' : 'the same weekdays, '
}

/**
 * “1 – 31 Dec 2025”, “the same weekdays, 29 Nov – 28 Dec 2025”, and for a period that isn't over: “4 Jan 2026, up to
 * 14:05”.
 */
export function describePrevious(statistics: Statistics): string {
  const { previous, website } = statistics
  const lateStart = findLateStart(statistics)
  if (previous === null) return ''
  const days = `${describeSameWeekdays(statistics, previous)}${formatDays(previous)}`
  if (lateStart !== undefined) {
    return `${days}, which has ${lateStart > previous.to ? 'no data' : `data since ${formatDay(lateStart)}`}`
  }
  if (previous.until === null) return days
  const until = Date.parse(previous.until)
  const { time_zone: timeZone } = website
  const isOnLastDay = getLocalTime(timeZone, until).day === previous.to
  return `${days}, up to ${formatTimeInZone(timeZone, until, { hasDate: !isOnLastDay })}`
}
