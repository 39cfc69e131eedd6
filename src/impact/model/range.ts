/**
 * The range of visits around their prediction. Counts follow a negative binomial distribution: Poisson counts whose rate itself varies.
 * Its variance is mean + dispersion × mean², and it becomes the Poisson distribution as the dispersion goes to 0.
 *
 * The dispersion says how far visits are from their prediction, beyond the chance of Poisson counts. Right after a change, nobody
 * knows whether it lasts, so the level is uncertain, too.
 */
import type { PastPredictions } from './level.ts'
import type { PastWindows } from './past-windows.ts'

export interface CountRange {
  low: number
  high: number
}

/**
 * Up to this mean, the probabilities of single counts are added up. Above it, an approximation is used, whose ends are
 * off by less than 1 % of the range.
 */
const MAX_SUMMED_MEAN = 300
/** The probability of a count below the range, and of one above it. */
const TAIL = 0.05
/** The 95 % quantile of the standard normal distribution. */
const NORMAL_QUANTILE = 1.6449
/**
 * Smaller dispersions are raised to this one. A dispersion of 0 would cause a division by 0, and a tiny one would lose
 * digits.
 */
const MIN_DISPERSION = 1e-7

/**
 * Returns the range that contains 90 % of the counts. The probabilities of single counts don't add up to exactly 5 %
 * and 95 %, so each end is the count that comes closest. Always rounding outwards would cover far more than 90 % of
 * small counts. If the range begins at 0, no count is below it, so all of the 10 % outside are above it.
 */
export function findCountRange(mean: number, dispersion: number): CountRange {
  if (mean <= 0) return { low: 0, high: 0 }
  if (mean > MAX_SUMMED_MEAN) {
    const { low, high } = approximateRange(mean, dispersion)
    return { low: Math.max(0, Math.round(low)), high: Math.round(high) }
  }
  let low = -1
  let probabilityBelow = 0
  let maxProbability = 1 - TAIL
  let probability = Math.exp(logProbability(0, mean, dispersion))
  for (let count = 0; ; count++) {
    const probabilityUpTo = probabilityBelow + probability
    if (low < 0 && probabilityUpTo >= TAIL) {
      low = TAIL - probabilityBelow <= probabilityUpTo - TAIL ? count : count + 1
      if (low === 0) maxProbability = 1 - 2 * TAIL
    }
    if (probabilityUpTo >= maxProbability) {
      const isCountBeforeCloser = maxProbability - probabilityBelow < probabilityUpTo - maxProbability
      return { low, high: Math.max(low, isCountBeforeCloser ? count - 1 : count) }
    }
    probabilityBelow = probabilityUpTo
    probability *= (mean * (1 + count * dispersion)) / ((count + 1) * (1 + dispersion * mean))
  }
}

/**
 * Returns the factor by which an uncertain level lowers the low end of a range and raises its high end. `levelVariance`
 * is the variance of the level's logarithm, in addition to the dispersion. The ends move by a factor, because the true
 * level is as likely to be half of the predicted level as to be twice the predicted level.
 */
export function findStretch(mean: number, dispersion: number, levelVariance: number): number {
  if (levelVariance <= 0) return 1
  const usualVariance = dispersion + 1 / Math.max(1, mean)
  return Math.exp(NORMAL_QUANTILE * (Math.sqrt(usualVariance + levelVariance) - Math.sqrt(usualVariance)))
}

export interface LevelUncertainty {
  /**
   * The variance of the level's logarithm after a recent change: nobody knows how long the new level lasts. 0 if the
   * level differs from that of the last week no more than usual.
   */
  levelVariance: number
  /**
   * How far the true level may be below and above the predicted one, judging by the last hours, as logarithms of
   * factors.
   */
  possibleFall: number
  possibleRise: number
}

/** Returns the range that contains 90 % of the counts if not only the counts but also their level is uncertain. */
export function findUncertainRange(mean: number, dispersion: number, level: LevelUncertainty): CountRange {
  const stretch = findStretch(mean, dispersion, level.levelVariance)
  const below = Math.max(stretch, Math.exp(level.possibleFall))
  const above = Math.max(stretch, Math.exp(level.possibleRise))
  if (below === 1 && above === 1) return findCountRange(mean, dispersion)
  return { low: findCountRange(mean / below, dispersion).low, high: findCountRange(mean * above, dispersion).high }
}

/**
 * Approximates the 5 % and 95 % quantiles, not rounded to whole counts, by the Cornish-Fisher expansion (1938). `shift` is the
 * term with the skewness. The terms with the squared skewness and the excess kurtosis are replaced with −0.045 × skewness²,
 * because the excess kurtosis is always 1 to 1.5 times the squared skewness. The expansion is accurate only for a small skewness.
 */
export function approximateRange(mean: number, dispersion: number): CountRange {
  const deviation = Math.sqrt(mean + dispersion * mean * mean)
  const skewness = (1 + 2 * dispersion * mean) / deviation
  const shift = (skewness * (NORMAL_QUANTILE ** 2 - 1)) / 6
  const adjustedQuantile = NORMAL_QUANTILE - 0.045 * Math.min(1, skewness) ** 2
  return { low: mean + deviation * (shift - adjustedQuantile), high: mean + deviation * (shift + adjustedQuantile) }
}

/** Returns the logarithm of the probability of exactly `count` visits. */
export function logProbability(count: number, mean: number, dispersion: number): number {
  if (mean <= 0) return count === 0 ? 0 : Number.NEGATIVE_INFINITY
  const size = 1 / Math.max(dispersion, MIN_DISPERSION)
  const logWays = logGamma(size + count) - logGamma(size) - logGamma(count + 1)
  return logWays - size * Math.log1p(mean / size) + count * Math.log(mean / (size + mean))
}

/**
 * Returns ln Γ(x) by Stirling's series, whose error is under 1e−9 for x ≥ 8. A smaller x is increased to that by Γ(x) =
 * Γ(x + 1) ÷ x.
 */
function logGamma(x: number): number {
  if (x < 8) return logGamma(x + 1) - Math.log(x)
  return (
    (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5)
  )
}

/** The share of past windows whose range should contain their actual visits. */
const COVERAGE = 0.9
/**
 * The prior of the dispersion, which counts as much as `PRIOR_WINDOWS` past windows. With few past windows, the
 * dispersion stays near it.
 */
const PRIOR_DISPERSION = 0.01
const PRIOR_WINDOWS = 4
const MAX_DISPERSION = 3
/** The precision of the dispersion. Smaller differences hardly change a range. */
const DISPERSION_STEP = 5e-4
/** The search for the dispersion narrows its interval this many times. */
const BISECTIONS = 11
/** Past windows with fewer predicted visits are skipped, because they say nearly nothing about the dispersion. */
const MIN_WINDOW_MEAN = 0.05
/** Past windows with a smaller weight are skipped, because they hardly change the dispersion. */
const MIN_WEIGHT = 0.01

/**
 * The standard deviation of the level's logarithm, as a share of the departure: of the logarithm of the factor by which
 * the level differs from that of the last week.
 */
const DEPARTURE_UNCERTAINTY = 0.8
/** The standard deviation of the level's logarithm approaches this for very large departures, but never reaches it. */
const MAX_LEVEL_DEVIATION = 2

export interface Calibration {
  /** The dispersion of the visits if their level is the same as in the last week. */
  dispersion: number
  /**
   * The variance of the level's logarithm after a recent change: nobody knows how long the new level lasts. 0 if the
   * level differs from that of the last week no more than usual.
   */
  levelVariance: number
}

interface CalibrationInput {
  past: PastPredictions
  /** The predicted visits of the period. */
  mean: number
  /** How far the level just before the period departs from that of the last week, as the logarithm of a factor. */
  departure: number
}

/**
 * Finds the dispersion with which the 90 % ranges of the past windows contain the visits of 90 % of them. Each window
 * is predicted from the other weeks, so its error contains everything that is uncertain: chance, the level, and the
 * profile. Windows with about `mean` predicted visits count most. A departure, or a possible change, before a window
 * widens its range as it would widen the period's.
 */
export function calibrateDispersion(windows: PastWindows, { past, mean, departure }: CalibrationInput): Calibration {
  const usualDeparture = findUsualDeparture(past.departures, windows.weights)
  const similarWindows = selectWindows(windows, past, mean, usualDeparture)
  let low = 0
  let high = MAX_DISPERSION
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = Math.sqrt((low + DISPERSION_STEP) * (high + DISPERSION_STEP)) - DISPERSION_STEP
    if (measureCoverage(similarWindows, mean, middle) < COVERAGE) low = middle
    else high = middle
  }
  return { dispersion: high, levelVariance: findLevelVariance(departure, usualDeparture) }
}

interface WeightedWindow {
  weight: number
  mean: number
  visits: number
  levelVariance: number
  /** The factor by which a possible change of the level widens the range on the side where the actual visits are. */
  minStretch: number
}

/**
 * Selects the past windows whose predicted visits are similar to `mean`. The more similar they are, the more a window
 * counts.
 */
function selectWindows(windows: PastWindows, past: PastPredictions, mean: number, usualDeparture: number) {
  const selectedWindows: WeightedWindow[] = []
  for (let window = 0; window < past.visits.length; window++) {
    const windowMean = past.visits[window] ?? 0
    if (windowMean < MIN_WINDOW_MEAN || mean <= 0) continue
    const weight = (windows.weights[window] ?? 0) * Math.min(windowMean / mean, mean / windowMean)
    if (weight < MIN_WEIGHT) continue
    const visits = windows.visits[window] ?? 0
    const possibleChange = (visits > windowMean ? past.possibleRises : past.possibleFalls)[window] ?? 0
    const levelVariance = findLevelVariance(past.departures[window] ?? 0, usualDeparture)
    selectedWindows.push({ weight, mean: windowMean, visits, levelVariance, minStretch: Math.exp(possibleChange) })
  }
  return selectedWindows
}

/**
 * Returns the variance of the level's logarithm. A departure that is usual for the website adds no uncertainty. After a
 * larger one, nobody knows how long it lasts.
 */
function findLevelVariance(departure: number, usualDeparture: number): number {
  const deviation = DEPARTURE_UNCERTAINTY * Math.sqrt(Math.max(0, departure ** 2 - usualDeparture ** 2))
  return (deviation / (1 + deviation / MAX_LEVEL_DEVIATION)) ** 2
}

/** Returns the median departure before those past windows whose time of day is similar to the period's. */
function findUsualDeparture(departures: Float64Array, weights: Float64Array): number {
  const minWeight = weights.reduce((max, weight) => Math.max(max, weight), 0) / 3
  const similarDepartures = departures.filter((_, window) => (weights[window] ?? 0) >= minWeight).sort()
  return similarDepartures[Math.floor(similarDepartures.length / 2)] ?? 0
}

function measureCoverage(windows: readonly WeightedWindow[], mean: number, dispersion: number): number {
  let coveredWeight = PRIOR_WINDOWS * measurePriorCoverage(mean, dispersion)
  let total = PRIOR_WINDOWS
  for (const { weight, mean: windowMean, visits, levelVariance, minStretch } of windows) {
    const stretch = Math.max(minStretch, findStretch(windowMean, dispersion, levelVariance))
    // A count above the mean can only be beyond the high end, and a count below it only beyond the low end. Computing
    // just that end makes a prediction a third faster.
    const usualRange = stretch === 1 ? approximateRange(windowMean, dispersion) : undefined
    const isAbove = visits > windowMean
    const stretchedRange =
      usualRange ?? approximateRange(isAbove ? windowMean * stretch : windowMean / stretch, dispersion)
    const low = usualRange || !isAbove ? stretchedRange.low : Number.NEGATIVE_INFINITY
    const high = usualRange || isAbove ? stretchedRange.high : Number.POSITIVE_INFINITY
    // A count stands for all values that round to it. The share of these values inside the range counts as covered.
    coveredWeight += weight * clamp(Math.min(high, visits + 0.5) - Math.max(low, visits - 0.5))
    total += weight
  }
  return coveredWeight / total
}

/**
 * Returns the share of windows inside a range computed with `dispersion`, if their visits have the dispersion
 * `PRIOR_DISPERSION`.
 */
function measurePriorCoverage(mean: number, dispersion: number): number {
  const ratio = Math.sqrt((1 + dispersion * mean) / (1 + PRIOR_DISPERSION * mean))
  // tanh approximates the share of a normal distribution inside the range. The share is 0.9 at a ratio of 1, where both
  // dispersions are the same.
  return Math.tanh(1.4722 * ratio)
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share))
}
