/** Which values have the largest counts. */
import type { Counts } from '../packing/number-table.ts'

export interface Counted {
  id: number
  count: number
}

/** The largest first; of the same size the one that was seen first. */
const byRank = (one: Counted, other: Counted) => other.count - one.count || one.id - other.id

export function rank(counts: Counts): Counted[] {
  const found: Counted[] = []
  counts.forEach((count, id) => {
    if (count > 0) found.push({ id, count })
  })
  return found.sort(byRank)
}

/** The first few of `rank`, without sorting all of them. */
export function largest(counts: Counts, most: number): Counted[] {
  const found: Counted[] = []
  // Whatever is not larger than this cannot be among them.
  let tooSmall = 0
  counts.forEach((count, id) => {
    if (count <= tooSmall) return
    found.push({ id, count })
    if (found.length < most * 8) return
    found.sort(byRank).length = most
    tooSmall = (found[most - 1] as Counted).count - 1
  })
  return found.sort(byRank).slice(0, most)
}
