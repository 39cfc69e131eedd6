/** A week is the sum of its days, so that a question about a month or a year reads a few rows and not one for each day. */
import { addDays } from '../../lib/local-day.ts'
import type { Queries } from '../../storage/client.ts'
import { type PanelDimension, panelDimensions } from '../model/dimensions.ts'
import { NumberTable } from './number-table.ts'
import { addPacked, pack } from './packed.ts'
import { readPackedDays, type SiteWeek, writeWeek } from './store.ts'

/** The Monday of its week. */
export function weekOf(day: string): string {
  return addDays(day, 1 - Temporal.PlainDate.from(day).dayOfWeek)
}

/** Under the lock. Of what is packed: the rest is in rows and is added by whoever reads. */
export async function packWeek(q: Queries, week: SiteWeek): Promise<void> {
  const days = await readPackedDays(q, week)
  const sumOf = (name: PanelDimension) => {
    const table = new NumberTable()
    for (const { [name]: packed } of days) if (packed !== null) addPacked(table, packed)
    return pack(table)
  }
  const entries = panelDimensions.map((name) => [name, sumOf(name)])
  await writeWeek(q, week, Object.fromEntries(entries))
}
