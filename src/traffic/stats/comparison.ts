/** Finds the earlier period that a range is compared with. Pure functions. */
import { countDays } from '../../lib/local-day.ts'
import type { ComparedPeriod } from '../../shared/statistics.ts'
import type { DateRange } from './figures.ts'

export interface Comparison {
  period: ComparedPeriod
  /** Whether Mondays are compared with Mondays. */
  matchesWeekdays: boolean
}

const DAYS_PER_WEEK = 7
/** 52 weeks, which is the number of weeks closest to a year. */
const YEAR_OF_WEEKS_DAYS = 364

/** Returns a function that converts a day of the range to the day that it is compared with. */
export function createDayShift(
  { from, to }: DateRange,
  { period, matchesWeekdays }: Comparison,
): (day: string) => string {
  // Temporal converts 29 February to 28 February.
  const duration =
    period === 'year' && !matchesWeekdays ? { years: 1 } : { days: countShiftDays(period, countDays(from, to)) }
  return (day) => Temporal.PlainDate.from(day).subtract(duration).toString()

  function countShiftDays(period: ComparedPeriod, days: number): number {
    if (period === 'year') return YEAR_OF_WEEKS_DAYS
    return matchesWeekdays ? Math.ceil(days / DAYS_PER_WEEK) * DAYS_PER_WEEK : days
  }
}

/**
 * Returns when the clocks showed the same time on `day` as they show at `now`. If the clocks skipped that time on `day`, it is
 * the time an hour later; if they showed it twice, the first time.
 */
export function findSameTimeOnDay(timeZone: string, now: Date, day: string): Date {
  const plainTime = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone).toPlainTime()
  return new Date(Temporal.PlainDate.from(day).toZonedDateTime({ timeZone, plainTime }).epochMilliseconds)
}
