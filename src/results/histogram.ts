/**
 * Histograms of response times. They are small and can be merged, so percentiles of an hour and of a year are computed
 * in the same way. Below 64 ms each bucket is one millisecond wide. From there on, each power of two has 32 buckets, so
 * a bucket is at most 1/32 as wide as its lowest value.
 *
 * The database stores bucket numbers, so this layout must never change. In a bucket number, the bits above the lowest ten are
 * the version of the layout, currently 0. A new layout would be version 1 and number its buckets from 1,024.
 */
const VERSION_SHIFT = 10

const SUB_BUCKET_BITS = 5
const SUB_BUCKETS = 2 ** SUB_BUCKET_BITS
/** The largest value of PostgreSQL's integer type. It falls into the last bucket, 863. */
const MAX_MS = 2 ** 31 - 1

/** `counts[n]` response times fell into `buckets[n]`. Each bucket occurs once. */
export interface Histogram {
  buckets: readonly number[]
  counts: readonly number[]
}

export function toBucket(ms: number): number {
  const wholeMs = Math.min(Math.max(Math.floor(ms), 0), MAX_MS)
  const shift = countIgnoredBits(wholeMs)
  return shift * SUB_BUCKETS + (wholeMs >> shift)
}

/** Both ends are inclusive. */
export function getBucketRange(bucket: number): { minMs: number; maxMs: number } {
  const version = bucket >> VERSION_SHIFT
  if (version !== 0) throw new RangeError(`Histogram bucket ${bucket} has the unknown version ${version}.`)
  const shift = Math.max(0, Math.floor(bucket / SUB_BUCKETS) - 1)
  const minMs = (bucket - shift * SUB_BUCKETS) * 2 ** shift
  return { minMs, maxMs: minMs + 2 ** shift - 1 }
}

/** Returns how many of the value's lowest bits don't affect its bucket. */
function countIgnoredBits(ms: number): number {
  return Math.max(0, 31 - Math.clz32(ms) - SUB_BUCKET_BITS)
}

/** Returns the buckets in ascending order. */
export function mergeHistograms(histograms: Iterable<Histogram>): Histogram {
  const countsByBucket = new Map<number, number>()
  for (const { buckets, counts } of histograms)
    for (const [n, bucket] of buckets.entries())
      countsByBucket.set(bucket, (countsByBucket.get(bucket) ?? 0) + (counts[n] ?? 0))
  const buckets = [...countsByBucket.keys()].sort((a, b) => a - b)
  return { buckets, counts: buckets.map((bucket) => countsByBucket.get(bucket) ?? 0) }
}

export function sumCounts({ counts }: Histogram): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/**
 * Computes the nearest-rank percentile and returns the middle of its bucket. `share` is between 0 and 1. Expects the
 * buckets in ascending order. Returns null for an empty histogram.
 */
export function computePercentile(histogram: Histogram, share: number): number | null {
  const rank = Math.max(1, Math.ceil(share * sumCounts(histogram)))
  let cumulative = 0
  for (const [n, bucket] of histogram.buckets.entries()) {
    cumulative += histogram.counts[n] ?? 0
    if (cumulative >= rank) {
      const { minMs, maxMs } = getBucketRange(bucket)
      return Math.floor((minMs + maxMs) / 2)
    }
  }
  return null
}
