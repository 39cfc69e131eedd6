/** Counts by the number of their value, added up from days that are packed and days that are not. */

export type Sums = Map<number, number>

const PAIR_BYTES = 8

/** Pairs of value and count, as `traffic_days` has them. */
export function addPacked(sums: Sums, packed: Buffer): void {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  for (let offset = 0; offset < packed.byteLength; offset += PAIR_BYTES) {
    const value = view.getInt32(offset, true)
    sums.set(value, (sums.get(value) ?? 0) + view.getInt32(offset + 4, true))
  }
}

export function addCount(sums: Sums, value: number, count: number): void {
  sums.set(value, (sums.get(value) ?? 0) + count)
}

/** By value, so that what is like the day before is written alike and packs well. */
export function pack(sums: Sums): Buffer | null {
  const pairs = [...sums].filter(([, count]) => count !== 0).sort(([one], [other]) => one - other)
  if (pairs.length === 0) return null
  const packed = Buffer.alloc(pairs.length * PAIR_BYTES)
  for (const [index, [value, count]] of pairs.entries()) {
    packed.writeInt32LE(value, index * PAIR_BYTES)
    packed.writeInt32LE(count, index * PAIR_BYTES + 4)
  }
  return packed
}

export interface Counted {
  id: number
  count: number
}

/** The largest first; of the same size the one that was seen first. */
export function rank(sums: Sums): Counted[] {
  const found: Counted[] = []
  for (const [id, count] of sums) if (count > 0) found.push({ id, count })
  return found.sort((one, other) => other.count - one.count || one.id - other.id)
}

/** The first few of `rank`, without sorting all of them. */
export function largest(sums: Sums, most: number): Counted[] {
  const found: Counted[] = []
  let least = 0
  for (const [id, count] of sums) {
    if (count <= least) {
      if (count <= 0 || found.length >= most * 4) continue
    }
    found.push({ id, count })
    if (found.length < most * 8) continue
    found.sort((one, other) => other.count - one.count || one.id - other.id).length = most
    least = (found[most - 1] as Counted).count - 1
  }
  return found.sort((one, other) => other.count - one.count || one.id - other.id).slice(0, most)
}
