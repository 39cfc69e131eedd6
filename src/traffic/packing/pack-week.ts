/** A week is the sum of its days, so that a question about a month or a year reads a few rows and not one for each day. */
import { addDays } from '../../lib/local-day.ts'
import type { Queries } from '../../storage/client.ts'
import { type PanelDimension, panelDimensions } from '../model/dimensions.ts'
import { CountTable } from './count-table.ts'
import { addPackedCounts, packCounts } from './packed-counts.ts'
import { readPackedDays, type WebsiteWeek, writePackedWeek } from './store.ts'

/** The Monday of its week. */
export function startOfWeek(day: string): string {
  return addDays(day, 1 - Temporal.PlainDate.from(day).dayOfWeek)
}

/** Under the lock. Of what is packed: the rest is in rows and is added by whoever reads. */
export async function packWeek(q: Queries, week: WebsiteWeek): Promise<void> {
  const days = await readPackedDays(q, week)
  const sumOf = (name: PanelDimension) => {
    const table = new CountTable()
    for (const { [name]: packed } of days) if (packed !== null) addPackedCounts(table, packed)
    return packCounts(table)
  }
  const entries = panelDimensions.map((name) => [name, sumOf(name)])
  await writePackedWeek(q, week, Object.fromEntries(entries))
}
