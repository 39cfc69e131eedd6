import type { VisitPrediction } from './model.ts'

/**
 * The visits expected in several outages together. Their errors are mostly independent, so the distances of the bounds add up as the
 * root of the sum of their squares: the range of a sum is narrower than the sum of the ranges.
 */
export function sumPredictions(predictions: readonly VisitPrediction[]): VisitPrediction {
  const mean = sumBy(predictions, (one) => one.mean)
  const variance = sumBy(predictions, (one) => one.mean + one.dispersion * one.mean ** 2)
  const below = Math.hypot(...predictions.map((one) => one.mean - one.low))
  const above = Math.hypot(...predictions.map((one) => one.high - one.mean))
  return {
    mean,
    dispersion: mean > 0 ? Math.max(0, (variance - mean) / mean ** 2) : 0,
    levelVariance: 0,
    possibleFall: 0,
    possibleRise: 0,
    expected: Math.round(mean),
    low: Math.max(0, Math.round(mean - below)),
    high: Math.round(mean + above),
    isUnusual: predictions.some((one) => one.isUnusual),
  }
}

function sumBy<T>(items: readonly T[], pick: (item: T) => number): number {
  return items.reduce((sum, item) => sum + pick(item), 0)
}
