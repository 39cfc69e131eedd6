/**
 * Counts by the id of a value, as bytes. For each id, in ascending order: the difference to the previous id, and the count, as varints. Each
 * path of the page panel takes about 3 bytes. In arrays, it took 12, and replies of that size made the garbage collector of the main thread run
 * several times as often.
 */
import type { CountTable } from '../model/count-table.ts'
import { VarintReader, VarintWriter } from '../model/varint.ts'

/** Each element counts a different group of visitors, so the counts of an id in all elements add up. */
export type CountedValues = readonly Uint8Array[]

export function encodeTable(table: CountTable): CountedValues {
  const writer = new VarintWriter()
  let previousId = 0
  table.forEach((count, id) => {
    writer.write(id - previousId)
    writer.write(count)
    previousId = id
  })
  return writer.bytes.length === 0 ? [] : [Uint8Array.from(writer.bytes)]
}

export function addToTable(table: CountTable, values: CountedValues): void {
  for (const bytes of values) {
    const reader = new VarintReader(bytes)
    let id = 0
    while (!reader.isAtEnd) {
      id += reader.next()
      table.add(id, reader.next())
    }
  }
}

export const getByteLength = (values: CountedValues): number =>
  values.reduce((sum, { byteLength }) => sum + byteLength, 0)
