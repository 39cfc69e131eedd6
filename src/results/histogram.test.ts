import { describe, expect, it } from 'vitest'
import { computePercentile, getBucketRange, mergeHistograms, sumCounts, toBucket } from './histogram.ts'

/** Generates the same numbers in every run. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

const histogramOf = (times: readonly number[]) =>
  mergeHistograms(times.map((ms) => ({ buckets: [toBucket(ms)], counts: [1] })))

describe('a histogram bucket', () => {
  it('is one millisecond wide below 64 ms', () => {
    for (let ms = 0; ms < 64; ms++) {
      expect(toBucket(ms)).toBe(ms)
      expect(getBucketRange(ms)).toEqual({ minMs: ms, maxMs: ms })
    }
  })

  it('starts where the previous one ends and is at most 1/32 as wide as its lowest value', () => {
    const last = toBucket(2 ** 31 - 1)
    expect(last).toBe(863)
    for (let bucket = 1; bucket <= last; bucket++) {
      const { minMs, maxMs } = getBucketRange(bucket)
      expect(minMs).toBe(getBucketRange(bucket - 1).maxMs + 1)
      if (minMs >= 64) expect((maxMs - minMs + 1) / minMs).toBeLessThanOrEqual(1 / 32)
      expect([toBucket(minMs), toBucket(maxMs)]).toEqual([bucket, bucket])
    }
    expect(getBucketRange(last).maxMs).toBe(2 ** 31 - 1)
  })

  it.each([
    [-3, 0],
    [12.9, 12],
    [2 ** 40, 863],
  ])('of %d ms is %d', (ms, bucket) => {
    expect(toBucket(ms)).toBe(bucket)
  })
})

/** Databases contain these bucket numbers, so never change the expected ranges. */
describe('a stored bucket', () => {
  it.each([
    [12, { minMs: 12, maxMs: 12 }],
    [70, { minMs: 76, maxMs: 77 }],
    [300, { minMs: 11_264, maxMs: 11_519 }],
    [863, { minMs: 2_113_929_216, maxMs: 2_147_483_647 }],
  ])('of version 0 keeps its range: %d', (bucket, range) => {
    expect(getBucketRange(bucket)).toEqual(range)
  })

  it('of an unknown version is rejected', () => {
    expect(() => getBucketRange(1_024 + 12)).toThrow('Histogram bucket 1036 has the unknown version 1.')
  })
})

describe('a merged histogram', () => {
  it('contains each bucket once, in ascending order, with the sum of its counts', () => {
    const mergedHistogram = mergeHistograms([
      { buckets: [70, 3], counts: [1, 2] },
      { buckets: [], counts: [] },
      { buckets: [3, 863, 5], counts: [40, 1, 7] },
    ])
    expect(mergedHistogram).toEqual({ buckets: [3, 5, 70, 863], counts: [42, 7, 1, 1] })
    expect(sumCounts(mergedHistogram)).toBe(51)
  })

  it('of no histograms is empty and has no percentiles', () => {
    const mergedHistogram = mergeHistograms([])
    expect(sumCounts(mergedHistogram)).toBe(0)
    expect(computePercentile(mergedHistogram, 0.5)).toBeNull()
  })
})

describe('a percentile', () => {
  it.each([1, 2, 3, 10, 99, 100, 101, 1_440, 5_000])(
    'of %d times is in the same bucket as the exact percentile',
    (size) => {
      const random = seededRandom(size)
      // The times range from 1 ms to 120 s, evenly distributed on a logarithmic scale.
      const times = Array.from({ length: size }, () => Math.floor(120_000 ** random()))
      const sortedTimes = times.toSorted((a, b) => a - b)
      const histogram = histogramOf(times)
      const mergedHalves = mergeHistograms([
        histogramOf(times.slice(0, size >> 1)),
        histogramOf(times.slice(size >> 1)),
      ])
      for (const share of [0, 0.01, 0.5, 0.9, 0.95, 0.99, 1]) {
        const exactPercentile = sortedTimes[Math.max(0, Math.ceil(share * size) - 1)] ?? -1
        const { minMs, maxMs } = getBucketRange(toBucket(exactPercentile))
        const result = computePercentile(histogram, share)
        expect(result).toBeGreaterThanOrEqual(minMs)
        expect(result).toBeLessThanOrEqual(maxMs)
        expect(computePercentile(mergedHalves, share)).toBe(result)
      }
    },
  )
})
