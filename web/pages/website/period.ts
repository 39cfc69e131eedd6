/** The days that are shown: one of the usual periods, or from one day to another. By the calendar of the website. */
export const periods = {
  today: 'Today',
  yesterday: 'Yesterday',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '12mo': 'Last 12 months',
  month: 'This month',
  last_month: 'Last month',
} as const
export type PeriodName = keyof typeof periods

export const usualPeriod: PeriodName = '30d'

export interface DayRange {
  from: string
  to: string
}

/** What the server answers at most: ten years. */
const DAYS_MOST = 3_660
const DAY_MS = 86_400_000

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
const addDays = (day: string, days: number) => dayOf(Date.parse(day) + days * DAY_MS)
const firstOfMonth = (day: string) => `${day.slice(0, 8)}01`

export const isPeriod = (text: string): text is PeriodName => Object.hasOwn(periods, text)

/** YYYY-MM-DD, of a day that there is. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '1970-01-01') return false
  const at = Date.parse(text)
  return !Number.isNaN(at) && dayOf(at) === text
}

export function daysOf(period: PeriodName, today: string): DayRange {
  const until = (from: string) => ({ from, to: today })
  if (period === 'today') return until(today)
  if (period === 'yesterday') return { from: addDays(today, -1), to: addDays(today, -1) }
  if (period === '7d') return until(addDays(today, -6))
  if (period === '30d') return until(addDays(today, -29))
  if (period === '90d') return until(addDays(today, -89))
  if (period === 'month') return until(firstOfMonth(today))
  const lastMonthEnds = addDays(firstOfMonth(today), -1)
  if (period === 'last_month') return { from: firstOfMonth(lastMonthEnds), to: lastMonthEnds }
  return until(addDays(yearBefore(today), 1))
}

function yearBefore(day: string): string {
  const same = `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`
  return isDay(same) ? same : addDays(`${same.slice(0, 5)}03-01`, -1)
}

/** Nobody minds in which order they are; what is to come is left out. undefined: there are no such days. */
export function chooseDays(one: string, other: string, today: string): DayRange | undefined {
  if (!isDay(one) || !isDay(other)) return undefined
  const [from = one, last = other] = [one, other].sort()
  const to = last > today ? today : last
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  return days < 1 || days > DAYS_MOST ? undefined : { from, to }
}

/** A day of the calendar of a time zone, YYYY-MM-DD. */
export function dayIn(timeZone: string, at: number): string {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value] as const),
  )
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const made = (zone: string) =>
    new Intl.DateTimeFormat('en-CA-u-ca-gregory-nu-latn', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
  let format: Intl.DateTimeFormat
  try {
    format = made(timeZone)
  } catch {
    // A zone that the server knows and this browser does not.
    format = made('UTC')
  }
  formats.set(timeZone, format)
  return format
}
