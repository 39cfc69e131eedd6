/**
 * The level says how the current traffic compares with the usual week. It is not one number but a probability for each of
 * 25 levels, from 3 % to 12 times: a hidden Markov model. Each slot's visits make some levels likelier; between slots the
 * level drifts, and rarely jumps, for example to that of a holiday.
 */

import { SLOTS_PER_DAY, SLOTS_PER_HOUR, type VisitHistory } from '../model/visit-history.ts'
import type { SilenceModel } from './likelihood.ts'
import {
  LEVEL_COUNT as COUNT,
  findVisitFactor,
  getHazards,
  getLikelihoods,
  levels,
  MAX_TABLE_VISITS,
} from './likelihood.ts'

const logLevels = levels.map(Math.log)

/** Jumps per slot. Holidays begin at midnight, so a jump is likelier in the hour after it: one in 45 days, and one in 100 otherwise. */
const JUMPS_PER_SLOT = 1 / 100 / SLOTS_PER_DAY
const JUMPS_PER_MIDNIGHT_SLOT = 1 / 45 / SLOTS_PER_HOUR
/** Where a jump leads: mostly back to usual, often to a quiet day. */
const jumpWeights = normalize(
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

/** Rescaling after every slot would take longer than everything else, so weights are rescaled only if their sum leaves these bounds. */
const MIN_SUM = 1e-60
const MAX_SUM = 1e60

/** Levels have relative weights: the probability of a level is its weight divided by the sum. */
export interface LevelState {
  /** After the last slot. */
  now: number[]
  sum: number
  /** After the last slot with a visit: the silence since then must not lower the level that it is judged by. */
  atLastVisit: number[]
}

/** Probabilities per slot of moving to the next higher and lower level, by level. They depend on the fit alone. */
interface Moves {
  drift: number
  spread: number
  up: Float64Array
  down: Float64Array
  /** The highest probability of leaving a level. */
  max: number
}
let moves: Moves | undefined

function getMoves({ drift, spread }: SilenceModel): Moves {
  if (moves?.drift === drift && moves.spread === spread) return moves
  const up = new Float64Array(COUNT)
  const down = new Float64Array(COUNT + 1)
  let max = 0
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
    max = Math.max(max, (up[index] as number) + (down[index] as number))
  }
  moves = { drift, spread, up, down, max }
  return moves
}

/**
 * Lets levels whose weights have the sum 1 drift and jump for `slots` slots. Many slots take several steps, because one step must not
 * move more weight than a level has.
 */
export function driftLevels(model: SilenceModel, weights: number[], hourOfWeek: number, slots: number): void {
  const { up, down, max } = getMoves(model)
  const steps = Math.ceil((slots * max) / 0.6)
  const jump = (findJumpProbability(hourOfWeek) * slots) / steps
  for (let step = 0; step < steps; step++) stepLevels(weights, 1, jump, up, down, slots / steps, undefined, 0)
}

function findJumpProbability(hourOfWeek: number): number {
  return hourOfWeek % 24 === 0 ? JUMPS_PER_MIDNIGHT_SLOT : JUMPS_PER_SLOT
}

/** Drifts, jumps, and multiplies with the likelihood of what was seen. Returns the new sum. */
function stepLevels(
  weights: number[],
  sum: number,
  jump: number,
  up: Float64Array,
  down: Float64Array,
  slots: number,
  likelihood: Float64Array | undefined,
  offset: number,
): number {
  const moving = (1 - jump) * slots
  const jumping = jump * sum
  let rising = 0
  let falling = (weights[0] as number) * (down[0] as number)
  let newSum = 0
  for (let index = 0; index < COUNT; index++) {
    const own = weights[index] as number
    const fromAbove = index + 1 < COUNT ? (weights[index + 1] as number) * (down[index + 1] as number) : 0
    const leaving = own * (up[index] as number)
    let weight =
      (1 - jump) * own + moving * (rising + fromAbove - leaving - falling) + jumping * (jumpWeights[index] as number)
    if (likelihood) weight *= likelihood[offset + index] as number
    weights[index] = weight
    newSum += weight
    rising = leaving
    falling = fromAbove
  }
  return newSum
}

/** Takes the visits of one more slot into account. Returns −ln of their probability, except for a constant. */
export function advanceLevel(
  model: SilenceModel,
  state: LevelState,
  visits: number,
  hourOfWeek: number,
  isExcluded: boolean,
): number {
  const { now, sum } = state
  const { up, down } = getMoves(model)
  const jump = findJumpProbability(hourOfWeek)
  if (isExcluded || visits > MAX_TABLE_VISITS) {
    state.sum = stepLevels(now, sum, jump, up, down, 1, undefined, 0)
    if (!isExcluded) weighInLogs(model, state, visits, hourOfWeek)
  } else {
    const table = getLikelihoods(model, hourOfWeek, visits)
    state.sum = stepLevels(now, sum, jump, up, down, 1, table, visits * COUNT)
  }
  const surprise = isExcluded ? 0 : Math.log(sum / state.sum)
  if (state.sum < MIN_SUM || state.sum > MAX_SUM) rescale(state)
  if (visits > 0 && !isExcluded)
    for (let index = 0; index < COUNT; index++) state.atLastVisit[index] = now[index] as number
  return surprise
}

/** Products of many visits would exceed what a number can hold. */
function weighInLogs(model: SilenceModel, state: LevelState, visits: number, hourOfWeek: number): void {
  const hazards = getHazards(model, hourOfWeek)
  const rate = model.rates[hourOfWeek] ?? 0
  const logs = state.now.map(
    (weight, index) =>
      Math.log(weight) +
      visits * Math.log(findVisitFactor(model, rate, index)) -
      (hazards[hourOfWeek * COUNT + index] as number),
  )
  const max = Math.max(...logs)
  state.now.forEach((_, index) => {
    state.now[index] = Math.exp((logs[index] as number) - max) + 1e-30
  })
  state.sum = state.now.reduce((total, weight) => total + weight, 0)
}

function rescale(state: LevelState): void {
  for (let index = 0; index < COUNT; index++) state.now[index] = (state.now[index] as number) / state.sum
  state.sum = 1
}

/** The level after the slots from `from` to `to` of a history. Two days are enough: older visits say little about now. */
export function startLevel(
  model: SilenceModel,
  recent?: VisitHistory,
  from = 0,
  to = recent?.counts.length ?? 0,
): LevelState {
  const state = { now: [...jumpWeights], sum: 1, atLastVisit: [...jumpWeights] }
  for (let slot = from; recent && slot < to; slot++)
    advanceLevel(model, state, recent.counts[slot] ?? 0, recent.hourOfWeek[slot] ?? 0, Boolean(recent.excluded[slot]))
  return state
}

export function findMeanLevel(weights: readonly number[]): number {
  let mean = 0
  let sum = 0
  for (let index = 0; index < COUNT; index++) {
    mean += (weights[index] as number) * (levels[index] as number)
    sum += weights[index] as number
  }
  return mean / sum
}

export function normalize(weights: readonly number[]): number[] {
  let sum = 0
  for (let index = 0; index < weights.length; index++) sum += weights[index] as number
  return weights.map((weight) => weight / sum)
}
