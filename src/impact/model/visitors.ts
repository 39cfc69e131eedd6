/** Whether visitors confirm that a website is down: a probe can fail although they arrive as usual. */
import type { Visitors } from '../../shared/impact.ts'
import { findCountRange, logProbability } from './count-distribution.ts'
import type { VisitPrediction } from './model.ts'

/** Visits that arrive although a website is down, as shares of the usual ones: from caches, or from hosts that still work. */
const remainingShares = [0.002, 0.01, 0.03, 0.06] as const
const MAX_REMAINING_SHARE = 0.06
/** A slow website, or a failure in one region, leaves at least this share. These visitors are not gone. */
const MIN_REDUCED_SHARE = 0.45
/** `gone` and `normal` need visits that are this many times more likely than under the opposite assumption. */
const MIN_LIKELIHOOD_RATIO = 100
/** Fewer expected visits are too little evidence, whatever the likelihoods are. */
const MIN_EXPECTED_VISITS = 5

/**
 * Compares how likely the visits since the first failed check are if all visitors are gone, and if they arrive as usual.
 * Returns unknown if too few were expected to tell, if traffic is too unusual, or if the visits fit neither: a slow website
 * or a failure in one region often loses some of them.
 */
export function judgeVisitors(prediction: VisitPrediction | undefined, seen: number): Visitors {
  if (prediction === undefined || prediction.isUnusual || prediction.mean < MIN_EXPECTED_VISITS) return 'unknown'
  const { mean, dispersion, low } = prediction
  const logUsual = logProbability(seen, mean, dispersion)
  const logReduced = logProbability(seen, mean * MIN_REDUCED_SHARE, dispersion)
  const logGone = averageLog(remainingShares.map((share) => logProbability(seen, mean * share, dispersion)))
  const minDifference = Math.log(MIN_LIKELIHOOD_RATIO)
  const logNotGone = Math.max(logUsual, logReduced)
  if (logGone - logNotGone >= minDifference && seen <= findCountRange(mean * MAX_REMAINING_SHARE, dispersion).high)
    return 'gone'
  // More visits than usual are no reason to doubt that visitors arrive.
  if (logNotGone - logGone >= minDifference && seen >= low) return 'normal'
  return 'unknown'
}

/** The logarithm of the mean of values whose logarithms are given. */
function averageLog(logs: readonly number[]): number {
  const max = Math.max(...logs)
  if (max === Number.NEGATIVE_INFINITY) return max
  return max + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - max), 0) / logs.length)
}
