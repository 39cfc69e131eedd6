/** The dispersion: how far visits are from their prediction, beyond the chance of Poisson counts. */
import { approximateRange } from './count-distribution.ts'
import type { PastWindows } from './past-windows.ts'

const COVERAGE = 0.9
/** With few past windows, the dispersion stays near this one, as if so many further windows had shown it. */
const PRIOR_DISPERSION = 0.02
const PRIOR_WINDOWS = 4
/** Past windows don't show all that can happen. So many more are assumed, all of them outside their range. */
const UNSEEN_WINDOWS = 0.25
const MAX_DISPERSION = 3
/** Smaller differences between dispersions hardly change a range. */
const DISPERSION_STEP = 5e-4
const BISECTIONS = 11
/** Windows without traffic say nothing. */
const MIN_WINDOW_MEAN = 0.05
const MIN_WEIGHT = 0.01

/**
 * The dispersion whose 90 % ranges cover 90 % of the past windows. `predicted` are their visits as predicted from other
 * weeks, so that the errors contain all that is uncertain: chance, the level, and the profile. Windows with about `mean`
 * predicted visits count most.
 */
export function calibrateDispersion(windows: PastWindows, predicted: Float64Array, mean: number): number {
  const weights = new Float64Array(predicted.length)
  for (let window = 0; window < predicted.length; window++) {
    const windowMean = predicted[window] ?? 0
    if (windowMean < MIN_WINDOW_MEAN || mean <= 0) continue
    weights[window] = (windows.weights[window] ?? 0) * Math.min(windowMean / mean, mean / windowMean)
  }
  let low = 0
  let high = MAX_DISPERSION
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = Math.sqrt((low + DISPERSION_STEP) * (high + DISPERSION_STEP)) - DISPERSION_STEP
    if (measureCoverage(windows, predicted, weights, mean, middle) < COVERAGE) low = middle
    else high = middle
  }
  return high
}

function measureCoverage(
  { visits }: PastWindows,
  predicted: Float64Array,
  weights: Float64Array,
  mean: number,
  dispersion: number,
): number {
  let covered = PRIOR_WINDOWS * measurePriorCoverage(mean, dispersion)
  let total = PRIOR_WINDOWS + UNSEEN_WINDOWS
  for (let window = 0; window < weights.length; window++) {
    const weight = weights[window] ?? 0
    if (weight < MIN_WEIGHT) continue
    const { low, high } = approximateRange(predicted[window] ?? 0, dispersion)
    const count = visits[window] ?? 0
    // A count stands for all values that round to it. The part of them inside the range is covered.
    covered += weight * clamp(Math.min(high, count + 0.5) - Math.max(low, count - 0.5))
    total += weight
  }
  return covered / total
}

/** The share of windows with the prior dispersion that a range of another dispersion covers. */
function measurePriorCoverage(mean: number, dispersion: number): number {
  const ratio = Math.sqrt((1 + dispersion * mean) / (1 + PRIOR_DISPERSION * mean))
  // tanh approximates the normal distribution: 0.9 at a ratio of 1.
  return Math.tanh(1.4722 * ratio)
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share))
}
