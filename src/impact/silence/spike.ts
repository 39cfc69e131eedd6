/**
 * Traffic spikes: unusually many visits in the last hour, compared with the usual week × the level of the day before. What
 * is unusual depends on the website's own days: one with bursts every week needs more visits for a spike than a steady one.
 */

import { SLOTS_PER_DAY, SLOTS_PER_HOUR, type VisitHistory } from '../model/visit-history.ts'
import type { SilenceModel } from './level-tables.ts'
import type { HourTotals } from './profile.ts'

export interface Spike {
  /** Visits in the last hour. */
  actual: number
  expected: number
  factor: number
}

/** If fewer visits a day are expected, averaged over the usual week, no spike is reported. */
const MIN_VISITS_A_DAY = 20
/** Fewer visits in an hour are never a spike. */
const MIN_SPIKE_VISITS = 20
/** The spike factor is at least this, even for a website that never had a burst. */
const MIN_FACTOR = 2.5
/** How many false alarms a year the spike factor allows. */
const SPIKES_A_YEAR = 2
/**
 * This number is added to the actual and to the expected visits. Without it, 3 visits at night instead of 0.5 would be
 * a factor of 6.
 */
const PRIOR_VISITS = 5
/** The exponential tail is fitted to this share of the days: those with the highest factors. */
const TAIL_SHARE = 0.2
/**
 * The prior of the tail's mean, which is the average of ln(factor ÷ highest factor of the days outside of the tail). It
 * counts as much as `PRIOR_DAYS` days.
 */
const PRIOR_DECAY = 0.12
const PRIOR_DAYS = 5
/** The spike factor is at least this many times the second highest daily factor of the last 8 weeks. */
const SECOND_HIGHEST_MARGIN = 1.4

/**
 * Returns the factor that the busiest hour of a day exceeds as often as false alarms are allowed. A factor is visits ÷
 * expected visits. The logarithms of the days' highest factors are assumed to have an exponential tail: each further
 * doubling is rarer by the same ratio.
 */
export function fitSpikeFactor(totals: HourTotals, rates: readonly number[]): number {
  const maxima = findDailyMaxima(totals, rates).sort((a, b) => b - a)
  const count = Math.max(1, Math.floor(maxima.length * TAIL_SHARE))
  const threshold = maxima[count] ?? 0
  const excess = maxima.slice(0, count).reduce((sum, value) => sum + value - threshold, 0)
  const decay = (excess + PRIOR_DECAY * PRIOR_DAYS) / (count + PRIOR_DAYS)
  const factor = Math.exp(threshold + decay * Math.log((365 * TAIL_SHARE) / SPIKES_A_YEAR))
  // If only a few days have bursts, one tail can't fit days with and days without bursts. So the second highest day is
  // a limit, too. The highest day doesn't count, because a product may have been launched on it.
  const usualBurst = SECOND_HIGHEST_MARGIN * Math.exp(maxima[1] ?? 0)
  return Number(Math.max(MIN_FACTOR, factor, usualBurst).toPrecision(3))
}

/**
 * Returns ln of the highest hourly factor of each day. The expected visits are at the level of the 24 hours before the
 * hour.
 */
function findDailyMaxima({ visits, slots, hourOfWeek, day }: HourTotals, rates: readonly number[]): number[] {
  const maxima: number[] = []
  let actualBefore = 0
  let expectedBefore = 0
  for (let index = 0; index < visits.length; index++) {
    const actual = visits[index] ?? 0
    const expected = (rates[hourOfWeek[index] ?? 0] ?? 0) * (slots[index] ?? 0)
    if (index >= 24) {
      const at = day[index] ?? 0
      const log = Math.log(findFactor(actual, expected * findLevel(actualBefore, expectedBefore)))
      maxima[at] = Math.max(maxima[at] ?? 0, log)
      const oldIndex = index - 24
      actualBefore -= visits[oldIndex] ?? 0
      expectedBefore -= (rates[hourOfWeek[oldIndex] ?? 0] ?? 0) * (slots[oldIndex] ?? 0)
    }
    actualBefore += actual
    expectedBefore += expected
  }
  return maxima.filter((value) => value !== undefined)
}

/**
 * Returns the level of the day before, but at least the usual level 1, so that the day after a holiday is not a spike.
 */
function findLevel(actual: number, expected: number): number {
  return Math.max(1, findFactor(actual, expected))
}

function findFactor(actual: number, expected: number): number {
  return (actual + PRIOR_VISITS) / (expected + PRIOR_VISITS)
}

/**
 * Looks at the hour before `now`. `recentHistory` must contain at least the 25 hours before `now`. Returns undefined if
 * nothing is unusual, or if a spike was found less than a day ago: one alert a day is enough, and the launch of a
 * product is reported once.
 */
export function detectSpike(
  fit: SilenceModel,
  recentHistory: VisitHistory,
  now: number,
  lastSpike?: number,
): Spike | undefined {
  if (lastSpike !== undefined && now - lastSpike < SLOTS_PER_DAY) return undefined
  const from = now - SLOTS_PER_HOUR
  let actual = 0
  for (let slot = from; slot < now; slot++) if (!recentHistory.excluded[slot]) actual += recentHistory.counts[slot] ?? 0
  if (actual < MIN_SPIKE_VISITS || sumWeek(fit) < 7 * MIN_VISITS_A_DAY) return undefined
  let actualBefore = 0
  let expectedBefore = 0
  for (let slot = Math.max(0, from - SLOTS_PER_DAY); slot < from; slot++) {
    if (recentHistory.excluded[slot]) continue
    actualBefore += recentHistory.counts[slot] ?? 0
    expectedBefore += fit.rates[recentHistory.hourOfWeek[slot] ?? 0] ?? 0
  }
  const level = findLevel(actualBefore, expectedBefore)
  let expected = 0
  for (let slot = from; slot < now; slot++)
    if (!recentHistory.excluded[slot]) expected += level * (fit.rates[recentHistory.hourOfWeek[slot] ?? 0] ?? 0)
  if (findFactor(actual, expected) < fit.spikeFactor) return undefined
  return { actual, expected, factor: actual / Math.max(expected, 1) }
}

function sumWeek({ rates }: SilenceModel): number {
  return rates.reduce((sum, rate) => sum + rate * SLOTS_PER_HOUR, 0)
}
