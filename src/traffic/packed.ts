/**
 * Counts by the number of their value, in as few letters as may be: ordered by number, how far each is from the one before
 * and its count, both in as few bytes as they need, all of it in base64. 5,000 pages of a day are 20 kB or less.
 */
import { NumberTable } from './number-table.ts'

export type Sums = Map<number, number>

export function addCount(sums: Sums, value: number, count: number): void {
  sums.set(value, (sums.get(value) ?? 0) + count)
}

/** null: there is nothing. */
export function pack(sums: Sums): string | null {
  const pairs = [...sums].filter(([, count]) => count > 0).sort(([one], [other]) => one - other)
  if (pairs.length === 0) return null
  const bytes: number[] = []
  let before = 0
  for (const [value, count] of pairs) {
    write(bytes, value - before)
    write(bytes, count)
    before = value
  }
  return Buffer.from(bytes).toString('base64')
}

/** Seven bits a byte, the lowest first; the eighth says that there are more. */
function write(bytes: number[], number: number): void {
  let rest = number
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  bytes.push(rest)
}

export function addPacked(sums: Sums, packed: string): void {
  unpack(packed, (value, count) => addCount(sums, value, count))
}

/** Many days at once: in a table of numbers it takes half the time that a Map takes. */
export function sumPacked(days: readonly string[]): Sums {
  const table = new NumberTable()
  for (const packed of days) unpack(packed, (value, count) => table.add(value, count))
  return table.toSums()
}

function unpack(packed: string, take: (value: number, count: number) => void): void {
  const bytes = Buffer.from(packed, 'base64')
  let at = 0
  let value = 0
  const read = () => {
    let number = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++]
      if (byte === undefined) throw new RangeError('The packed counts are cut off.')
      if (byte < 128) return number + byte * factor
      number += (byte - 128) * factor
    }
  }
  while (at < bytes.length) {
    value += read()
    take(value, read())
  }
}
