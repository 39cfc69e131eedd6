/** Cron expressions in a time zone. */

import { Cron } from 'croner'
import { BoundedMap } from './bounded-map.ts'
import { CronCalendar, getCronCalendar } from './cron-calendar.ts'
import type { ParseResult } from './field-parser.ts'
import { MS_PER_DAY } from './local-day.ts'

/** Accepts five fields, from minute to day of week, and names such as @daily. A field for seconds is not allowed. */
export function parseCron(text: string): ParseResult<string> {
  const expression = text.trim().replace(/\s+/g, ' ')
  const errors = ['must be a cron expression with five fields, such as 30 2 * * *']
  if (!expression.startsWith('@') && expression.split(' ').length !== 5) return { errors }
  try {
    const { matchesSomeDay } = new CronCalendar(expression)
    return matchesSomeDay ? { value: expression } : { errors: ['must be a cron expression that matches a future date'] }
  } catch {
    return { errors }
  }
}

/**
 * The last search for each expression and time zone. Many jobs run at the same times, and each beat asks for its job's
 * next time.
 */
const lastSearches = new BoundedMap<string, { after: Date; next: Date }>(1_000)

/** Returns the first scheduled time after `after`, or undefined if there is none. The expression must be valid. */
export function findNextTime(expression: string, timeZone: string, after: Date): Date | undefined {
  const key = `${timeZone} ${expression}`
  const lastSearch = lastSearches.get(key)
  if (lastSearch !== undefined && lastSearch.after <= after && after < lastSearch.next) return lastSearch.next
  const next = searchNextTime(expression, timeZone, after)
  if (next !== undefined) lastSearches.set(key, { after, next })
  return next
}

/**
 * A time of a matching day can be missing because clocks skip it. If this many matching days in a row miss all their
 * times, the search gives up: the expression probably names the days on which clocks change.
 */
const MAX_SEARCHED_DAYS = 10

/** croner finds the time of day, which takes 0.2 ms, and the calendar finds the day. */
function searchNextTime(expression: string, timeZone: string, after: Date): Date | undefined {
  const calendar = getCronCalendar(expression)
  const times = new Cron(calendar.timesOfDay, { paused: true, mode: '5-part', timezone: timeZone })
  let from = after
  for (let n = 0; n <= MAX_SEARCHED_DAYS; n++) {
    const time = times.nextRun(from)
    if (time === null) return undefined
    const localDay = toLocalDayNumber(time, timeZone)
    const matchingDay = calendar.findDay(localDay)
    if (matchingDay === undefined) return undefined
    if (matchingDay === localDay) return time
    from = new Date(findDayStart(matchingDay, timeZone) - 1)
  }
  return undefined
}

/** Counts the days from 1970-01-01 to the local date. */
export function toLocalDayNumber(time: Date, timeZone: string): number {
  const { year, month, day } = Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(timeZone)
  return Date.UTC(year, month - 1, day) / MS_PER_DAY
}

function findDayStart(dayNumber: number, timeZone: string): number {
  const date = new Date(dayNumber * MS_PER_DAY)
  const localDate = new Temporal.PlainDate(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())
  return localDate.toZonedDateTime(timeZone).epochMilliseconds
}
