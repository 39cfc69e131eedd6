/** Statistics over a part of the traffic: days that are over from their packed visits, the others from the events. */
import type { Queries } from '../../storage/client.ts'
import type { Dimension } from '../model/dimensions.ts'
import { CountTable, type ReadableCounts } from '../packing/count-table.ts'
import { addCount, type CountMap } from '../packing/packed-counts.ts'
import type { DayTotalsRow, WebsiteDays } from './counts-store.ts'
import {
  countMatchingEvents,
  type FilterCondition,
  type FilteredParts,
  type FilteredRow,
  type PackedDaySize,
  readPackedDaySizes,
  readPackedVisits,
} from './filtered-store.ts'
import { VisitFilter } from './visit-filter.ts'

export interface FilteredStatistics {
  totals: DayTotalsRow[]
  counts: ReadonlyMap<Dimension, ReadableCounts>
  hours: Record<'view_hours' | 'visitor_hours', Map<string, CountMap>>
}

/** Packed visits at a time: some 25 ms, for which this process does nothing else. */
const LETTERS_AT_ONCE = 1_000_000

export async function readFilteredStatistics(
  q: Queries,
  days: WebsiteDays,
  conditions: readonly FilterCondition[],
  wanted: FilteredParts,
): Promise<FilteredStatistics> {
  const counts = new FilteredCounts()
  const there = await readPackedDaySizes(q, days)
  const unpacked = there.filter(({ letters }) => letters === null).map(({ day }) => day)
  if (unpacked.length > 0) {
    for (const row of await countMatchingEvents(q, days.websiteId, unpacked, conditions, wanted)) counts.addRow(row)
  }
  const filter = new VisitFilter(conditions, wanted)
  for (const some of portionsOf(there)) {
    for (const { day, packed } of await readPackedVisits(q, days.websiteId, some)) filter.count(day, packed, counts)
  }
  return counts.toFiltered()
}

function* portionsOf(days: readonly PackedDaySize[]): Generator<string[]> {
  let some: string[] = []
  let size = 0
  for (const { day, letters } of days) {
    if (letters === null || letters === 0) continue
    if (size > 0 && size + letters > LETTERS_AT_ONCE) {
      yield some
      some = []
      size = 0
    }
    some.push(day)
    size += letters
  }
  if (some.length > 0) yield some
}

export class FilteredCounts {
  readonly #totals: DayTotalsRow[] = []
  readonly #tables = new Map<Dimension, CountTable>()
  readonly #hours: FilteredStatistics['hours'] = { view_hours: new Map(), visitor_hours: new Map() }

  addTotals(totals: DayTotalsRow): void {
    this.#totals.push(totals)
  }

  table(dimension: Dimension): CountTable {
    return this.#tables.getOrInsertComputed(dimension, () => new CountTable())
  }

  addHour(name: 'view_hours' | 'visitor_hours', day: string, hour: number, count: number): void {
    addCount(
      this.#hours[name].getOrInsertComputed(day, () => new Map()),
      hour,
      count,
    )
  }

  addRow(row: FilteredRow): void {
    if (row.part === 'totals') this.addTotals(row)
    else if (row.part === 'panel') this.table(row.dimension).add(row.value, row.count)
    else this.addHour(row.part, row.day, row.hour, row.count)
  }

  toFiltered(): FilteredStatistics {
    return { totals: this.#totals, counts: this.#tables, hours: this.#hours }
  }
}
