/**
 * Filtered statistics. A packed day has all its visits in one column, and this process counts the matching ones. On all other
 * days, PostgreSQL counts the matching events.
 */
import type { Queries } from '../../storage/client.ts'
import type { Dimension, HourColumn } from '../model/dimensions.ts'
import { CountTable, type ReadableCounts } from '../packing/count-table.ts'
import { addCount } from '../packing/packed-counts.ts'
import type { DayTotalsRow, VisitTotals, WebsiteDays } from './counts-store.ts'
import {
  countMatchingEvents,
  type FilterCondition,
  type FilteredRow,
  type PackedDaySize,
  type RequestedParts,
  readPackedDaySizes,
  readPackedVisits,
} from './filtered-store.ts'
import { createHourStatistics, type HourStatistics } from './hours-store.ts'
import { VisitFilter } from './visit-filter.ts'

/** Statistics of some days. Parts that were not requested are empty. */
export interface PeriodStatistics {
  totals: DayTotalsRow[]
  counts: ReadonlyMap<Dimension, ReadableCounts>
  hours: HourStatistics
}

/** Days are read in chunks of up to this size, to save memory. Counting a full chunk blocks the event loop for about 25 ms. */
const MAX_BYTES_PER_READ = 1_000_000

export async function readFilteredStatistics(
  q: Queries,
  days: WebsiteDays,
  conditions: readonly FilterCondition[],
  parts: RequestedParts,
): Promise<PeriodStatistics> {
  const counts = new FilteredCounts()
  const sizes = await readPackedDaySizes(q, days)
  const unpackedDays = sizes.filter(({ bytes }) => bytes === null).map(({ day }) => day)
  if (unpackedDays.length > 0) {
    for (const row of await countMatchingEvents(q, days.websiteId, unpackedDays, conditions, parts)) counts.addRow(row)
  }
  const filter = new VisitFilter(conditions, parts)
  for (const chunk of chunkPackedDays(sizes)) {
    for (const { day, packed } of await readPackedVisits(q, days.websiteId, chunk)) filter.countDay(day, packed, counts)
  }
  return counts.toStatistics()
}

function* chunkPackedDays(days: readonly PackedDaySize[]): Generator<string[]> {
  let chunk: string[] = []
  let chunkBytes = 0
  for (const { day, bytes } of days) {
    if (bytes === null || bytes === 0) continue
    if (chunkBytes > 0 && chunkBytes + bytes > MAX_BYTES_PER_READ) {
      yield chunk
      chunk = []
      chunkBytes = 0
    }
    chunk.push(day)
    chunkBytes += bytes
  }
  if (chunk.length > 0) yield chunk
}

export class FilteredCounts {
  readonly #totals: DayTotalsRow[] = []
  readonly #tables = new Map<Dimension, CountTable>()
  readonly #hours = createHourStatistics()

  addTotals(totals: DayTotalsRow): void {
    this.#totals.push(totals)
  }

  getCountTable(dimension: Dimension): CountTable {
    return this.#tables.getOrInsertComputed(dimension, () => new CountTable())
  }

  addHour(column: HourColumn, day: string, hour: number, count: number): void {
    addCount(
      this.#hours[column].getOrInsertComputed(day, () => new Map()),
      hour,
      count,
    )
  }

  /** Adds visits that began in the hour. */
  addVisits(day: string, hour: number, { visits, bounces, durationMs, views }: VisitTotals): void {
    const totals = this.#hours.visits
      .getOrInsertComputed(day, () => new Map())
      .getOrInsertComputed(hour, () => ({ visits: 0, bounces: bounces === null ? null : 0, durationMs: 0, views: 0 }))
    totals.visits += visits
    if (totals.bounces !== null) totals.bounces += bounces ?? 0
    totals.durationMs += durationMs
    totals.views += views
  }

  addRow(row: FilteredRow): void {
    if (row.part === 'totals') this.addTotals(row)
    else if (row.part === 'panel') this.getCountTable(row.dimension).add(row.value, row.count)
    else if (row.part === 'visit_hours') this.addVisits(row.day, row.hour, row)
    else this.addHour(row.part, row.day, row.hour, row.count)
  }

  toStatistics(): PeriodStatistics {
    return { totals: this.#totals, counts: this.#tables, hours: this.#hours }
  }
}
