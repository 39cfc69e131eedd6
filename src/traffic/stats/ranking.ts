/** Ranks values by their counts. */
import type { ReadableCounts } from '../packing/count-table.ts'

export interface RankedValue {
  id: number
  count: number
}

/** Largest count first. Of equal counts, the value that was seen first has the smaller id and comes first. */
const compareRanks = (one: RankedValue, other: RankedValue) => other.count - one.count || one.id - other.id

export function rankCounts(counts: ReadableCounts): RankedValue[] {
  const rankedValues: RankedValue[] = []
  counts.forEach((count, id) => {
    if (count > 0) rankedValues.push({ id, count })
  })
  return rankedValues.sort(compareRanks)
}

/** Returns the first `limit` values of `rankCounts` without sorting all values. */
export function findLargestCounts(counts: ReadableCounts, limit: number): RankedValue[] {
  const candidates: RankedValue[] = []
  // Counts at or below this can no longer make the top list.
  let maxIgnoredCount = 0
  counts.forEach((count, id) => {
    if (count <= maxIgnoredCount) return
    candidates.push({ id, count })
    if (candidates.length < limit * 8) return
    candidates.sort(compareRanks).length = limit
    maxIgnoredCount = (candidates[limit - 1] as RankedValue).count - 1
  })
  return candidates.sort(compareRanks).slice(0, limit)
}
