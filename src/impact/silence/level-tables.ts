/**
 * Tables of probabilities that depend only on the model of a website: how likely the visits of a slot are at each of
 * the 25 levels (negative binomial counts whose mean is rate × level), and how likely the level moves to a neighboring
 * one.
 */
import { HOURS_PER_WEEK, SLOTS_PER_HOUR } from '../model/visit-history.ts'

/** What traffic alerts know about a website. It is stored as JSON and renewed daily. */
export interface SilenceModel {
  /** Expected visits per slot by local hour of the week, at level 1. */
  rates: number[]
  /** Extra variance of a slot's count, divided by the square of its mean. It is 0 for a Poisson count. */
  dispersion: number
  /** Standard deviation of the change of the level's logarithm in an hour. */
  drift: number
  /** Standard deviation of the logarithm of a day's level, over usual days. */
  spread: number
  /** A spike has at least this many times the expected visits of its hour. `detectSpike` has further conditions. */
  spikeFactor: number
}

/** The levels, as multiples of the usual visits. They are closest to each other around 1, where traffic usually is. */
export const levels: readonly number[] = [
  ...[0.03, 0.048, 0.076, 0.12, 0.195, 0.31],
  ...Array.from({ length: 13 }, (_, index) => 0.5 * 4 ** (index / 12)),
  ...[2.7, 3.6, 4.9, 6.6, 8.9, 12],
]
export const LEVEL_COUNT = levels.length
export const logLevels = levels.map(Math.log)

/** The likelihoods of slots with more visits are computed without a table. */
export const MAX_TABLE_VISITS = 40

/** Traffic above `HIGH_LEVEL` fades within hours, so the drift of these levels is at least `HIGH_LEVEL_DRIFT`. */
const HIGH_LEVEL = 1.9
const HIGH_LEVEL_DRIFT = 0.35

/** The probability of each level to move to the next higher and to the next lower level within a slot. */
export interface LevelMoves {
  up: Float64Array
  down: Float64Array
  /** The highest probability of any level to move within a slot. */
  max: number
}

/**
 * Computes the probabilities of an hour when they are first needed, and keeps them until it gets another model, because
 * a fit or a replay needs each hour many times. The tables take 100 kB, so the websites share one object: allocating
 * tables for each website and slot would double the time that a slot takes.
 */
export class LevelTables<Model extends SilenceModel = SilenceModel> {
  #model: Model | undefined
  readonly #isKnown = new Uint8Array(HOURS_PER_WEEK)
  readonly #hazards = createRows(HOURS_PER_WEEK)
  readonly #silences = createRows(HOURS_PER_WEEK)
  readonly #visitFactors = createRows(HOURS_PER_WEEK)
  /**
   * One row of likelihoods for each number of visits, computed when needed. All rows belong to the hour of the last
   * call, because callers go through the slots in the order of time.
   */
  readonly #likelihoods = createRows(MAX_TABLE_VISITS + 1)
  #likelihoodsHour = -1
  #knownVisits = 0
  #moves: LevelMoves | undefined

  /** Prepares these tables for the model and returns them. They are valid until the next call with another model. */
  of(model: Model): LevelTables<Model> {
    if (this.#model === model) return this
    this.#model = model
    this.#isKnown.fill(0)
    this.#likelihoodsHour = -1
    this.#moves = undefined
    return this
  }

  get model(): Model {
    if (this.#model === undefined) throw new Error('Call `of` first.')
    return this.#model
  }

  get moves(): LevelMoves {
    this.#moves ??= computeMoves(this.model)
    return this.#moves
  }

  /** Returns the hazard of each level: −ln of the probability that a slot has no visits. */
  getHazards(hour: number): Float64Array {
    if (!this.#isKnown[hour]) this.#addHour(hour)
    return this.#hazards[hour] as Float64Array
  }

  /**
   * Returns the factor by which each visit in a slot multiplies the likelihood of each level. A factor that all levels
   * share is left out.
   */
  getVisitFactors(hour: number): Float64Array {
    if (!this.#isKnown[hour]) this.#addHour(hour)
    return this.#visitFactors[hour] as Float64Array
  }

  /**
   * Returns the likelihood of `visits` visits in a slot at each level. A factor that all levels share is left out. The
   * row is valid until the next call.
   */
  getLikelihoods(hour: number, visits: number): Float64Array {
    if (!this.#isKnown[hour]) this.#addHour(hour)
    const rows = this.#likelihoods
    if (this.#likelihoodsHour !== hour) {
      this.#likelihoodsHour = hour
      this.#knownVisits = 0
      rows[0]?.set(this.#silences[hour] as Float64Array)
    }
    const factors = this.#visitFactors[hour] as Float64Array
    for (; this.#knownVisits < visits; this.#knownVisits++) {
      const before = rows[this.#knownVisits] as Float64Array
      const row = rows[this.#knownVisits + 1] as Float64Array
      for (let index = 0; index < LEVEL_COUNT; index++)
        row[index] = (before[index] as number) * (factors[index] as number)
    }
    return rows[visits] as Float64Array
  }

  #addHour(hour: number): void {
    this.#isKnown[hour] = 1
    const { dispersion, rates } = this.model
    const rate = rates[hour] ?? 0
    const hazards = this.#hazards[hour] as Float64Array
    const silences = this.#silences[hour] as Float64Array
    const visitFactors = this.#visitFactors[hour] as Float64Array
    for (let index = 0; index < LEVEL_COUNT; index++) {
      const level = levels[index] as number
      const hazard = findHazard(rate * level, dispersion)
      hazards[index] = hazard
      silences[index] = Math.exp(-hazard)
      visitFactors[index] = level / (1 + dispersion * rate * level)
    }
  }
}

/** Creates rows that have one value for each level. */
function createRows(count: number): Float64Array[] {
  const values = new Float64Array(count * LEVEL_COUNT)
  return Array.from({ length: count }, (_, row) => values.subarray(row * LEVEL_COUNT, (row + 1) * LEVEL_COUNT))
}

/** Returns −ln of the probability that a negative binomial count with this mean is 0. */
export function findHazard(mean: number, dispersion: number): number {
  const spread = mean * dispersion
  return spread < 1e-6 ? mean : Math.log1p(spread) / dispersion
}

function computeMoves({ drift, spread }: SilenceModel): LevelMoves {
  const up = new Float64Array(LEVEL_COUNT)
  const down = new Float64Array(LEVEL_COUNT + 1)
  let max = 0
  for (let index = 0; index < LEVEL_COUNT; index++) {
    const log = logLevels[index] ?? 0
    const distanceAbove = (logLevels[index + 1] ?? Number.POSITIVE_INFINITY) - log
    const distanceBelow = log - (logLevels[index - 1] ?? Number.NEGATIVE_INFINITY)
    const isHigh = (levels[index] ?? 1) > HIGH_LEVEL
    const variance = (isHigh ? Math.max(drift, HIGH_LEVEL_DRIFT) : drift) ** 2 / SLOTS_PER_HOUR
    // A pull towards level 1 keeps the level within the spread of usual days. A level far from 1, such as that of a
    // holiday, lasts, so it is not pulled back.
    const pull = Math.abs(log) < 3 * spread ? (-log * variance) / 2 / spread ** 2 : 0
    up[index] = Math.min(0.3, variance / 2 / distanceAbove ** 2 + Math.max(0, pull) / distanceAbove)
    down[index] = Math.min(0.3, variance / 2 / distanceBelow ** 2 + Math.max(0, -pull) / distanceBelow)
    max = Math.max(max, (up[index] as number) + (down[index] as number))
  }
  return { up, down, max }
}
