/**
 * Quiet days: local days on which a website has far fewer visits than usual, because its visitors are on holiday. The
 * owner of the website lists dates (`quiet_days`), or chooses a country whose public holidays count (`holidays`).
 */
import { addMs } from '../lib/clock.ts'
import { FieldParser, type ParseResult } from '../lib/field-parser.ts'
import { isDay, localDay, toUtcDay } from '../lib/local-day.ts'
import { holidayCountries } from '../shared/holiday-countries.ts'
import { DAY_MS } from '../shared/time.ts'
import { MAX_QUIET_DAYS } from '../shared/websites.ts'
import { getHolidays } from './holidays.ts'

export interface QuietDaySettings {
  quietDays: readonly string[]
  /** The ISO 3166-1 code of the country whose public holidays are quiet days; null: none. */
  holidays: string | null
}

/** Sorts the dates and drops duplicates. */
export function parseQuietDays(input: readonly string[]): ParseResult<string[]> {
  const dates = input.map((text) => text.trim()).filter((text) => text !== '')
  const invalidDate = dates.find((text) => !isDay(text))
  if (invalidDate !== undefined)
    return { errors: [`must contain only dates as YYYY-MM-DD, not ${JSON.stringify(invalidDate)}`] }
  const days = [...new Set(dates)].sort()
  if (days.length > MAX_QUIET_DAYS) return { errors: [`must have at most ${MAX_QUIET_DAYS} dates`] }
  return { value: days }
}

/** An empty text clears the field, because a form can't send null. */
export function parseHolidays(input: string | null): ParseResult<string | null> {
  const code = input?.trim().toUpperCase() ?? ''
  if (code === '') return { value: null }
  if (holidayCountries.includes(code)) return { value: code }
  return { errors: ['must be the two-letter code of a country whose public holidays Belfry knows, such as DE or US'] }
}

/**
 * Returns the stored settings, in which the settings of the request replace the stored ones. Throws if a setting of the
 * request is invalid.
 */
export function mergeQuietDays(
  stored: { quiet_days: string[]; holidays: string | null },
  input: { quiet_days?: string[]; holidays?: string | null },
): QuietDaySettings {
  const parser = new FieldParser()
  const quietDays = parser.parse('quiet_days', input.quiet_days, parseQuietDays)
  const holidays = parser.parse('holidays', input.holidays, parseHolidays)
  parser.throwIfInvalid()
  return { quietDays: quietDays ?? stored.quiet_days, holidays: holidays === undefined ? stored.holidays : holidays }
}

export function isQuietDay({ quietDays, holidays }: QuietDaySettings, day: string): boolean {
  return quietDays.includes(day) || (holidays !== null && getHolidays(holidays).has(day))
}

export interface QuietPeriod {
  from: Date
  to: Date
}

/** Returns the quiet days that overlap a period, oldest first. */
export function listQuietPeriods(
  { quietDays, holidays, timeZone }: QuietDaySettings & { timeZone: string },
  from: Date,
  to: Date,
): QuietPeriod[] {
  const days = new Set([...quietDays, ...(holidays === null ? [] : getHolidays(holidays))])
  const [first, last] = [toUtcDay(addMs(from, -DAY_MS)), toUtcDay(addMs(to, DAY_MS))]
  return [...days]
    .filter((day) => day >= first && day <= last)
    .sort()
    .map((day) => localDay(timeZone, day))
    .map(({ startsAt, endsAt }) => ({ from: new Date(startsAt), to: new Date(endsAt) }))
    .filter((period) => period.from < to && period.to > from)
}
