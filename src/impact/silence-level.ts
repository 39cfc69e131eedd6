/**
 * The level says how the traffic of now compares with the usual week. It is not one number but a probability for each of
 * 25 levels, from 3 % to 12 times: a hidden Markov model. Each slot's visits make some levels likelier; between slots the
 * level drifts, and rarely jumps, for example to that of a holiday.
 */

import type { SilenceModel } from './silence-model.ts'
import { SLOTS_PER_HOUR, type VisitHistory } from './visit-history.ts'

export const levels: readonly number[] = [
  ...[0.03, 0.048, 0.076, 0.12, 0.195, 0.31],
  ...Array.from({ length: 13 }, (_, index) => 0.5 * 4 ** (index / 12)),
  ...[2.7, 3.6, 4.9, 6.6, 8.9, 12],
]
const COUNT = levels.length
const logLevels = levels.map(Math.log)

/** A jump every 40 days on average: holidays, news, campaigns. */
const JUMPS_PER_SLOT = 1 / (40 * 288)
/** Where a jump leads: mostly back to usual, often to a quiet day. */
const jumpWeights = normalise(
  logLevels.map(
    (log) =>
      0.55 * Math.exp(-0.5 * (log / 0.25) ** 2) +
      0.5 * Math.exp(-0.5 * ((log + 0.7) / 0.3) ** 2) +
      0.15 * Math.exp(-0.5 * ((log - 0.9) / 0.7) ** 2) +
      1e-7,
  ),
)
/** Levels far above usual fade within hours: their logarithm drifts this much in an hour at least. */
const HIGH_LEVEL = 1.9
const HIGH_LEVEL_DRIFT = 0.35
const MAX_MULTIPLIED_VISITS = 40

export interface LevelState {
  /** Probability of each level after the last slot. */
  now: number[]
  /** The same after the last slot with a visit: a silence must not explain itself by a low level. */
  atLastVisit: number[]
}

/** Probabilities per slot of moving to the next higher and lower level. Depends on the fit alone. */
interface Moves {
  drift: number
  spread: number
  up: Float64Array
  down: Float64Array
}
let moves: Moves | undefined

function getMoves({ drift, spread }: SilenceModel): Moves {
  if (moves?.drift === drift && moves.spread === spread) return moves
  const up = new Float64Array(COUNT)
  const down = new Float64Array(COUNT)
  for (let index = 0; index < COUNT; index++) {
    const log = logLevels[index] ?? 0
    const above = (logLevels[index + 1] ?? Number.POSITIVE_INFINITY) - log
    const below = log - (logLevels[index - 1] ?? Number.NEGATIVE_INFINITY)
    const isHigh = (levels[index] ?? 1) > HIGH_LEVEL
    const variance = (isHigh ? Math.max(drift, HIGH_LEVEL_DRIFT) : drift) ** 2 / SLOTS_PER_HOUR
    // The level returns to 1 so strongly that it stays within the days' spread. A holiday's level doesn't: it lasts.
    const pull = Math.abs(log) < 3 * spread ? (-log * variance) / 2 / spread ** 2 : 0
    up[index] = Math.min(0.3, variance / 2 / above ** 2 + Math.max(0, pull) / above)
    down[index] = Math.min(0.3, variance / 2 / below ** 2 + Math.max(0, -pull) / below)
  }
  moves = { drift, spread, up, down }
  return moves
}

/** Lets the level drift and jump for `slots` slots. */
export function driftLevels(model: SilenceModel, probabilities: number[], slots: number): void {
  const { up, down } = getMoves(model)
  // A longer step would move more than there is.
  for (let left = slots; left > 0; left -= 1.5) driftOnce(probabilities, up, down, Math.min(left, 1.5))
}

function driftOnce(probabilities: number[], up: Float64Array, down: Float64Array, slots: number): void {
  const jump = Math.min(0.5, JUMPS_PER_SLOT * slots)
  let carried = 0
  for (let index = 0; index < COUNT; index++) {
    const own = probabilities[index] as number
    const rising = own * (up[index] as number) * slots
    const falling = own * (down[index] as number) * slots
    const fromAbove = index + 1 < COUNT ? (probabilities[index + 1] as number) * (down[index + 1] as number) * slots : 0
    probabilities[index] =
      (1 - jump) * (own - rising - falling + carried + fromAbove) + jump * (jumpWeights[index] as number)
    carried = rising
  }
}

/** Factors of an hour's likelihood by level: of a slot without visits, and for each visit. */
interface HourFactors {
  model: SilenceModel
  hour: number
  hazards: Float64Array
  silent: Float64Array
  perVisit: Float64Array
}
let factors: HourFactors | undefined

/** Consecutive slots mostly share an hour, so that remembering the last one saves most logarithms. */
export function getHourFactors(model: SilenceModel, hour: number): HourFactors {
  if (factors?.model === model && factors.hour === hour) return factors
  const next = {
    model,
    hour,
    hazards: factors?.hazards ?? new Float64Array(COUNT),
    silent: factors?.silent ?? new Float64Array(COUNT),
    perVisit: factors?.perVisit ?? new Float64Array(COUNT),
  }
  const rate = model.rates[hour] ?? 0
  for (let index = 0; index < COUNT; index++) {
    const level = levels[index] as number
    const hazard = findHazard(rate * level, model.dispersion)
    next.hazards[index] = hazard
    next.silent[index] = Math.exp(-hazard)
    next.perVisit[index] = level / (1 + model.dispersion * rate * level)
  }
  factors = next
  return next
}

/** −ln of the probability that a negative binomial count with this mean is 0. */
export function findHazard(mean: number, dispersion: number): number {
  const spread = mean * dispersion
  return spread < 1e-6 ? mean : Math.log1p(spread) / dispersion
}

/** The level after the slots from `from` to `to` of a history. Two days are enough: older visits say little about now. */
export function startLevel(
  model: SilenceModel,
  recent?: VisitHistory,
  from = 0,
  to = recent?.counts.length ?? 0,
): LevelState {
  const state = { now: [...jumpWeights], atLastVisit: [...jumpWeights] }
  for (let slot = from; recent && slot < to; slot++)
    advanceLevel(model, state, recent.counts[slot] ?? 0, recent.hourOfWeek[slot] ?? 0, Boolean(recent.excluded[slot]))
  return state
}

export function findMeanLevel(probabilities: readonly number[]): number {
  let mean = 0
  for (let index = 0; index < COUNT; index++) mean += (probabilities[index] as number) * (levels[index] as number)
  return mean
}

/** Takes the visits of one more slot into account. Returns −ln of their probability, except for a constant. */
export function advanceLevel(
  model: SilenceModel,
  state: LevelState,
  visits: number,
  hourOfWeek: number,
  isExcluded: boolean,
): number {
  const { now } = state
  const { up, down } = getMoves(model)
  driftOnce(now, up, down, 1)
  if (isExcluded) return 0
  const factors = getHourFactors(model, hourOfWeek)
  const sum = visits > MAX_MULTIPLIED_VISITS ? weighInLogs(now, factors, visits) : weigh(now, factors, visits)
  const scale = 1 / sum
  for (let index = 0; index < COUNT; index++) now[index] = (now[index] as number) * scale
  if (visits > 0) for (let index = 0; index < COUNT; index++) state.atLastVisit[index] = now[index] as number
  return -Math.log(sum)
}

function weigh(now: number[], { silent, perVisit }: HourFactors, visits: number): number {
  let sum = 0
  for (let index = 0; index < COUNT; index++) {
    let value = (now[index] as number) * (silent[index] as number)
    for (let power = perVisit[index] as number, left = visits; left > 0; left >>= 1, power *= power)
      if (left & 1) value *= power
    now[index] = value
    sum += value
  }
  return sum
}

/** Products of many visits would exceed what a number can hold. */
function weighInLogs(now: number[], { hazards, perVisit }: HourFactors, visits: number): number {
  const logs = now.map(
    (value, index) =>
      Math.log(value + 1e-300) + visits * Math.log(perVisit[index] as number) - (hazards[index] as number),
  )
  const max = Math.max(...logs)
  let sum = 0
  for (let index = 0; index < COUNT; index++) {
    now[index] = Math.exp((logs[index] as number) - max)
    sum += now[index] as number
  }
  return sum
}

function normalise(weights: number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}
