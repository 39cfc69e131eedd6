/** Totals, changes and series, computed from counts. Pure functions. */
import { listDays } from '../../lib/local-day.ts'
import { addCount, type CountMap } from '../packing/packed-counts.ts'
import type { DayTotalsRow, VisitTotals } from './counts-store.ts'
import { listHourLabels } from './hour-labels.ts'
import type { StatisticsOverview, StatisticsRow, StatisticsTotals } from './schema.ts'

export interface DateRange {
  from: string
  to: string
}

export function sumDayTotals(days: readonly DayTotalsRow[]): StatisticsTotals {
  const visitTotals = sumVisitTotals(days)
  return {
    visitors: sum(days, ({ visitors }) => visitors),
    pageviews: visitTotals.views,
    visits: visitTotals.visits,
    events: sum(days, ({ events }) => events),
    ...computeAverages(visitTotals),
  }
}

export function sumVisitTotals(parts: readonly VisitTotals[]): VisitTotals {
  return {
    visits: sum(parts, ({ visits }) => visits),
    bounces: parts.some(({ bounces }) => bounces === null) ? null : sum(parts, ({ bounces }) => bounces ?? 0),
    durationMs: sum(parts, ({ durationMs }) => durationMs),
    views: sum(parts, ({ views }) => views),
  }
}

export function sum<T>(list: readonly T[], pick: (item: T) => number): number {
  return list.reduce((total, item) => total + pick(item), 0)
}

type Averages = Pick<StatisticsTotals, 'bounce_rate' | 'visit_duration' | 'views_per_visit'>

export function computeAverages({ visits, bounces, durationMs, views }: VisitTotals): Averages {
  if (visits === 0) return { bounce_rate: null, visit_duration: null, views_per_visit: null }
  return {
    bounce_rate: bounces === null ? null : roundToTenth((100 * bounces) / visits),
    visit_duration: Math.round(durationMs / visits / 1000),
    views_per_visit: roundToTenth(views / visits),
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
    views_per_visit: percentChange('views_per_visit'),
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
    const hours = limitHours(countsByDay.get(date), labels.length)
    return labels.map((value, hour) => ({ value, count: hours.get(hour) ?? 0 }))
  })
}

/** The website may have had another time zone, in which the day was longer. The extra hour counts as the last hour. */
export function limitHours(counts: CountMap | undefined, hourCount: number): CountMap {
  const hours: CountMap = new Map()
  for (const [hour, count] of counts ?? []) addCount(hours, Math.min(hour, hourCount - 1), count)
  return hours
}
