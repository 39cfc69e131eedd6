/** Compares the statistics with those of an earlier period. */
import { DAY_MS, HOUR_MS } from '../../../src/shared/time.ts'
import { formatLocalTime, getLocalTime } from './calendar.ts'
import type { Statistics } from './queries.ts'
import { formatDays } from './slots.ts'

/** Smaller changes are neither good nor bad. */
const MIN_JUDGED_PERCENT = 1

export function judgeChange(
  percent: number,
  { isLowerBetter, isTooEarly }: { isLowerBetter: boolean; isTooEarly: boolean },
): 'good' | 'bad' | 'neutral' {
  if (isTooEarly || Math.abs(percent) < MIN_JUDGED_PERCENT) return 'neutral'
  return percent > 0 !== isLowerBetter ? 'good' : 'bad'
}

/** null without an earlier value. */
export function computeChange(value: number | null | undefined, previous: number | null | undefined): number | null {
  if (value == null || previous == null || previous === 0) return null
  return (100 * (value - previous)) / previous
}

/** In its first hour, or until its first visit, a day says little about itself. */
export function isTooEarlyToJudge({ from, to, totals, previous, website }: Statistics): boolean {
  if (from !== to || previous === null || previous.until === null) return false
  const { dayFraction } = getLocalTime(website.time_zone, Date.parse(previous.until))
  return totals.visits === 0 || dayFraction * DAY_MS < HOUR_MS
}

/** “1 – 7 Dec 2025”, and for a period that isn't over: “4 Jan 2026, up to 14:05”. */
export function describePrevious({ previous, website: { time_zone: timeZone } }: Statistics): string {
  if (previous === null) return ''
  const days = formatDays(previous)
  if (previous.until === null) return days
  const until = Date.parse(previous.until)
  const isOnLastDay = getLocalTime(timeZone, until).day === previous.to
  return `${days}, up to ${formatLocalTime(timeZone, until, { hasDate: !isOnLastDay })}`
}
