/**
 * Counts by the number of their value, in as few letters as may be: ordered by number, how far each is from the one before
 * and its count. 5,000 pages of a day are 20 kB or less.
 */
import { type Counts, NumberTable } from './number-table.ts'
import { NumberReader, NumberWriter } from './varint.ts'

export type Sums = Map<number, number>

export function addCount(sums: Sums, value: number, count: number): void {
  sums.set(value, (sums.get(value) ?? 0) + count)
}

/** null: there is nothing. */
export function pack(counts: Counts): string | null {
  const pairs: [value: number, count: number][] = []
  counts.forEach((count, value) => {
    if (count > 0) pairs.push([value, count])
  })
  pairs.sort(([one], [other]) => one - other)
  if (pairs.length === 0) return null
  const writer = new NumberWriter()
  let before = 0
  for (const [value, count] of pairs) {
    writer.write(value - before)
    writer.write(count)
    before = value
  }
  return writer.toString()
}

export function unpack(packed: string | null): Sums {
  const table = new NumberTable()
  if (packed !== null) addPacked(table, packed)
  const sums: Sums = new Map()
  table.forEach((count, value) => {
    sums.set(value, count)
  })
  return sums
}

export function addPacked(table: NumberTable, packed: string): void {
  const reader = new NumberReader(packed)
  let value = 0
  while (!reader.isOver) {
    value += reader.next()
    table.add(value, reader.next())
  }
}
