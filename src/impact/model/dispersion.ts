/**
 * The dispersion: how far visits are from their prediction, beyond the chance of Poisson counts. Right after a change, nobody knows
 * whether it lasts, so the level is uncertain, too.
 */
import { approximateRange, findStretch } from './count-distribution.ts'
import type { PastPredictions } from './level.ts'
import type { PastWindows } from './past-windows.ts'

const COVERAGE = 0.9
/** With few past windows, the dispersion stays near this one, as if so many further windows had shown it. */
const PRIOR_DISPERSION = 0.01
const PRIOR_WINDOWS = 4
const MAX_DISPERSION = 3
/** Smaller differences between dispersions hardly change a range. */
const DISPERSION_STEP = 5e-4
const BISECTIONS = 11
/** Windows without traffic say nothing. */
const MIN_WINDOW_MEAN = 0.05
const MIN_WEIGHT = 0.01

/** How fast the uncertainty of the level grows with a departure. */
const DEPARTURE_UNCERTAINTY = 0.8
/** The standard deviation of the level's logarithm stays below this. */
const MAX_LEVEL_DEVIATION = 2

export interface Calibration {
  /** The dispersion of visits as long as they don't depart from the last week. */
  dispersion: number
  /** The variance of the level's logarithm, because of a departure. */
  levelVariance: number
}

interface CalibrationInput {
  past: PastPredictions
  /** The predicted visits, and the departure before the period. */
  mean: number
  departure: number
}

/**
 * Finds the dispersion whose 90 % ranges cover 90 % of the past windows. The windows are predicted from other weeks, so that the
 * errors contain all that is uncertain: chance, the level, and the profile. Windows with about `mean` predicted visits count most.
 * A departure, or a possible change, widens the ranges of past windows as much as the range of the period.
 */
export function calibrateDispersion(windows: PastWindows, { past, mean, departure }: CalibrationInput): Calibration {
  const usualDeparture = findUsualDeparture(past.departures, windows.weights)
  const similar = selectWindows(windows, past, mean, usualDeparture)
  let low = 0
  let high = MAX_DISPERSION
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = Math.sqrt((low + DISPERSION_STEP) * (high + DISPERSION_STEP)) - DISPERSION_STEP
    if (measureCoverage(similar, mean, middle) < COVERAGE) low = middle
    else high = middle
  }
  return { dispersion: high, levelVariance: findLevelVariance(departure, usualDeparture) }
}

interface WeightedWindow {
  weight: number
  mean: number
  visits: number
  levelVariance: number
  /** The factor by which a possible change widens the range towards the visits. */
  minStretch: number
}

/** The past windows that say something about a period with `mean` predicted visits. */
function selectWindows(windows: PastWindows, past: PastPredictions, mean: number, usualDeparture: number) {
  const selected: WeightedWindow[] = []
  for (let window = 0; window < past.visits.length; window++) {
    const windowMean = past.visits[window] ?? 0
    if (windowMean < MIN_WINDOW_MEAN || mean <= 0) continue
    const weight = (windows.weights[window] ?? 0) * Math.min(windowMean / mean, mean / windowMean)
    if (weight < MIN_WEIGHT) continue
    const visits = windows.visits[window] ?? 0
    const possibleChange = (visits > windowMean ? past.possibleRises : past.possibleFalls)[window] ?? 0
    const levelVariance = findLevelVariance(past.departures[window] ?? 0, usualDeparture)
    selected.push({ weight, mean: windowMean, visits, levelVariance, minStretch: Math.exp(possibleChange) })
  }
  return selected
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

function measureCoverage(windows: readonly WeightedWindow[], mean: number, dispersion: number): number {
  let covered = PRIOR_WINDOWS * measurePriorCoverage(mean, dispersion)
  let total = PRIOR_WINDOWS
  for (const { weight, mean: windowMean, visits, levelVariance, minStretch } of windows) {
    const stretch = Math.max(minStretch, findStretch(windowMean, dispersion, levelVariance))
    // The other end of the range is far from the count. Without computing it, a prediction takes a third less time.
    const usual = stretch === 1 ? approximateRange(windowMean, dispersion) : undefined
    const isAbove = visits > windowMean
    const stretched = usual ?? approximateRange(isAbove ? windowMean * stretch : windowMean / stretch, dispersion)
    const low = usual || !isAbove ? stretched.low : Number.NEGATIVE_INFINITY
    const high = usual || isAbove ? stretched.high : Number.POSITIVE_INFINITY
    // A count stands for all values that round to it. The part of them inside the range is covered.
    covered += weight * clamp(Math.min(high, visits + 0.5) - Math.max(low, visits - 0.5))
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
