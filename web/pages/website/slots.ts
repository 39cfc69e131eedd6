/** The points of the chart: one for each hour, day, week or month of the range. */
import {
  formatDay,
  formatDays,
  formatDayWithWeekday,
  formatLongMonth,
  formatMonthOfDay,
  formatShortDay,
  formatWallClock,
} from '../../lib/format.ts'
import { addDays, countDays, type DayRange, getLastOfMonth } from './calendar.ts'

export const intervalLabels = { hour: 'Hours', day: 'Days', week: 'Weeks', month: 'Months' } as const
export type ChartInterval = keyof typeof intervalLabels

export const isChartInterval = (text: string): text is ChartInterval => Object.hasOwn(intervalLabels, text)

/** For ranges with more days, the points would be so close that the line looks like a solid area. */
const MAX_HOURLY_DAYS = 14
const MAX_DAILY_DAYS = 400
const MAX_WEEKLY_DAYS = 1_830
/** For ranges with fewer days, the chart would have only a few points. */
const MIN_WEEKLY_DAYS = 14
const MIN_MONTHLY_DAYS = 59

/** The intervals that give the range a useful number of points. */
export function listIntervals(range: DayRange): ChartInterval[] {
  const days = countDays(range)
  const isUseful: Record<ChartInterval, boolean> = {
    hour: days <= MAX_HOURLY_DAYS,
    day: days > 1 && days <= MAX_DAILY_DAYS,
    week: days >= MIN_WEEKLY_DAYS && days <= MAX_WEEKLY_DAYS,
    month: days >= MIN_MONTHLY_DAYS,
  }
  return (Object.keys(intervalLabels) as ChartInterval[]).filter((interval) => isUseful[interval])
}

/** The chosen interval, or the default if none was chosen or it doesn't suit the range. */
export function selectInterval(range: DayRange, chosen: ChartInterval | undefined): ChartInterval {
  if (chosen !== undefined && listIntervals(range).includes(chosen)) return chosen
  const days = countDays(range)
  if (days === 1) return 'hour'
  if (days <= 92) return 'day'
  return days <= MAX_DAILY_DAYS ? 'week' : 'month'
}

/** The days that a point covers. The first and the last week or month may be cut off by the range. */
export function getSlotDays(unit: ChartInterval, value: string, range: DayRange): DayRange {
  const day = value.slice(0, 10)
  if (unit === 'hour' || unit === 'day') return { from: day, to: day }
  const from = unit === 'month' ? `${day.slice(0, 7)}-01` : day
  const to = unit === 'month' ? getLastOfMonth(from) : addDays(from, 6)
  return { from: from < range.from ? range.from : from, to: to > range.to ? range.to : to }
}

/** The day of a point whose value is a month such as 2026-01, a day, or an hour such as 2026-01-05T09:00:00+01:00. */
const toDay = (value: string) => value.slice(0, 10).padEnd(10, '-01')

/** Short labels for the axis. If the points are hours of several days, only the first hour of each day has a label. */
export const formatSlotLabels = (unit: ChartInterval, values: readonly string[], range: DayRange): string[] =>
  values.map((value, index) => {
    const isSameDay = unit === 'hour' && values[index - 1]?.slice(0, 10) === value.slice(0, 10)
    return isSameDay && range.from !== range.to ? '' : formatSlotLabel(unit, value, range)
  })

/** The label of a day or week contains the year if the range spans several years. */
function formatSlotLabel(unit: ChartInterval, value: string, range: DayRange): string {
  if (unit === 'hour' && range.from === range.to) return formatWallClock(value)
  if (unit === 'month') return formatMonthOfDay(toDay(value))
  const { from } = getSlotDays(unit, value, range)
  const isInOneYear = range.from.slice(0, 4) === range.to.slice(0, 4)
  return isInOneYear ? formatShortDay(from) : formatDay(from)
}

/** The full date of a point, for the tooltip and the table. */
export function formatSlotTitle(unit: ChartInterval, value: string, range: DayRange): string {
  const day = toDay(value)
  if (unit === 'hour') return `${formatDayWithWeekday(day)}, ${formatWallClock(value)}`
  if (unit === 'day') return formatDayWithWeekday(day)
  const days = getSlotDays(unit, value, range)
  const isWholeMonth = unit === 'month' && days.from.endsWith('-01') && days.to === getLastOfMonth(days.to)
  return isWholeMonth ? formatLongMonth(day) : formatDays(days)
}
