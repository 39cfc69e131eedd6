/** The figures of a range: its slots, totals and series, and the earlier period that it is compared with. Pure functions. */

import { listHourLabels } from '../../lib/hour-labels.ts'
import { addDays, countDays, findMonday, listDays, localDayAt } from '../../lib/local-day.ts'
import type { ComparedPeriod, SeriesInterval } from '../../shared/statistics.ts'
import { HOUR_MS } from '../../shared/time.ts'
import { addCount, type CountMap } from '../packing/packed-counts.ts'
import type { StatisticsOverview, StatisticsRow, StatisticsSeries, StatisticsTotals } from './schema.ts'
import type { DayTotalsRow, HourStatistics, VisitTotals } from './store.ts'

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

function sumVisitTotals(parts: readonly VisitTotals[]): VisitTotals {
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
function limitHours(counts: CountMap | undefined, hourCount: number): CountMap {
  const hours: CountMap = new Map()
  for (const [hour, count] of counts ?? []) addCount(hours, Math.min(hour, hourCount - 1), count)
  return hours
}

export interface SlotCounts {
  value: string
  visitors: number
  pageviews: number
  events: number
  /**
   * In a series by hour, `visitTotals.views` can differ from `pageviews`: it counts all page views of a visit in the
   * hour in which the visit began.
   */
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
    events: slots.map(({ value, events }) => ({ value, count: events })),
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
      events: sum(slotDays, ({ events }) => events),
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
    const events = limitHours(hours.event_hours.get(date), labels.length)
    const visits = Map.groupBy(hours.visits.get(date) ?? [], ([hour]) => Math.min(hour, labels.length - 1))
    return labels.map((value, hour) => ({
      value,
      visitors: visitors.get(hour) ?? 0,
      pageviews: views.get(hour) ?? 0,
      events: events.get(hour) ?? 0,
      visitTotals: sumVisitTotals((visits.get(hour) ?? []).map(([, totals]) => totals)),
    }))
  })
}

type DaySlotInterval = Exclude<SeriesInterval, 'hour'>

/** Weeks and months that begin before the range, or end after it, are clipped to the range. */
export function listSlots({ from, to }: DateRange, interval: DaySlotInterval): DateRange[] {
  if (interval === 'day') return listDays(from, to).map((day) => ({ from: day, to: day }))
  const slots: DateRange[] = []
  for (let first = from; first <= to; ) {
    const next = findNextSlot(first, interval)
    const last = addDays(next, -1)
    slots.push({ from: first, to: last < to ? last : to })
    first = next
  }
  return slots
}

function findNextSlot(day: string, interval: 'week' | 'month'): string {
  return interval === 'week'
    ? addDays(findMonday(day), 7)
    : Temporal.PlainDate.from(day).with({ day: 1 }).add({ months: 1 }).toString()
}

/**
 * Returns the slots of the compared period. Each slot has the days that correspond to the days of one week or month,
 * even if they form no calendar week or month. So slots of the same length are compared.
 */
export function listComparedSlots(
  range: DateRange,
  comparedRange: DateRange,
  interval: DaySlotInterval,
  shiftDay: (day: string) => string,
): DateRange[] {
  if (interval === 'day') return listSlots(comparedRange, 'day')
  const firstDays = listSlots(range, interval).map(({ from }) => shiftDay(from))
  return firstDays.map((from, index) => {
    const nextFrom = firstDays[index + 1]
    return { from, to: nextFrom === undefined ? comparedRange.to : addDays(nextFrom, -1) }
  })
}

/** Returns the `value` of the slot that contains `now`, or null if the range does not contain it. */
export function findRunningSlot(
  { from, to }: DateRange,
  interval: SeriesInterval,
  timeZone: string,
  now: Date,
): string | null {
  const { day: today, startsAt } = localDayAt(timeZone, now.getTime())
  if (today < from || today > to) return null
  if (interval === 'hour') {
    return listHourLabels(timeZone, today)[Math.floor((now.getTime() - startsAt) / HOUR_MS)] ?? null
  }
  return listSlots({ from, to: today }, interval).at(-1)?.from ?? null
}

export interface Comparison {
  period: ComparedPeriod
  /** Whether Mondays are compared with Mondays. */
  matchesWeekdays: boolean
}

const DAYS_PER_WEEK = 7
/** 52 weeks, which is the number of weeks closest to a year. */
const YEAR_OF_WEEKS_DAYS = 364

/** Returns a function that converts a day of the range to the day that it is compared with. */
export function createDayShift(
  { from, to }: DateRange,
  { period, matchesWeekdays }: Comparison,
): (day: string) => string {
  // One year before 29 February is 28 February in Temporal.
  const duration =
    period === 'year' && !matchesWeekdays ? { years: 1 } : { days: countShiftDays(period, countDays(from, to)) }
  return (day) => Temporal.PlainDate.from(day).subtract(duration).toString()

  function countShiftDays(period: ComparedPeriod, days: number): number {
    if (period === 'year') return YEAR_OF_WEEKS_DAYS
    return matchesWeekdays ? Math.ceil(days / DAYS_PER_WEEK) * DAYS_PER_WEEK : days
  }
}

/**
 * Returns when the clocks showed the same time on `day` as they show at `now`. If the clocks skipped that time on `day`, it is
 * the time an hour later; if they showed it twice, the first time.
 */
export function findSameTimeOnDay(timeZone: string, now: Date, day: string): Date {
  const plainTime = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone).toPlainTime()
  return new Date(Temporal.PlainDate.from(day).toZonedDateTime({ timeZone, plainTime }).epochMilliseconds)
}
