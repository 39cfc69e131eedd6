/**
 * Counts by the number of their value, in as few letters as may be: ordered by number, how far each is from the one before
 * and its count. 5,000 pages of a day are 20 kB or less.
 */
import { CountTable, type ReadableCounts } from './count-table.ts'
import { VarintReader, VarintWriter } from './varint.ts'

export type CountMap = Map<number, number>

export function addCount(sums: CountMap, value: number, count: number): void {
  sums.set(value, (sums.get(value) ?? 0) + count)
}

/** null: there is nothing. */
export function packCounts(counts: ReadableCounts): string | null {
  const pairs: [value: number, count: number][] = []
  counts.forEach((count, value) => {
    if (count > 0) pairs.push([value, count])
  })
  pairs.sort(([one], [other]) => one - other)
  if (pairs.length === 0) return null
  const writer = new VarintWriter()
  let before = 0
  for (const [value, count] of pairs) {
    writer.write(value - before)
    writer.write(count)
    before = value
  }
  return writer.toString()
}

export function unpackCounts(packed: string | null): CountMap {
  const table = new CountTable()
  if (packed !== null) addPackedCounts(table, packed)
  const sums: CountMap = new Map()
  table.forEach((count, value) => {
    sums.set(value, count)
  })
  return sums
}

export function addPackedCounts(table: CountTable, packed: string): void {
  const reader = new VarintReader(packed)
  let value = 0
  while (!reader.isOver) {
    value += reader.next()
    table.add(value, reader.next())
  }
}
