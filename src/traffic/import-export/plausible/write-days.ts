/** From what is staged to what days came to. Under the lock of the rollup. */
import type { Queries } from '../../../storage/client.ts'
import { type Dimension, dimensions } from '../../model/dimensions.ts'
import { packWeek, startOfWeek } from '../../packing/pack-week.ts'
import { addCount, type CountMap, packCounts } from '../../packing/packed-counts.ts'
import { writePackedDay } from '../../packing/store.ts'
import { addDayTotals } from '../../rollup/store.ts'
import type { DayTally } from '../../rollup/tally.ts'
import { addStagedCounts, readStagedCounts } from '../import-store.ts'

/** So that no statement takes long. */
const DAYS_AT_ONCE = 30
/** Totals are all there is of them. */
const NO_VISITS = ''
const names = Object.keys(dimensions) as Dimension[]

/**
 * Days that had nothing are written packed, as they would be in the end: a row for each, and not one for each value. With 1.2
 * million values nobody else can add up for 13 seconds, and not for 20 with as many again for packing.
 */
export async function writeNewDays(q: Queries, websiteId: number, all: readonly DayTally[]): Promise<void> {
  for (const days of inChunks(all)) {
    await q.batch(addDayTotals(days))
    const counts = Map.groupBy(await readStagedCounts(q, websiteId, namesOf(days)), ({ day }) => day)
    for (const { day } of days) {
      const sums = new Map<number, CountMap>()
      for (const { dimension, value, count } of counts.get(day) ?? []) {
        addCount(
          sums.getOrInsertComputed(dimension, () => new Map()),
          value,
          count,
        )
      }
      const packed = names.map((name) => [name, packCounts(sums.get(dimensions[name]) ?? new Map())])
      await writePackedDay(q, { websiteId, day }, { ...Object.fromEntries(packed), packed_visits: NO_VISITS })
    }
  }
  for (const week of new Set(all.map(({ day }) => startOfWeek(day)))) await packWeek(q, { websiteId, week })
}

export async function addToExistingDays(q: Queries, websiteId: number, all: readonly DayTally[]): Promise<void> {
  for (const days of inChunks(all)) {
    await addStagedCounts(q, websiteId, namesOf(days))
    await q.batch(addDayTotals(days))
  }
}

const namesOf = (days: readonly DayTally[]) => days.map(({ day }) => day)

function* inChunks(days: readonly DayTally[]): Generator<readonly DayTally[]> {
  for (let at = 0; at < days.length; at += DAYS_AT_ONCE) yield days.slice(at, at + DAYS_AT_ONCE)
}
