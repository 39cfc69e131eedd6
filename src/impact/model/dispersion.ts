/**
 * The dispersion: how far visits are from their prediction, beyond the chance of Poisson counts. Right after a change, nobody knows
 * whether it lasts, so the level is uncertain, too.
 */
import { approximateRange, findStretch } from './count-distribution.ts'
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

/** How fast the uncertainty of the level grows with a departure. */
const DEPARTURE_UNCERTAINTY = 1.1
/** The standard deviation of the level's logarithm stays below this. */
const MAX_LEVEL_DEVIATION = 2

export interface Calibration {
  /** The dispersion of visits as long as they don't depart from the last week. */
  dispersion: number
  /** The variance of the level's logarithm, because of a departure. */
  levelVariance: number
}

interface CalibrationInput {
  /** The visits of the past windows, as predicted from other weeks. */
  predicted: Float64Array
  /** The departure before each past window. */
  departures: Float64Array
  /** The predicted visits, and the departure before the period. */
  mean: number
  departure: number
}

/**
 * Finds the dispersion whose 90 % ranges cover 90 % of the past windows. The windows are predicted from other weeks, so that the
 * errors contain all that is uncertain: chance, the level, and the profile. Windows with about `mean` predicted visits count most.
 * A departure widens the ranges of past windows as much as the range of the period.
 */
export function calibrateDispersion(
  windows: PastWindows,
  { predicted, departures, mean, departure }: CalibrationInput,
): Calibration {
  const usualDeparture = findUsualDeparture(departures, windows.weights)
  const levelVariances = departures.map((each) => findLevelVariance(each, usualDeparture))
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
    if (measureCoverage(windows, { predicted, levelVariances, weights, mean, dispersion: middle }) < COVERAGE)
      low = middle
    else high = middle
  }
  return { dispersion: high, levelVariance: findLevelVariance(departure, usualDeparture) }
}

/** A departure that is usual for the website says nothing. A large one is certain itself, but not how long it lasts. */
function findLevelVariance(departure: number, usualDeparture: number): number {
  const unusual = DEPARTURE_UNCERTAINTY * Math.sqrt(Math.max(0, departure ** 2 - usualDeparture ** 2))
  return (unusual / (1 + unusual / MAX_LEVEL_DEVIATION)) ** 2
}

/** The median departure of the past windows at a similar time of day. */
function findUsualDeparture(departures: Float64Array, weights: Float64Array): number {
  const minWeight = weights.reduce((max, weight) => Math.max(max, weight), 0) / 3
  const similar = departures.filter((_, window) => (weights[window] ?? 0) >= minWeight).sort()
  return similar[Math.floor(similar.length / 2)] ?? 0
}

interface CoverageInput {
  predicted: Float64Array
  levelVariances: Float64Array
  weights: Float64Array
  mean: number
  dispersion: number
}

function measureCoverage({ visits }: PastWindows, input: CoverageInput): number {
  const { predicted, levelVariances, weights, mean, dispersion } = input
  let covered = PRIOR_WINDOWS * measurePriorCoverage(mean, dispersion)
  let total = PRIOR_WINDOWS + UNSEEN_WINDOWS
  for (let window = 0; window < weights.length; window++) {
    const weight = weights[window] ?? 0
    if (weight < MIN_WEIGHT) continue
    const windowMean = predicted[window] ?? 0
    const count = visits[window] ?? 0
    const stretch = findStretch(windowMean, dispersion, levelVariances[window] ?? 0)
    // The other end of the range is far from the count. Without computing it, a prediction takes a third less time.
    const usual = stretch === 1 ? approximateRange(windowMean, dispersion) : undefined
    const isAbove = count > windowMean
    const stretched = usual ?? approximateRange(isAbove ? windowMean * stretch : windowMean / stretch, dispersion)
    const low = usual || !isAbove ? stretched.low : Number.NEGATIVE_INFINITY
    const high = usual || isAbove ? stretched.high : Number.POSITIVE_INFINITY
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
