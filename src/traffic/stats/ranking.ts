/** Which values have the largest counts. */
import type { ReadableCounts } from '../packing/count-table.ts'

export interface RankedValue {
  id: number
  count: number
}

/** The largest first; of the same size the one that was seen first. */
const byRank = (one: RankedValue, other: RankedValue) => other.count - one.count || one.id - other.id

export function rankCounts(counts: ReadableCounts): RankedValue[] {
  const found: RankedValue[] = []
  counts.forEach((count, id) => {
    if (count > 0) found.push({ id, count })
  })
  return found.sort(byRank)
}

/** The first few of `rank`, without sorting all of them. */
export function findLargestCounts(counts: ReadableCounts, most: number): RankedValue[] {
  const found: RankedValue[] = []
  // Whatever is not larger than this cannot be among them.
  let tooSmall = 0
  counts.forEach((count, id) => {
    if (count <= tooSmall) return
    found.push({ id, count })
    if (found.length < most * 8) return
    found.sort(byRank).length = most
    tooSmall = (found[most - 1] as RankedValue).count - 1
  })
  return found.sort(byRank).slice(0, most)
}
