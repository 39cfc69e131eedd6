/** Summarizes how many events a website's settings dropped. */

import { listDays } from '../../lib/local-day.ts'
import { websiteDropReasons } from '../model/drop-reasons.ts'
import type { DateRange } from '../stats/figures.ts'
import type { DroppedList } from './schema.ts'
import type { DropCount } from './store.ts'

/** Includes reasons with a count of 0. */
export function summarizeDropCounts(range: DateRange, counts: readonly Omit<DropCount, 'websiteId'>[]): DroppedList {
  const days = listDays(range.from, range.to)
  const data = websiteDropReasons.map((reason) => {
    const reasonCounts = counts.filter((row) => row.reason === reason)
    const countsByDay = new Map(reasonCounts.map(({ day, count }) => [day, count]))
    return {
      reason,
      count: reasonCounts.reduce((sum, { count }) => sum + count, 0),
      series: days.map((day) => ({ value: day, count: countsByDay.get(day) ?? 0 })),
    }
  })
  return { data, meta: { ...range, total: data.reduce((sum, { count }) => sum + count, 0) } }
}
