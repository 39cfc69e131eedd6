/**
 * How many visits a website would have had in a period, if nothing had been wrong. This file describes the whole method:
 *
 *   expected visits = profile × level
 *   range           = 5 % and 95 % quantiles of a negative binomial distribution with that mean and a dispersion
 *
 * 1. Profile (profile.ts): the usual visits per slot in each of the 168 local hours of a week, from the 8 weeks before.
 *    The visits of a slot are compared with how busy its day was, so that holidays and growth don't distort the profile.
 *    An hour with few visits is pulled towards the product hour of the day × weekday. Rates of slots are interpolated
 *    between the hours.
 * 2. Level (level.ts): how busy the website is at the beginning of the period, compared with the profile. It is
 *    e^(Σ trust × deviation) over four horizons: the last week, day, 4 hours and hour. A deviation is ln(visits ÷ expected),
 *    shrunk so that few visits say little. Trust is the coefficient of a horizon. After a departure (the last 20 minutes to
 *    24 hours differ from the last week), the last hour is trusted most.
 * 3. Past windows (level.ts): periods of the same length, one per hour of the history. Each is predicted in the
 *    same way, by the profile and the trust of all other weeks. Those at a similar time of day count most. They show how
 *    far each horizon can be trusted (least squares, with a prior) and how wrong the predictions are.
 * 4. Dispersion (range.ts): chosen so that the ranges of the past windows cover 90 % of their visits. It contains
 *    everything that makes the prediction uncertain: the level, the profile, and visitors who come in bursts.
 * 5. Range (range.ts): quantiles of the negative binomial distribution, whose variance is
 *    mean + dispersion × mean², each rounded to the count that comes closest. After a departure that is unusual for the
 *    website, nobody knows how long it lasts: the larger the departure, the further both ends move apart. If the last hours suggest
 *    a fall or rise that may still be chance, only that end moves, so that the range contains both the old level and the new one.
 *    The past windows are measured with the same factors, so that the dispersion doesn't contain this uncertainty twice.
 * 6. No estimate: on quiet days, which the owner has listed (measure.ts), after a change by more than a factor of 100,
 *    and while visits rise steeply, because nobody knows how far (level.ts).
 *
 * Counts at or after the beginning of the period, and counts of excluded slots, are never read. docs/impact.md explains
 * the assumptions, and bench/joined measures how often the range contains the true number.
 */
import { type Impact, sumVisitRanges, type Visitors } from '../../shared/impact.ts'
import { LevelPredictor } from './level.ts'
import { collectPastWindows, sumUsableSlots } from './past-windows.ts'
import { fitVisitProfile, sumProfile, tallyHistory } from './profile.ts'
import {
  calibrateDispersion,
  findCountRange,
  findUncertainRange,
  type LevelUncertainty,
  logProbability,
} from './range.ts'
import { SLOTS_PER_DAY, SLOTS_PER_WEEK, type VisitHistory } from './visit-history.ts'

/**
 * The predicted visits of a period, and how uncertain they are. `levelVariance` is the part of `dispersion` that is due
 * to a recent change of the level.
 */
export interface VisitPrediction extends LevelUncertainty {
  mean: number
  /** Determines the variance of the visits, which is mean + dispersion × mean². Includes `levelVariance`. */
  dispersion: number
  /** The mean, rounded. */
  expected: number
  /** The visits are from `low` to `high` with a probability of 90 %. */
  low: number
  high: number
  /** Whether an estimate would be unreliable, for example because recent visits rise steeply, or on quiet days. */
  isUnusual: boolean
}

const PROFILE_WEEKS = 8
const MIN_USABLE_SLOTS = 2 * SLOTS_PER_WEEK
/**
 * Past windows are as long as the predicted period, but at most this long, because 8 weeks contain too few longer windows.
 * A longer period gets the dispersion of windows of this length.
 */
const MAX_WINDOW_SLOTS = 2 * SLOTS_PER_DAY
/**
 * The largest departure with an estimate, as a logarithm: ln 100. No simulation shows that ranges are right after a
 * larger change.
 */
const MAX_DEPARTURE = 4.6
/** The share of periods whose actual visits should be in the predicted range. */
const CONFIDENCE = 0.9
/** If the upper bound of the visits is lower than this, there is no estimate, because it would only be noise. */
const MIN_VISITS_HIGH = 5

/**
 * Predicts the visits from `from` to `to`. Both are times in slots, as in the history. Returns undefined if fewer than two
 * weeks of the 8 weeks before are usable.
 */
export function predictVisits(history: VisitHistory, from: number, to: number): VisitPrediction | undefined {
  const end = Math.floor(from)
  const start = Math.max(0, end - PROFILE_WEEKS * SLOTS_PER_WEEK)
  const tally = tallyHistory(history, start, end)
  if (tally.usableSlots < MIN_USABLE_SLOTS) return undefined

  const sums = sumUsableSlots(history, tally)
  const windowSlots = Math.min(MAX_WINDOW_SLOTS, Math.max(1, Math.round(to - from)))
  const windows = collectPastWindows(tally, sums, windowSlots)
  const levelPredictor = new LevelPredictor(sums, windows, tally.weeks)

  const { level, departure, possibleFall, possibleRise, isRising } = levelPredictor.predict(end)
  const mean = level * sumProfile(history, fitVisitProfile(tally, undefined), from, to)
  const past = levelPredictor.predictPastWindows()
  const { dispersion, levelVariance } = calibrateDispersion(windows, { past, mean, departure })
  const uncertainty = { dispersion: dispersion + levelVariance, levelVariance, possibleFall, possibleRise }
  return { ...predictFromMean(mean, uncertainty), isUnusual: isRising || departure > MAX_DEPARTURE }
}

/**
 * Returns the prediction for a part of the predicted period. `mean` is the number of visits expected in that part. The
 * uncertainty is that of the whole period.
 */
export function predictFromMean(
  mean: number,
  {
    dispersion,
    levelVariance,
    possibleFall,
    possibleRise,
  }: Pick<VisitPrediction, 'dispersion' | keyof LevelUncertainty>,
): Omit<VisitPrediction, 'isUnusual'> {
  const level = { levelVariance, possibleFall, possibleRise }
  const range = findUncertainRange(mean, dispersion - levelVariance, level)
  return { mean, dispersion, ...level, expected: Math.round(mean), ...range }
}

/** Adds up the predictions of several outages, whose errors count as independent. */
export function sumPredictions(predictions: readonly VisitPrediction[]): VisitPrediction {
  const { visits: mean, low, high } = sumVisitRanges(predictions.map((one) => ({ ...one, visits: one.mean })))
  const variance = predictions.reduce((sum, one) => sum + (one.mean + one.dispersion * one.mean ** 2), 0)
  return {
    mean,
    dispersion: mean > 0 ? Math.max(0, (variance - mean) / mean ** 2) : 0,
    levelVariance: 0,
    possibleFall: 0,
    possibleRise: 0,
    expected: Math.round(mean),
    low,
    high,
    isUnusual: predictions.some((one) => one.isUnusual),
  }
}

/**
 * Returns what an incident cost: the predicted visits minus the actual ones. Without enough history, there is no
 * prediction.
 */
export function measureImpact(prediction: VisitPrediction | undefined, actual: number): Impact {
  if (prediction === undefined) return { ...noEstimate, basis: 'too_little_history' }
  const { expected, low, high } = prediction
  if (prediction.isUnusual) return { ...noEstimate, basis: 'unusual_traffic' }
  if (high < MIN_VISITS_HIGH) return { ...noEstimate, basis: 'too_little_traffic' }
  return {
    visits_expected: expected,
    visits_low: low,
    visits_high: high,
    visits_seen: actual,
    visits_missed: Math.max(0, expected - actual),
    visits_missed_low: Math.max(0, low - actual),
    visits_missed_high: Math.max(0, high - actual),
    confidence: CONFIDENCE,
    basis: 'profile',
  }
}

const noEstimate = {
  visits_expected: null,
  visits_low: null,
  visits_high: null,
  visits_seen: null,
  visits_missed: null,
  visits_missed_low: null,
  visits_missed_high: null,
  confidence: CONFIDENCE,
}

/** Shares of the usual visits that may arrive although a website is down, from caches or from hosts that still work. */
const remainingShares = [0.002, 0.01, 0.03, 0.06] as const
const MAX_REMAINING_SHARE = 0.06
/**
 * A slow website, or one that fails in one region, keeps at least this share of its usual visits. Its visitors are not
 * `gone`.
 */
const MIN_REDUCED_SHARE = 0.45
/**
 * The result is `gone` or `normal` only if the visits are this many times as likely under that assumption as under the
 * opposite one (likelihood ratio).
 */
const MIN_LIKELIHOOD_RATIO = 100
/** If fewer visits are expected, the result is `unknown`, whatever the likelihoods are. */
const MIN_EXPECTED_VISITS = 5

/**
 * Returns whether visitors confirm that a website is down: a check can fail although they arrive as usual. Compares how
 * likely the visits since the first failed check are if all visitors are gone, and if they arrive as usual. Returns
 * `unknown` if too few visits were expected to tell, if traffic is too unusual, or if the visits fit neither
 * assumption: a slow website or a failure in one region often loses only some visits.
 */
export function judgeVisitors(prediction: VisitPrediction | undefined, actual: number): Visitors {
  if (prediction === undefined || prediction.isUnusual || prediction.mean < MIN_EXPECTED_VISITS) return 'unknown'
  const { mean, dispersion, low } = prediction
  const logUsual = logProbability(actual, mean, dispersion)
  const logReduced = logProbability(actual, mean * MIN_REDUCED_SHARE, dispersion)
  const logGone = averageLog(remainingShares.map((share) => logProbability(actual, mean * share, dispersion)))
  const minDifference = Math.log(MIN_LIKELIHOOD_RATIO)
  const logNotGone = Math.max(logUsual, logReduced)
  if (logGone - logNotGone >= minDifference && actual <= findCountRange(mean * MAX_REMAINING_SHARE, dispersion).high)
    return 'gone'
  // Only the lower bound counts: more visits than usual are no reason to doubt that visitors arrive.
  if (logNotGone - logGone >= minDifference && actual >= low) return 'normal'
  return 'unknown'
}

/** Returns the logarithm of the mean of the values whose logarithms are given. */
function averageLog(logs: readonly number[]): number {
  const max = Math.max(...logs)
  if (max === Number.NEGATIVE_INFINITY) return max
  return max + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - max), 0) / logs.length)
}
