/** Packs a week as the sum of its packed days, so that statistics over months and years read one row for seven days. */
import type { Queries } from '../../storage/client.ts'
import { type Dimension, dimensionNames } from '../model/dimensions.ts'
import { CountTable } from './count-table.ts'
import { addPackedCounts, packCounts } from './packed-counts.ts'
import { readPackedDays, type WebsiteWeek, writePackedWeek } from './store.ts'

/** The caller holds the traffic lock. Counts that are not packed yet stay in `traffic_counts`; statistics add them to the week. */
export async function packWeek(q: Queries, week: WebsiteWeek): Promise<void> {
  const days = await readPackedDays(q, week)
  const sumDays = (name: Dimension) => {
    const table = new CountTable()
    for (const { [name]: packed } of days) if (packed !== null) addPackedCounts(table, packed)
    return packCounts(table)
  }
  const columns = dimensionNames.map((name) => [name, sumDays(name)])
  await writePackedWeek(q, week, Object.fromEntries(columns))
}
