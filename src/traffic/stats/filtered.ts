/** Statistics over a part of the traffic: days that are over from their packed visits, the others from the events. */
import type { Queries } from '../../storage/client.ts'
import type { Dimension } from '../model/dimensions.ts'
import { type Counts, NumberTable } from '../packing/number-table.ts'
import { addCount, type Sums } from '../packing/packed.ts'
import type { Days, DayTotalsRow } from './counts-store.ts'
import {
  type Condition,
  countFiltered,
  type FilteredRow,
  type MeasuredDay,
  measurePackedVisits,
  readPackedVisits,
  type Wanted,
} from './filtered-store.ts'
import { VisitFilter } from './visit-filter.ts'

export interface Filtered {
  totals: DayTotalsRow[]
  counts: ReadonlyMap<Dimension, Counts>
  hours: Record<'view_hours' | 'visitor_hours', Map<string, Sums>>
}

/** Packed visits at a time: some 25 ms, for which this process does nothing else. */
const LETTERS_AT_ONCE = 1_000_000

export async function readFiltered(
  q: Queries,
  days: Days,
  conditions: readonly Condition[],
  wanted: Wanted,
): Promise<Filtered> {
  const counts = new FilteredCounts()
  const there = await measurePackedVisits(q, days)
  const unpacked = there.filter(({ letters }) => letters === null).map(({ day }) => day)
  if (unpacked.length > 0) {
    for (const row of await countFiltered(q, days.websiteId, unpacked, conditions, wanted)) counts.addRow(row)
  }
  const filter = new VisitFilter(conditions, wanted)
  for (const some of portionsOf(there)) {
    for (const { day, packed } of await readPackedVisits(q, days.websiteId, some)) filter.count(day, packed, counts)
  }
  return counts.toFiltered()
}

function* portionsOf(days: readonly MeasuredDay[]): Generator<string[]> {
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
  readonly #tables = new Map<Dimension, NumberTable>()
  readonly #hours: Filtered['hours'] = { view_hours: new Map(), visitor_hours: new Map() }

  addTotals(totals: DayTotalsRow): void {
    this.#totals.push(totals)
  }

  table(dimension: Dimension): NumberTable {
    return this.#tables.getOrInsertComputed(dimension, () => new NumberTable())
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

  toFiltered(): Filtered {
    return { totals: this.#totals, counts: this.#tables, hours: this.#hours }
  }
}
