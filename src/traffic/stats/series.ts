/** The series of an overview: every metric, slot by slot. Pure functions. */
import { listDays } from '../../lib/local-day.ts'
import type { SeriesInterval } from '../../shared/statistics.ts'
import type { DayTotalsRow, VisitTotals } from './counts-store.ts'
import { computeAverages, type DateRange, limitHours, sum, sumVisitTotals } from './figures.ts'
import { listHourLabels } from './hour-labels.ts'
import type { HourStatistics } from './hours-store.ts'
import type { StatisticsSeries } from './schema.ts'

export interface SlotCounts {
  value: string
  visitors: number
  pageviews: number
  /** By hour, the page views of these visits differ from `pageviews`: visits count in the hour in which they began. */
  visitTotals: VisitTotals
}

export function createSeries(
  unit: SeriesInterval,
  slots: readonly SlotCounts[],
  incomplete: string | null,
): StatisticsSeries {
  const averages = slots.map(({ value, visitTotals }) => ({ value, ...computeAverages(visitTotals) }))
  return {
    unit,
    visitors: slots.map(({ value, visitors }) => ({ value, count: visitors })),
    pageviews: slots.map(({ value, pageviews }) => ({ value, count: pageviews })),
    visits: slots.map(({ value, visitTotals }) => ({ value, count: visitTotals.visits })),
    bounce_rate: averages.map(({ value, bounce_rate: count }) => ({ value, count })),
    visit_duration: averages.map(({ value, visit_duration: count }) => ({ value, count })),
    views_per_visit: averages.map(({ value, views_per_visit: count }) => ({ value, count })),
    incomplete,
  }
}

/** Slots must be in ascending order and must not overlap. */
export function countBySlot(slots: readonly DateRange[], dayTotals: readonly DayTotalsRow[]): SlotCounts[] {
  const days = dayTotals.toSorted((one, other) => (one.day < other.day ? -1 : 1))
  let index = 0
  return slots.map(({ from, to }) => {
    while (index < days.length && (days[index] as DayTotalsRow).day < from) index++
    const first = index
    while (index < days.length && (days[index] as DayTotalsRow).day <= to) index++
    const slotDays = days.slice(first, index)
    const visitTotals = sumVisitTotals(slotDays)
    return {
      value: from,
      visitors: sum(slotDays, ({ visitors }) => visitors),
      pageviews: visitTotals.views,
      visitTotals,
    }
  })
}

/** Every hour of the range. A day has 23, 24 or 25 of them. */
export function countByHour(zone: string, { from, to }: DateRange, hours: HourStatistics): SlotCounts[] {
  return listDays(from, to).flatMap((date) => {
    const labels = listHourLabels(zone, date)
    const views = limitHours(hours.view_hours.get(date), labels.length)
    const visitors = limitHours(hours.visitor_hours.get(date), labels.length)
    const visits = Map.groupBy(hours.visits.get(date) ?? [], ([hour]) => Math.min(hour, labels.length - 1))
    return labels.map((value, hour) => ({
      value,
      visitors: visitors.get(hour) ?? 0,
      pageviews: views.get(hour) ?? 0,
      visitTotals: sumVisitTotals((visits.get(hour) ?? []).map(([, totals]) => totals)),
    }))
  })
}
