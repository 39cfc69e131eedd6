/** Summarizes how many events a website's settings dropped. */
import { websiteDropReasons } from '../model/drop-reasons.ts'
import { createDaySeries, type DateRange } from '../stats/figures.ts'
import type { DroppedList } from './schema.ts'
import type { DropCount } from './store.ts'

/** Includes reasons with a count of 0. */
export function summarizeDropCounts(range: DateRange, counts: readonly Omit<DropCount, 'websiteId'>[]): DroppedList {
  const data = websiteDropReasons.map((reason) => {
    const reasonCounts = counts.filter((row) => row.reason === reason)
    return {
      reason,
      count: reasonCounts.reduce((sum, { count }) => sum + count, 0),
      series: createDaySeries(range, new Map(reasonCounts.map(({ day, count }) => [day, count]))),
    }
  })
  return { data, meta: { ...range, total: data.reduce((sum, { count }) => sum + count, 0) } }
}
