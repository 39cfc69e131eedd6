import { describe, expect, it } from 'vitest'
import { seededRandom } from '../demo/random.ts'
import { findLargestCounts, rankCounts } from './panels.ts'

describe('the largest counts', () => {
  it('are the beginning of the ranking, for any number of values and for equal counts', () => {
    const random = seededRandom(3)
    for (const [valueCount, maxCount] of [
      [5, 10],
      [300, 3],
      [5_000, 40],
      [5_000, 1_000_000],
    ] as const) {
      const countsById = new Map(
        Array.from({ length: valueCount }, () => [Math.floor(random() * 1e6), Math.floor(random() * maxCount) - 1]),
      )
      expect(findLargestCounts(countsById, 10)).toEqual(rankCounts(countsById).slice(0, 10))
    }
  })
})
