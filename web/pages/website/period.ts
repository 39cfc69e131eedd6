/** Named periods and custom ranges of days, in the website's time zone, and how to move to the previous or next one. */
import { MAX_RANGE_DAYS } from '../../../src/shared/statistics.ts'
import {
  addDays,
  addMonths,
  countDays,
  type DayRange,
  getFirstOfMonth,
  getFirstOfYear,
  getLastOfMonth,
  isCalendarDay,
} from './calendar.ts'

/** `key` is the letter that selects the period. */
export const periods = {
  today: { label: 'Today', key: 'D' },
  yesterday: { label: 'Yesterday', key: 'E' },
  '7d': { label: 'Last 7 days', key: 'W' },
  '30d': { label: 'Last 30 days', key: 'T' },
  '90d': { label: 'Last 90 days', key: 'N' },
  month: { label: 'This month', key: 'M' },
  last_month: { label: 'Last month', key: 'P' },
  year: { label: 'This year', key: 'Y' },
  '12mo': { label: 'Last 12 months', key: 'L' },
  all: { label: 'All time', key: 'A' },
} as const
export type PeriodName = keyof typeof periods
export const periodNames = Object.keys(periods) as PeriodName[]

export const CUSTOM_RANGE_KEY = 'C'
export const DEFAULT_PERIOD: PeriodName = '30d'

export const isPeriodName = (text: string): text is PeriodName => Object.hasOwn(periods, text)

/** `firstDay` is the first day with traffic, where “All time” starts. */
export function getPeriodDays(period: PeriodName, today: string, firstDay = today): DayRange {
  const upToToday = (from: string) => ({ from, to: today })
  switch (period) {
    case 'today':
      return upToToday(today)
    case 'yesterday':
      return { from: addDays(today, -1), to: addDays(today, -1) }
    case '7d':
      return upToToday(addDays(today, -6))
    case '30d':
      return upToToday(addDays(today, -29))
    case '90d':
      return upToToday(addDays(today, -89))
    case 'month':
      return upToToday(getFirstOfMonth(today))
    case 'last_month': {
      const endOfLastMonth = addDays(getFirstOfMonth(today), -1)
      return { from: getFirstOfMonth(endOfLastMonth), to: endOfLastMonth }
    }
    case 'year':
      return upToToday(getFirstOfYear(today))
    case '12mo':
      return upToToday(addDays(addMonths(today, -12), 1))
    case 'all': {
      const earliestDay = addDays(today, 1 - MAX_RANGE_DAYS)
      return upToToday(firstDay < earliestDay ? earliestDay : firstDay > today ? today : firstDay)
    }
  }
}

/**
 * Accepts the days in either order and cuts off the future. Returns undefined if a day is invalid, or if the range is
 * too long or begins in the future.
 */
export function toDayRange(first: string, second: string, today: string): DayRange | undefined {
  if (!isCalendarDay(first) || !isCalendarDay(second)) return undefined
  const [from = first, last = second] = [first, second].sort()
  const to = last > today ? today : last
  const dayCount = countDays({ from, to })
  return dayCount < 1 || dayCount > MAX_RANGE_DAYS ? undefined : { from, to }
}

export interface SelectedPeriod extends DayRange {
  /** undefined for a custom range. */
  period: PeriodName | undefined
}

/** If the selected period has a name, `shiftPeriod` names the new range only if it equals one of these periods. */
const calendarPeriods: readonly PeriodName[] = ['today', 'yesterday', 'month', 'last_month', 'year']

/**
 * Returns the range before (`steps` -1) or after (1) the selected one, of the same length. Months and years move by the
 * calendar. Returns undefined if the next range would start in the future, and for “All time”, which has no neighbours.
 */
export function shiftPeriod(selectedPeriod: SelectedPeriod, steps: -1 | 1, today: string): SelectedPeriod | undefined {
  if (selectedPeriod.period === 'all') return undefined
  const shiftedRange = shiftDays(selectedPeriod, steps, today)
  if (shiftedRange.from > today || !isCalendarDay(shiftedRange.from)) return undefined
  const range = { from: shiftedRange.from, to: shiftedRange.to > today ? today : shiftedRange.to }
  const isRange = (name: PeriodName) => {
    const { from, to } = getPeriodDays(name, today)
    return from === range.from && to === range.to
  }
  const candidates = selectedPeriod.period === undefined ? periodNames : calendarPeriods
  return { ...range, period: candidates.find((name) => name !== 'all' && isRange(name)) }
}

function shiftDays({ period, from, to }: SelectedPeriod, steps: number, today: string): DayRange {
  const months = countCalendarMonths({ from, to }, period, today)
  if (months > 0) {
    const shiftedFrom = addMonths(from, steps * months)
    return { from: shiftedFrom, to: getLastOfMonth(addMonths(shiftedFrom, months - 1)) }
  }
  if (period === '12mo') {
    const shiftedTo = addMonths(to, steps * 12)
    return { from: addDays(addMonths(shiftedTo, -12), 1), to: shiftedTo }
  }
  const days = steps * countDays({ from, to })
  return { from: addDays(from, days), to: addDays(to, days) }
}

/** How many whole months the range covers; 0 if it doesn't consist of whole months. The current month or year counts as whole. */
function countCalendarMonths({ from, to }: DayRange, period: PeriodName | undefined, today: string): number {
  if (period === 'year') return 12
  if (period === 'month' || period === 'last_month') return 1
  if (period !== undefined || from !== getFirstOfMonth(from)) return 0
  // The range from 1 January until today counts as the whole current year.
  if (to === today && from === getFirstOfYear(today) && getFirstOfMonth(today) !== from) return 12
  if (to !== getLastOfMonth(to) && to !== today) return 0
  const countMonths = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))
  return countMonths(to) - countMonths(from) + 1
}
