/** How likely the visits of a slot are at each of the 25 levels: negative binomial counts around rate × level. */

import { HOURS_PER_WEEK } from '../model/visit-history.ts'
/** What the silence watch knows about a website: kept as JSON, and renewed daily. */
export interface SilenceModel {
  /** Expected visits per slot by local hour of the week, at level 1. */
  rates: number[]
  /** Extra variance of a slot's count, relative to the square of its mean: 0 for Poisson. */
  dispersion: number
  /** Standard deviation of how far the logarithm of the level moves in an hour. */
  drift: number
  /** Standard deviation of the logarithm of the level of usual days. */
  spread: number
  /** How many times the expected visits an hour must have to be a spike. */
  spikeFactor: number
}

export const levels: readonly number[] = [
  ...[0.03, 0.048, 0.076, 0.12, 0.195, 0.31],
  ...Array.from({ length: 13 }, (_, index) => 0.5 * 4 ** (index / 12)),
  ...[2.7, 3.6, 4.9, 6.6, 8.9, 12],
]
export const LEVEL_COUNT = levels.length

/** Slots with more visits are computed without the table. */
export const MAX_TABLE_VISITS = 40

/**
 * Fits and replays need each hour of one model many times, so the values of the last model are remembered: 100 kB in all,
 * not for each website.
 */
let model: SilenceModel | undefined
const isKnown = new Uint8Array(HOURS_PER_WEEK)
const hazards = new Float64Array(HOURS_PER_WEEK * LEVEL_COUNT)
const silences = new Float64Array(HOURS_PER_WEEK * LEVEL_COUNT)
const visitFactors = new Float64Array(HOURS_PER_WEEK * LEVEL_COUNT)

/** −ln of the probability that a slot has no visits, by level. The row of an hour begins at hour × LEVEL_COUNT. */
export function getHazards(of: SilenceModel, hour: number): Float64Array {
  if (model !== of) {
    model = of
    tableHour = -1
    isKnown.fill(0)
  }
  if (isKnown[hour]) return hazards
  isKnown[hour] = 1
  const rate = of.rates[hour] ?? 0
  for (let index = 0; index < LEVEL_COUNT; index++) {
    const at = hour * LEVEL_COUNT + index
    const hazard = findHazard(rate * (levels[index] as number), of.dispersion)
    hazards[at] = hazard
    silences[at] = Math.exp(-hazard)
    visitFactors[at] = findVisitFactor(of, rate, index)
  }
  return hazards
}

/** A row of likelihoods by level for each number of visits, as far as they were needed in the last hour. */
const table = new Float64Array((MAX_TABLE_VISITS + 1) * LEVEL_COUNT)
let tableHour = -1
let tableVisits = 0

/** The likelihoods of up to `visits` visits: the row of n visits begins at n × LEVEL_COUNT. */
export function getLikelihoods(of: SilenceModel, hour: number, visits: number): Float64Array {
  getHazards(of, hour)
  const from = hour * LEVEL_COUNT
  if (tableHour !== hour) {
    tableHour = hour
    tableVisits = 0
    for (let index = 0; index < LEVEL_COUNT; index++) table[index] = silences[from + index] as number
  }
  for (; tableVisits < visits; tableVisits++) {
    const row = tableVisits * LEVEL_COUNT
    for (let index = 0; index < LEVEL_COUNT; index++)
      table[row + LEVEL_COUNT + index] = (table[row + index] as number) * (visitFactors[from + index] as number)
  }
  return table
}

/** What each visit multiplies the likelihood of a level by, except for a factor that all levels share. */
export function findVisitFactor({ dispersion }: SilenceModel, rate: number, index: number): number {
  const level = levels[index] as number
  return level / (1 + dispersion * rate * level)
}

/** −ln of the probability that a negative binomial count with this mean is 0. */
export function findHazard(mean: number, dispersion: number): number {
  const spread = mean * dispersion
  return spread < 1e-6 ? mean : Math.log1p(spread) / dispersion
}
