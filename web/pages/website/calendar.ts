/** Arithmetic with calendar days in the form YYYY-MM-DD, which are the same in every time zone. */
import { DAY_MS, DAY_SECONDS } from '../../../src/shared/time.ts'

export interface DayRange {
  from: string
  to: string
}

const formatUtcDay = (at: number) => new Date(at).toISOString().slice(0, 10)

export const addDays = (day: string, days: number) => formatUtcDay(Date.parse(day) + days * DAY_MS)

export const countDays = ({ from, to }: DayRange) => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1

/** Whether the text is an existing date in the form YYYY-MM-DD. The server accepts no dates before 1970. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '1970-01-01') return false
  const at = Date.parse(text)
  return !Number.isNaN(at) && formatUtcDay(at) === text
}

/** Returns the same day of another month, or the last day of that month if it has fewer days. */
export function addMonths(day: string, months: number): string {
  const monthIndex = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 + months
  const [year, month] = [Math.floor(monthIndex / 12), (monthIndex % 12) + 1]
  const firstOfMonth = `${year}-${`${month}`.padStart(2, '0')}-01`
  const sameDay = firstOfMonth.slice(0, 8) + day.slice(8)
  return isCalendarDay(sameDay) ? sameDay : getLastOfMonth(firstOfMonth)
}

export const getFirstOfMonth = (day: string) => `${day.slice(0, 8)}01`
export const getFirstOfYear = (day: string) => `${day.slice(0, 5)}01-01`

export function getLastOfMonth(day: string): string {
  const dayInNextMonth = addDays(getFirstOfMonth(day), 31)
  return addDays(getFirstOfMonth(dayInNextMonth), -1)
}

export interface LocalTime {
  day: string
  /** How much of the day has passed in local time, from 0 to 1. */
  dayFraction: number
}

/** Date and time of day in a time zone. */
export function getLocalTime(timeZone: string, at: number): LocalTime {
  const parts = new Map(
    getFormat(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value] as const),
  )
  const [hours, minutes, seconds] = ['hour', 'minute', 'second'].map((name) => Number(parts.get(name as 'hour')))
  return {
    day: `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`,
    dayFraction: ((hours ?? 0) * 3_600 + (minutes ?? 0) * 60 + (seconds ?? 0)) / DAY_SECONDS,
  }
}

export const formatCalendarDay = (timeZone: string, at: number) => getLocalTime(timeZone, at).day

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns the format from which `getLocalTime` reads numbers. Users never see its texts. */
function getFormat(timeZone: string): Intl.DateTimeFormat {
  const cached = formats.get(timeZone)
  if (cached !== undefined) return cached
  const format = createFormat(timeZone)
  formats.set(timeZone, format)
  return format
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
  const options = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  } as const
  const language = 'en-CA-u-ca-gregory-nu-latn'
  try {
    return new Intl.DateTimeFormat(language, { ...options, timeZone })
  } catch {
    // The server accepted this time zone, but the browser doesn't know it. Use UTC instead.
    return new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' })
  }
}
