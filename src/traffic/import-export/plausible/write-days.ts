/** Adds the staged counts to the statistics of their days. The caller holds the traffic lock. */
import { findMonday } from '../../../lib/local-day.ts'
import type { Queries } from '../../../storage/client.ts'
import { packWeek } from '../../packing/pack-week.ts'
import { addCount, type CountMap, packColumns } from '../../packing/packed-counts.ts'
import { packVisits } from '../../packing/packed-visits.ts'
import { writePackedDay } from '../../packing/store.ts'
import { addDayTotals } from '../../rollup/store.ts'
import type { DayTally } from '../../rollup/visits.ts'
import { addStagedCounts, readStagedCounts } from './import-store.ts'

/** Limits how long a statement takes and how many counts are in memory. */
const DAYS_PER_STATEMENT = 30

/**
 * Writes days that have no traffic in Belfry yet, directly in the packed form that `packDays` would give them later.
 * Importing 1.2 million values this way holds the lock for 13 seconds. Writing a row for each value first would take 20
 * seconds, and packing these rows another 20 seconds.
 */
export async function writeNewDays(q: Queries, websiteId: number, tallies: readonly DayTally[]): Promise<void> {
  for (const chunk of chunkDays(tallies)) {
    await q.batch(addDayTotals(chunk))
    const countsByDay = Map.groupBy(await readStagedCounts(q, websiteId, daysOf(chunk)), ({ day }) => day)
    for (const { day } of chunk) {
      const countsByDimensionNumber = new Map<number, CountMap>()
      for (const { dimensionNumber, valueId, count } of countsByDay.get(day) ?? []) {
        addCount(
          countsByDimensionNumber.getOrInsertComputed(dimensionNumber, () => new Map()),
          valueId,
          count,
        )
      }
      // Plausible exports totals without visits. So filters, which need the visits of a day, find none on these days.
      await writePackedDay(q, { websiteId, day }, packColumns(countsByDimensionNumber), packVisits([]))
    }
  }
  for (const week of new Set(tallies.map(({ day }) => findMonday(day)))) await packWeek(q, { websiteId, week })
}

export async function addToExistingDays(q: Queries, websiteId: number, tallies: readonly DayTally[]): Promise<void> {
  for (const chunk of chunkDays(tallies)) {
    await addStagedCounts(q, websiteId, daysOf(chunk))
    await q.batch(addDayTotals(chunk))
  }
}

const daysOf = (tallies: readonly DayTally[]) => tallies.map(({ day }) => day)

function* chunkDays(tallies: readonly DayTally[]): Generator<readonly DayTally[]> {
  for (let start = 0; start < tallies.length; start += DAYS_PER_STATEMENT) {
    yield tallies.slice(start, start + DAYS_PER_STATEMENT)
  }
}
