import { describe, expect, it } from 'vitest'
import { bucketOf, bucketRange, mergeHistograms, percentile, totalCount } from './histogram.ts'

/** The same numbers in every run. */
function randoms(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

const each = (times: readonly number[]) =>
  mergeHistograms(times.map((ms) => ({ buckets: [bucketOf(ms)], counts: [1] })))

describe('a bucket', () => {
  it('holds one millisecond below 64', () => {
    for (let ms = 0; ms < 64; ms++) {
      expect(bucketOf(ms)).toBe(ms)
      expect(bucketRange(ms)).toEqual({ leastMs: ms, mostMs: ms })
    }
  })

  it('begins where the one before it ends and is at most 1/32 of that wide, as far as an integer reaches', () => {
    const last = bucketOf(2 ** 31 - 1)
    expect(last).toBe(863)
    for (let bucket = 1; bucket <= last; bucket++) {
      const { leastMs, mostMs } = bucketRange(bucket)
      expect(leastMs).toBe(bucketRange(bucket - 1).mostMs + 1)
      if (leastMs >= 64) expect((mostMs - leastMs + 1) / leastMs).toBeLessThanOrEqual(1 / 32)
      expect([bucketOf(leastMs), bucketOf(mostMs)]).toEqual([bucket, bucket])
    }
    expect(bucketRange(last).mostMs).toBe(2 ** 31 - 1)
  })

  it.each([
    [-3, 0],
    [12.9, 12],
    [2 ** 40, 863],
  ])('is there for %d too', (ms, bucket) => {
    expect(bucketOf(ms)).toBe(bucket)
  })
})

describe('the merged histogram', () => {
  it('has every bucket once, in order, with the sum of its counts', () => {
    const merged = mergeHistograms([
      { buckets: [70, 3], counts: [1, 2] },
      { buckets: [], counts: [] },
      { buckets: [3, 863, 5], counts: [40, 1, 7] },
    ])
    expect(merged).toEqual({ buckets: [3, 5, 70, 863], counts: [42, 7, 1, 1] })
    expect(totalCount(merged)).toBe(51)
  })

  it('of nothing is empty and has no percentiles', () => {
    const merged = mergeHistograms([])
    expect(totalCount(merged)).toBe(0)
    expect(percentile(merged, 0.5)).toBeNull()
  })
})

describe('a percentile', () => {
  it.each([1, 2, 3, 10, 99, 100, 101, 1_440, 5_000])('of %d is in the bucket of the one that sorting finds', (size) => {
    const random = randoms(size)
    // From 1 ms to 120 s, as many short ones as long ones by their digits.
    const times = Array.from({ length: size }, () => Math.floor(120_000 ** random()))
    const sorted = times.toSorted((a, b) => a - b)
    const whole = each(times)
    const halves = mergeHistograms([each(times.slice(0, size >> 1)), each(times.slice(size >> 1))])
    for (const share of [0, 0.01, 0.5, 0.9, 0.95, 0.99, 1]) {
      const exact = sorted[Math.max(0, Math.ceil(share * size) - 1)] ?? -1
      const { leastMs, mostMs } = bucketRange(bucketOf(exact))
      const found = percentile(whole, share)
      expect(found).toBeGreaterThanOrEqual(leastMs)
      expect(found).toBeLessThanOrEqual(mostMs)
      expect(percentile(halves, share)).toBe(found)
    }
  })
})
