/** What the settings of a website turned away, for its owner. */
import { siteDropReasons } from '../model/drop-reasons.ts'
import { daySeries, type Range } from '../stats/figures.ts'
import type { DroppedList } from './schema.ts'
import type { DroppedCount } from './store.ts'

/** Every reason, also one for which nothing was dropped. */
export function listDropped(range: Range, counted: readonly Omit<DroppedCount, 'websiteId'>[]): DroppedList {
  const data = siteDropReasons.map((reason) => {
    const days = counted.filter((row) => row.reason === reason)
    return {
      reason,
      count: days.reduce((sum, { count }) => sum + count, 0),
      series: daySeries(range, new Map(days.map(({ day, count }) => [day, count]))),
    }
  })
  return { data, meta: { ...range, total: data.reduce((sum, { count }) => sum + count, 0) } }
}
