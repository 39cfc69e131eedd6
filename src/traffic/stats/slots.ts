/** The slots of a series: the hours, days, weeks or months of a range. Pure functions. */
import { addDays, findMonday, listDays, localDayAt } from '../../lib/local-day.ts'
import type { SeriesInterval } from '../../shared/statistics.ts'
import { HOUR_MS } from '../../shared/time.ts'
import type { DateRange } from './figures.ts'
import { listHourLabels } from './hour-labels.ts'

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
 * Returns the slots of the compared period. Each week or month is compared with the days that correspond to its own days, even
 * if they don't form a calendar week or month, so that slots of the same length are compared.
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
