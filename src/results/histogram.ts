/**
 * Response times by how many fell where: small, and the sum of two is again one, so the percentiles of an hour and of a
 * year are read alike. Buckets are exact below 64 ms; from there each doubling has 32 of them, at most 1/32 of their
 * beginning wide.
 */
const SUB_BUCKET_BITS = 5
const SUB_BUCKETS = 2 ** SUB_BUCKET_BITS
/** Whatever fits PostgreSQL's integer has a bucket; the last is 863. */
const MOST_MS = 2 ** 31 - 1

/** counts[n] response times fell into buckets[n]; a bucket stands there once. */
export interface Histogram {
  buckets: readonly number[]
  counts: readonly number[]
}

export function bucketOf(ms: number): number {
  const whole = Math.min(Math.max(Math.floor(ms), 0), MOST_MS)
  const shift = shiftOf(whole)
  return shift * SUB_BUCKETS + (whole >> shift)
}

/** Both ends belong to it. */
export function bucketRange(bucket: number): { leastMs: number; mostMs: number } {
  const shift = Math.max(0, Math.floor(bucket / SUB_BUCKETS) - 1)
  const leastMs = (bucket - shift * SUB_BUCKETS) * 2 ** shift
  return { leastMs, mostMs: leastMs + 2 ** shift - 1 }
}

/** How many of the lowest bits do not count. */
function shiftOf(ms: number): number {
  return Math.max(0, 31 - Math.clz32(ms) - SUB_BUCKET_BITS)
}

/** In the order of the buckets. */
export function mergeHistograms(histograms: Iterable<Histogram>): Histogram {
  const sums = new Map<number, number>()
  for (const { buckets, counts } of histograms)
    for (const [n, bucket] of buckets.entries()) sums.set(bucket, (sums.get(bucket) ?? 0) + (counts[n] ?? 0))
  const buckets = [...sums.keys()].sort((a, b) => a - b)
  return { buckets, counts: buckets.map((bucket) => sums.get(bucket) ?? 0) }
}

export function totalCount({ counts }: Histogram): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/**
 * The nearest rank: the least response time that at least this share did not exceed, as the middle of its bucket.
 * The buckets come in order; null when there are none.
 */
export function percentile(histogram: Histogram, share: number): number | null {
  const rank = Math.max(1, Math.ceil(share * totalCount(histogram)))
  let reached = 0
  for (const [n, bucket] of histogram.buckets.entries()) {
    reached += histogram.counts[n] ?? 0
    if (reached >= rank) {
      const { leastMs, mostMs } = bucketRange(bucket)
      return Math.floor((leastMs + mostMs) / 2)
    }
  }
  return null
}
