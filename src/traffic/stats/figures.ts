/** Totals, changes and series, computed from counts. Pure functions. */
import { countDays, listDays } from '../../lib/local-day.ts'
import { addCount, type CountMap } from '../packing/packed-counts.ts'
import type { DayTotalsRow } from './counts-store.ts'
import { listHourLabels } from './hour-labels.ts'
import type { StatisticsOverview, StatisticsRow, StatisticsTotals } from './schema.ts'

export interface DateRange {
  from: string
  to: string
}

export function sumDayTotals(days: readonly DayTotalsRow[]): StatisticsTotals {
  const sum = (pick: (day: DayTotalsRow) => number) => days.reduce((total, day) => total + pick(day), 0)
  const visits = sum((day) => day.visits)
  return {
    visitors: sum((day) => day.visitors),
    pageviews: sum((day) => day.views),
    visits,
    events: sum((day) => day.events),
    bounce_rate: visits === 0 ? null : roundToTenth((100 * sum((day) => day.bounces)) / visits),
    visit_duration: visits === 0 ? null : Math.round(sum((day) => day.durationMs) / visits / 1000),
  }
}

const roundToTenth = (number: number) => Math.round(number * 10) / 10

export function computePercentChanges(
  totals: StatisticsTotals,
  previousTotals: StatisticsTotals,
): NonNullable<StatisticsOverview['change']> {
  const percentChange = (name: keyof StatisticsTotals) => {
    const [value, previousValue] = [totals[name], previousTotals[name]]
    return value === null || previousValue === null || previousValue === 0
      ? null
      : roundToTenth((100 * (value - previousValue)) / previousValue)
  }
  return {
    visitors: percentChange('visitors'),
    pageviews: percentChange('pageviews'),
    visits: percentChange('visits'),
    events: percentChange('events'),
    bounce_rate: percentChange('bounce_rate'),
    visit_duration: percentChange('visit_duration'),
  }
}

/** Every day of the range, with 0 for days without traffic. */
export function createDaySeries({ from, to }: DateRange, countsByDay: ReadonlyMap<string, number>): StatisticsRow[] {
  return listDays(from, to).map((day) => ({ value: day, count: countsByDay.get(day) ?? 0 }))
}

/** Every hour of the range. A day has 23, 24 or 25 of them. */
export function createHourSeries(
  zone: string,
  { from, to }: DateRange,
  countsByDay: ReadonlyMap<string, CountMap>,
): StatisticsRow[] {
  return listDays(from, to).flatMap((date) => {
    const labels = listHourLabels(zone, date)
    const lastHour = labels.length - 1
    // The website may have had another time zone, in which the day was longer. The extra hour counts as the last hour.
    const hours: CountMap = new Map()
    for (const [hour, count] of countsByDay.get(date) ?? []) addCount(hours, Math.min(hour, lastHour), count)
    return labels.map((value, hour) => ({ value, count: hours.get(hour) ?? 0 }))
  })
}

/** Returns the range of the same length that ends on the day before `from`. */
export function findPreviousRange({ from, to }: DateRange): DateRange {
  const days = countDays(from, to)
  const first = Temporal.PlainDate.from(from)
  return { from: first.subtract({ days }).toString(), to: first.subtract({ days: 1 }).toString() }
}
