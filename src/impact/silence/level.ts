/**
 * The level says how the current traffic compares with the usual week. It is not one number but a probability for each of
 * 25 levels, from 3 % to 12 times the usual traffic: a hidden Markov model. The visits of each slot make some levels likelier. Between
 * slots the level drifts, and rarely jumps, for example to that of a holiday.
 */

import { SLOTS_PER_DAY, SLOTS_PER_HOUR, type VisitHistory } from '../model/visit-history.ts'
import {
  LEVEL_COUNT as COUNT,
  type LevelMoves,
  type LevelTables,
  levels,
  logLevels,
  MAX_TABLE_VISITS,
} from './level-tables.ts'

/**
 * The probability that the level jumps in a slot. Holidays begin at midnight, so jumps are likelier in the hour after
 * midnight: this hour has a jump on one day in 45. At other times, a jump comes once in 100 days.
 */
const JUMPS_PER_SLOT = 1 / 100 / SLOTS_PER_DAY
const JUMPS_PER_MIDNIGHT_SLOT = 1 / 45 / SLOTS_PER_HOUR
/**
 * The probability of each level after a jump: about a half for levels around the usual one, a third for those of a quiet
 * day, and a fifth for busy ones.
 */
const jumpWeights = normalize(
  logLevels.map(
    (log) =>
      0.55 * Math.exp(-0.5 * (log / 0.25) ** 2) +
      0.5 * Math.exp(-0.5 * ((log + 0.7) / 0.3) ** 2) +
      0.15 * Math.exp(-0.5 * ((log - 0.9) / 0.7) ** 2) +
      1e-7,
  ),
)

/** Rescaling after every slot would take longer than everything else, so weights are rescaled only if their sum leaves these bounds. */
const MIN_SUM = 1e-60
const MAX_SUM = 1e60

/** Levels have relative weights: the probability of a level is its weight divided by the sum. */
export interface LevelState {
  /** The weights after the last slot. */
  now: number[]
  sum: number
  /** The weights after the last slot with a visit. A silence must not lower the level that it is judged by. */
  atLastVisit: number[]
}

/**
 * Applies the drift and the jumps of `slots` slots to the weights of the levels, which must add up to 1. Many slots
 * take several steps, because one step must not move more weight from a level than it has.
 */
export function driftLevels({ moves }: LevelTables, weights: number[], hourOfWeek: number, slots: number): void {
  const steps = Math.ceil((slots * moves.max) / 0.6)
  const jump = (findJumpProbability(hourOfWeek) * slots) / steps
  for (let step = 0; step < steps; step++)
    stepLevels(weights, moves, { sum: 1, jump, slots: slots / steps, likelihoods: undefined })
}

function findJumpProbability(hourOfWeek: number): number {
  return hourOfWeek % 24 === 0 ? JUMPS_PER_MIDNIGHT_SLOT : JUMPS_PER_SLOT
}

interface LevelStep {
  /** The sum of the weights before the step. */
  sum: number
  /** The probability of a jump in this step. */
  jump: number
  /** How many slots the step takes. */
  slots: number
  /** The likelihood of the slot's visits at each level. undefined if the visits don't count. */
  likelihoods: Float64Array | undefined
}

/**
 * Applies the drift and the jumps of a step to the weights, and multiplies them by the likelihoods. Returns the new sum
 * of the weights.
 */
function stepLevels(weights: number[], { up, down }: LevelMoves, { sum, jump, slots, likelihoods }: LevelStep): number {
  const moveFactor = (1 - jump) * slots
  const jumpedWeight = jump * sum
  let risingWeight = 0
  let fallingWeight = (weights[0] as number) * (down[0] as number)
  let newSum = 0
  for (let index = 0; index < COUNT; index++) {
    const ownWeight = weights[index] as number
    const fromAbove = index + 1 < COUNT ? (weights[index + 1] as number) * (down[index + 1] as number) : 0
    const leavingWeight = ownWeight * (up[index] as number)
    let weight =
      (1 - jump) * ownWeight +
      moveFactor * (risingWeight + fromAbove - leavingWeight - fallingWeight) +
      jumpedWeight * (jumpWeights[index] as number)
    if (likelihoods) weight *= likelihoods[index] as number
    weights[index] = weight
    newSum += weight
    risingWeight = leavingWeight
    fallingWeight = fromAbove
  }
  return newSum
}

/** One slot of a history. */
export interface SlotCount {
  visits: number
  hourOfWeek: number
  /** Whether the visits of the slot don't count, because they carry no information about usual traffic. */
  isExcluded: boolean
}

/**
 * Updates the level with the visits of the next slot. Returns the surprise of these visits: −ln of their probability,
 * except for a constant.
 */
export function advanceLevel(
  tables: LevelTables,
  state: LevelState,
  { visits, hourOfWeek, isExcluded }: SlotCount,
): number {
  const { now, sum } = state
  const jump = findJumpProbability(hourOfWeek)
  if (isExcluded || visits > MAX_TABLE_VISITS) {
    state.sum = stepLevels(now, tables.moves, { sum, jump, slots: 1, likelihoods: undefined })
    if (!isExcluded) weighInLogs(tables, state, visits, hourOfWeek)
  } else {
    const likelihoods = tables.getLikelihoods(hourOfWeek, visits)
    state.sum = stepLevels(now, tables.moves, { sum, jump, slots: 1, likelihoods })
  }
  const surprise = isExcluded ? 0 : Math.log(sum / state.sum)
  if (state.sum < MIN_SUM || state.sum > MAX_SUM) rescale(state)
  if (visits > 0 && !isExcluded)
    for (let index = 0; index < COUNT; index++) state.atLastVisit[index] = now[index] as number
  return surprise
}

/**
 * Multiplies the weights by the likelihoods in logarithms, because the likelihoods of many visits would exceed what a
 * number can hold.
 */
function weighInLogs(tables: LevelTables, state: LevelState, visits: number, hourOfWeek: number): void {
  const hazards = tables.getHazards(hourOfWeek)
  const visitFactors = tables.getVisitFactors(hourOfWeek)
  const logs = state.now.map(
    (weight, index) => Math.log(weight) + visits * Math.log(visitFactors[index] as number) - (hazards[index] as number),
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

/**
 * Returns the level after the slots from `from` to `to` of a history. Slots of two days are enough, because older
 * visits hardly affect the current level.
 */
export function startLevel(
  tables: LevelTables,
  recent?: VisitHistory,
  from = 0,
  to = recent?.counts.length ?? 0,
): LevelState {
  const state = { now: [...jumpWeights], sum: 1, atLastVisit: [...jumpWeights] }
  for (let slot = from; recent && slot < to; slot++)
    advanceLevel(tables, state, {
      visits: recent.counts[slot] ?? 0,
      hourOfWeek: recent.hourOfWeek[slot] ?? 0,
      isExcluded: Boolean(recent.excluded[slot]),
    })
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
