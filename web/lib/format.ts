/**
 * Formats numbers, dates and durations in the browser's language and time zone. All pages use this module, so that a date
 * or a duration looks the same everywhere. A test checks that no other file formats them.
 */
import { roundUptimePercent } from '../../src/shared/format-uptime.ts'
import { DAY_SECONDS } from '../../src/shared/time.ts'
import { toCurrentZoneName } from '../../src/shared/time-zones.ts'
import { userLanguages } from './languages.ts'
import { lazily } from './lazily.ts'

export const browserTimeZone = toCurrentZoneName(Intl.DateTimeFormat().resolvedOptions().timeZone)

const numberFormat = lazily(() => new Intl.NumberFormat(userLanguages))
const compactNumberFormat = lazily(
  () => new Intl.NumberFormat(userLanguages, { notation: 'compact', maximumFractionDigits: 1 }),
)
const percentFormat = lazily(() => new Intl.NumberFormat(userLanguages, { style: 'percent', maximumFractionDigits: 1 }))
const uptimeFormat = lazily(
  () =>
    new Intl.NumberFormat(userLanguages, {
      style: 'percent',
      minimumFractionDigits: 2,
      maximumFractionDigits: 2,
    }),
)

export const formatNumber = (value: number) => numberFormat().format(value)
/** "1 page", "2,345 pages". */
export const pluralize = (count: number, singular: string, plural = `${singular}s`) =>
  `${numberFormat().format(count)} ${count === 1 ? singular : plural}`
/** "12.3K" for 12,345. */
export const formatCompactNumber = (value: number) => compactNumberFormat().format(value)
/** Takes a percentage, not a fraction. */
export const formatPercentage = (value: number) => percentFormat().format(value / 100)
/** Shows two decimals, and 100% only if there was no downtime. */
export function formatUptimePercent(value: number | null): string {
  if (value === null) return '–'
  const percent = roundUptimePercent(value)
  return percent === 100 ? percentFormat().format(1) : uptimeFormat().format(percent / 100)
}
/** "87 ms", "12.3 s", and "2 h 5 min" for the run of a long job. */
export function formatMs(ms: number | null): string {
  if (ms === null) return '–'
  if (ms < 10_000) return msFormat().format(ms)
  return ms < 120_000 ? formatUnit(Math.round(ms / 100) / 10, 'second') : formatDurationSeconds(ms / 1_000)
}

/** "250 ms", "1.5 s". For the axis of a chart, whose values are round. */
export const formatMsTick = (ms: number) => (ms < 1_000 ? msFormat().format(ms) : formatUnit(ms / 1_000, 'second'))

const dateFormat = lazily(() => new Intl.DateTimeFormat(userLanguages, { dateStyle: 'medium' }))
const dateTimeFormat = lazily(() => new Intl.DateTimeFormat(userLanguages, { dateStyle: 'medium', timeStyle: 'short' }))
const dateTimeWithSecondsFormat = lazily(
  () => new Intl.DateTimeFormat(userLanguages, { dateStyle: 'medium', timeStyle: 'medium' }),
)
const clockTimeFormat = lazily(() => new Intl.DateTimeFormat(userLanguages, { timeStyle: 'short' }))
const calendarDayFormat = lazily(() => new Intl.DateTimeFormat(userLanguages, { dateStyle: 'medium', timeZone: 'UTC' }))
const dayRangeFormat = lazily(
  () => new Intl.DateTimeFormat(userLanguages, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }),
)
const dayWithWeekdayFormat = lazily(
  () =>
    new Intl.DateTimeFormat(userLanguages, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      timeZone: 'UTC',
    }),
)
const weekdayFormat = lazily(
  () => new Intl.DateTimeFormat(userLanguages, { weekday: 'short', day: 'numeric', month: 'short' }),
)
const calendarMonthFormat = lazily(
  () => new Intl.DateTimeFormat(userLanguages, { month: 'short', year: 'numeric', timeZone: 'UTC' }),
)
const longMonthFormat = lazily(
  () => new Intl.DateTimeFormat(userLanguages, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
)
const shortDayFormat = lazily(
  () => new Intl.DateTimeFormat(userLanguages, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
)
const monthFormat = lazily(() => new Intl.DateTimeFormat(userLanguages, { month: 'short' }))
const monthWithYearFormat = lazily(() => new Intl.DateTimeFormat(userLanguages, { month: 'short', year: 'numeric' }))
const wallClockFormat = lazily(() => new Intl.DateTimeFormat(userLanguages, { timeStyle: 'short', timeZone: 'UTC' }))

const toDate = (day: string) => new Date(`${day}T00:00Z`)

export const formatDate = (at: string | Date) => dateFormat().format(new Date(at))
export const formatDateTime = (at: string | Date) => dateTimeFormat().format(new Date(at))
export const formatDateTimeWithSeconds = (at: string | Date) => dateTimeWithSecondsFormat().format(new Date(at))
export const formatClockTime = (at: string | Date) => clockTimeFormat().format(new Date(at))
/** "Dec", and "Jan 2026" where a year begins. */
export const formatMonth = (at: Date) => (at.getMonth() === 0 ? monthWithYearFormat : monthFormat)().format(at)
/** "Jan", for a page of a calendar. */
export const formatMonthName = (at: string | Date) => monthFormat().format(new Date(at))
/** "Mon 5 Jan". */
export const formatWeekday = (at: string | Date) => weekdayFormat().format(new Date(at))
/** "14:00–14:30", or two dates and times if the end is on another day. */
export function formatTimeRange(from: string, to: string): string {
  const [start, end] = [new Date(from), new Date(to)]
  const isOneDay = start.toDateString() === end.toDateString()
  return (isOneDay ? clockTimeFormat : dateTimeFormat)().formatRange(start, end)
}

/** "5 Jan 2026, 14:00:05 – 14:30:12", or two dates and times if the end is on another day. */
export const formatDateTimeRange = (from: string, to: string) =>
  dateTimeWithSecondsFormat().formatRange(new Date(from), new Date(to))

// The following functions take a calendar day such as 2026-01-05, which is the same in every time zone.
export const formatDay = (day: string) => calendarDayFormat().format(toDate(day))
export const formatShortDay = (day: string) => shortDayFormat().format(toDate(day))
/** "Mon, 5 Jan 2026". */
export const formatDayWithWeekday = (day: string) => dayWithWeekdayFormat().format(toDate(day))
/** "5 – 11 Jan 2026"; a single date if both days are the same. */
export const formatDays = ({ from, to }: { from: string; to: string }) =>
  dayRangeFormat().formatRange(toDate(from), toDate(to))
/** "Jan 2026". */
export const formatMonthOfDay = (day: string) => calendarMonthFormat().format(toDate(day))
/** "January 2026". */
export const formatLongMonth = (day: string) => longMonthFormat().format(toDate(day))

/** "America/New York". */
export const formatZoneName = (timeZone: string) => toCurrentZoneName(timeZone).replaceAll('_', ' ')

/** A time in another time zone: "4 Jan, 14:05". */
export function formatTimeInZone(timeZone: string, at: number, { hasDate = true } = {}): string {
  const time = createFormatInZone(timeZone, { timeStyle: 'short' }).format(at)
  return hasDate ? `${createFormatInZone(timeZone, { day: 'numeric', month: 'short' }).format(at)}, ${time}` : time
}

function createFormatInZone(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(userLanguages, { ...options, timeZone })
  } catch {
    // The server accepted this time zone, but the browser doesn't know it. Use UTC instead.
    return new Intl.DateTimeFormat(userLanguages, { ...options, timeZone: 'UTC' })
  }
}

/** The local time in a timestamp such as 2026-01-05T09:00:00+01:00. Ignores the offset. */
export const formatWallClock = (text: string) => wallClockFormat().format(new Date(`${text.slice(0, 16)}Z`))

const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', DAY_SECONDS],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const
// `always` avoids "yesterday", which could mean ten minutes or 47 hours ago.
const relativeTimeFormat = lazily(() => new Intl.RelativeTimeFormat(userLanguages, { numeric: 'always' }))
const nowFormat = lazily(() => new Intl.RelativeTimeFormat(userLanguages, { numeric: 'auto' }))

/** "3 minutes ago". */
export function formatRelativeTime(at: string | Date, now = Date.now()): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1_000)
  const largestUnit = units.find(([, size]) => Math.abs(seconds) >= size)
  if (largestUnit === undefined) return nowFormat().format(0, 'second')
  const [unit, size] = largestUnit
  return relativeTimeFormat().format(Math.trunc(seconds / size), unit)
}

type DurationUnit = 'day' | 'hour' | 'minute' | 'second'
/** The same units as in emails and on status pages. Intl would write "5m", or "5 min, 12 sec". */
const unitSymbols = { hour: 'h', minute: 'min', second: 's' } as const
const formatUnit = (value: number, unit: DurationUnit) =>
  unit === 'day' ? pluralize(value, unit) : `${formatNumber(value)} ${unitSymbols[unit]}`
const msFormat = lazily(
  () => new Intl.NumberFormat(userLanguages, { style: 'unit', unit: 'millisecond', unitDisplay: 'short' }),
)

/** Shows the two largest units: "2 h 5 min". */
export function formatDurationSeconds(seconds: number): string {
  const parts = [
    ['day', Math.floor(seconds / DAY_SECONDS)],
    ['hour', Math.floor(seconds / 3_600) % 24],
    ['minute', Math.floor(seconds / 60) % 60],
    ['second', Math.floor(seconds) % 60],
  ] as const
  const firstIndex = parts.findIndex(([, value]) => value > 0)
  if (firstIndex === -1) return formatUnit(0, 'second')
  return parts
    .slice(firstIndex, firstIndex + 2)
    .filter(([, value]) => value > 0)
    .map(([unit, value]) => formatUnit(value, unit))
    .join(' ')
}

const countryNames = lazily(() => new Intl.DisplayNames(userLanguages, { type: 'region', fallback: 'code' }))
const languageNames = lazily(() => new Intl.DisplayNames(userLanguages, { type: 'language', fallback: 'code' }))

export function formatCountry(code: string): string {
  return findDisplayName(countryNames(), code)
}

export function formatLanguage(code: string): string {
  return findDisplayName(languageNames(), code)
}

/** Returns unknown and malformed codes unchanged. For a malformed code, `of` throws. */
function findDisplayName(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code
  } catch {
    return code
  }
}
