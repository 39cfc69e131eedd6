import { describe, expect, it } from 'vitest'
import { randoms } from '../../../tests/support/check-results.ts'
import { findLargestCounts, rankCounts } from './ranking.ts'

describe('the largest few', () => {
  it('are the first of all in order, however many there are and however alike', () => {
    const random = randoms(3)
    for (const [values, counts] of [
      [5, 10],
      [300, 3],
      [5_000, 40],
      [5_000, 1_000_000],
    ] as const) {
      const sums = new Map(
        Array.from({ length: values }, () => [Math.floor(random() * 1e6), Math.floor(random() * counts) - 1]),
      )
      expect(findLargestCounts(sums, 10)).toEqual(rankCounts(sums).slice(0, 10))
    }
  })
})
