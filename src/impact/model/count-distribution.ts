/**
 * The negative binomial distribution of counts: Poisson counts whose rate itself varies. Its variance is
 * mean + dispersion × mean², and it becomes the Poisson distribution as the dispersion goes to 0.
 */

export interface CountRange {
  low: number
  high: number
}

/** Below this mean, probabilities are summed exactly. Above it, the approximation is off by less than 1 % of the range. */
const MAX_SUMMED_MEAN = 300
/** The probability of a count below the range, and of one above it. */
const TAIL = 0.05
/** The 95 % quantile of the standard normal distribution. */
const NORMAL_QUANTILE = 1.6449
/** A dispersion of exactly 0 would divide by 0, and a tiny one would lose digits. */
const MIN_DISPERSION = 1e-7

/**
 * The range that contains 90 % of the counts. The probabilities of single counts don't add up to exactly 5 and 95 %, so
 * each end is the count that comes closest: always rounding outwards would cover far more than 90 % of small counts. If
 * the range begins at 0, no count is below it, so all of the 10 % outside are above it.
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
 * The factor by which an uncertain level lowers the low end of a range and raises its high end. `levelVariance` is the variance of the
 * level's logarithm, in addition to the dispersion. It is a factor, because a level that has changed may be half of the predicted
 * one as well as twice that.
 */
export function findStretch(mean: number, dispersion: number, levelVariance: number): number {
  if (levelVariance <= 0) return 1
  const usualVariance = dispersion + 1 / Math.max(1, mean)
  return Math.exp(NORMAL_QUANTILE * (Math.sqrt(usualVariance + levelVariance) - Math.sqrt(usualVariance)))
}

export interface LevelUncertainty {
  /** The variance of the level's logarithm after a departure from the last week. */
  levelVariance: number
  /** How far the true level may be below and above the predicted one, as the last hours suggest: logarithms of factors. */
  possibleFall: number
  possibleRise: number
}

/** The range that contains 90 % of the counts, if the level is uncertain, too. */
export function findUncertainRange(mean: number, dispersion: number, level: LevelUncertainty): CountRange {
  const stretch = findStretch(mean, dispersion, level.levelVariance)
  const below = Math.max(stretch, Math.exp(level.possibleFall))
  const above = Math.max(stretch, Math.exp(level.possibleRise))
  if (below === 1 && above === 1) return findCountRange(mean, dispersion)
  return { low: findCountRange(mean / below, dispersion).low, high: findCountRange(mean * above, dispersion).high }
}

/**
 * The 5 % and 95 % quantiles as if counts had fractions, by the expansion of Cornish and Fisher (1938) with the skewness.
 * `stretched` replaces its terms with the squared skewness and the kurtosis, whose ratio hardly depends on the dispersion.
 * It is accurate only for a small skewness.
 */
export function approximateRange(mean: number, dispersion: number): CountRange {
  const deviation = Math.sqrt(mean + dispersion * mean * mean)
  const skewness = (1 + 2 * dispersion * mean) / deviation
  const shift = (skewness * (NORMAL_QUANTILE ** 2 - 1)) / 6
  const stretched = NORMAL_QUANTILE - 0.045 * Math.min(1, skewness) ** 2
  return { low: mean + deviation * (shift - stretched), high: mean + deviation * (shift + stretched) }
}

/** The logarithm of the probability of exactly `count`. */
export function logProbability(count: number, mean: number, dispersion: number): number {
  if (mean <= 0) return count === 0 ? 0 : Number.NEGATIVE_INFINITY
  const size = 1 / Math.max(dispersion, MIN_DISPERSION)
  const logWays = logGamma(size + count) - logGamma(size) - logGamma(count + 1)
  return logWays - size * Math.log1p(mean / size) + count * Math.log(mean / (size + mean))
}

/** Stirling's series. Small arguments are moved up to where its error is under 1e−9. */
function logGamma(x: number): number {
  if (x < 8) return logGamma(x + 1) - Math.log(x)
  return (
    (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5)
  )
}
