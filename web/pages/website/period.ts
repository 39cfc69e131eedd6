/** Named periods and custom ranges of days, in the website's time zone. */
import { MAX_RANGE_DAYS } from '../../../src/shared/statistics.ts'
import { DAY_MS } from '../../../src/shared/time.ts'

export const periodLabels = {
  today: 'Today',
  yesterday: 'Yesterday',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '12mo': 'Last 12 months',
  month: 'This month',
  last_month: 'Last month',
} as const
export type PeriodName = keyof typeof periodLabels

export const DEFAULT_PERIOD: PeriodName = '30d'

export interface DayRange {
  from: string
  to: string
}

const formatUtcDay = (at: number) => new Date(at).toISOString().slice(0, 10)
const addDays = (day: string, days: number) => formatUtcDay(Date.parse(day) + days * DAY_MS)
const getFirstOfMonth = (day: string) => `${day.slice(0, 8)}01`

export const isPeriodName = (text: string): text is PeriodName => Object.hasOwn(periodLabels, text)

/** Whether the text is an existing date in the form YYYY-MM-DD. The server accepts no dates before 1970. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '1970-01-01') return false
  const at = Date.parse(text)
  return !Number.isNaN(at) && formatUtcDay(at) === text
}

export function getPeriodDays(period: PeriodName, today: string): DayRange {
  const upToToday = (from: string) => ({ from, to: today })
  if (period === 'today') return upToToday(today)
  if (period === 'yesterday') return { from: addDays(today, -1), to: addDays(today, -1) }
  if (period === '7d') return upToToday(addDays(today, -6))
  if (period === '30d') return upToToday(addDays(today, -29))
  if (period === '90d') return upToToday(addDays(today, -89))
  if (period === 'month') return upToToday(getFirstOfMonth(today))
  const endOfLastMonth = addDays(getFirstOfMonth(today), -1)
  if (period === 'last_month') return { from: getFirstOfMonth(endOfLastMonth), to: endOfLastMonth }
  return upToToday(addDays(subtractYear(today), 1))
}

function subtractYear(day: string): string {
  const sameDay = `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`
  return isCalendarDay(sameDay) ? sameDay : addDays(`${sameDay.slice(0, 5)}03-01`, -1)
}

/** Accepts the days in either order and cuts off the future. undefined if a day is invalid or the range is too long. */
export function toDayRange(first: string, second: string, today: string): DayRange | undefined {
  if (!isCalendarDay(first) || !isCalendarDay(second)) return undefined
  const [from = first, last = second] = [first, second].sort()
  const to = last > today ? today : last
  const dayCount = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  return dayCount < 1 || dayCount > MAX_RANGE_DAYS ? undefined : { from, to }
}

/** The date in a time zone, as YYYY-MM-DD. */
export function formatCalendarDay(timeZone: string, at: number): string {
  const parts = new Map(
    getDateFormat(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value] as const),
  )
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
}

const formats = new Map<string, Intl.DateTimeFormat>()

function getDateFormat(timeZone: string): Intl.DateTimeFormat {
  const cached = formats.get(timeZone)
  if (cached !== undefined) return cached
  const createFormat = (zone: string) =>
    new Intl.DateTimeFormat('en-CA-u-ca-gregory-nu-latn', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
  let format: Intl.DateTimeFormat
  try {
    format = createFormat(timeZone)
  } catch {
    // The server accepted this time zone, but the browser doesn't know it.
    format = createFormat('UTC')
  }
  formats.set(timeZone, format)
  return format
}
