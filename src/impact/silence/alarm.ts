/** When a gap without visits becomes an alarm. */

import { SLOT_MINUTES } from '../model/visit-history.ts'
import { driftLevels, type LevelState, normalize } from './level.ts'
import type { SilenceModel } from './likelihood.ts'
import { findHazard, getHazards, LEVEL_COUNT, levels } from './likelihood.ts'

/** A shorter gap is never an alarm: visits may arrive late by as much as that. */
const MIN_GAP_SLOTS = 2 / SLOT_MINUTES

/**
 * The time, in slots with fractions, at which the surprise of the gap since `lastVisit` reaches `limit` if no further visit
 * comes. Excluded slots don't count towards the gap; slots beyond the end of `excluded` do. Undefined if that is later than
 * the end of `hourOfWeek`.
 */
export function findSilenceTime(
  model: SilenceModel,
  level: LevelState,
  lastVisit: number,
  limit: number,
  hourOfWeek: ArrayLike<number>,
  excluded?: ArrayLike<number>,
): number | undefined {
  const probabilities = normalize(level.atLastVisit)
  let surprise = 0
  let time = lastVisit
  while (time < hourOfWeek.length) {
    const slot = Math.floor(time)
    const hour = hourOfWeek[slot] ?? 0
    const isExcluded = Boolean(excluded?.[slot])
    // The rest of the last visit's slot is a step of its own. After that, all slots of an hour are one step.
    let end = slot + 1
    if (time === slot)
      while (end < hourOfWeek.length && hourOfWeek[end] === hour && Boolean(excluded?.[end]) === isExcluded) end++
    const slots = end - time
    if (slots >= 1) driftLevels(model, probabilities, hour, slots)
    if (!isExcluded) {
      const hazards = findHazards(model, hour, slots)
      const sum = multiplySurvival(probabilities, hazards)
      const reached = surprise - Math.log(sum)
      if (reached >= limit) {
        const share = findShare(probabilities, hazards, limit - surprise)
        return Math.max(time + share * slots, lastVisit + MIN_GAP_SLOTS)
      }
      surprise = reached
      for (let index = 0; index < LEVEL_COUNT; index++) probabilities[index] = (survivors[index] as number) / sum
    }
    time = end
  }
  return undefined
}

const hazardsOfStep = new Float64Array(LEVEL_COUNT)

/** −ln of the probability of no visit in so many slots of this hour, by level. */
function findHazards(model: SilenceModel, hour: number, slots: number): Float64Array {
  const rate = model.rates[hour] ?? 0
  if (slots < 1) {
    for (let index = 0; index < LEVEL_COUNT; index++)
      hazardsOfStep[index] = findHazard(rate * slots * (levels[index] as number), model.dispersion)
    return hazardsOfStep
  }
  const hazards = getHazards(model, hour)
  const from = hour * LEVEL_COUNT
  for (let index = 0; index < LEVEL_COUNT; index++) hazardsOfStep[index] = slots * (hazards[from + index] as number)
  return hazardsOfStep
}

const survivors = new Float64Array(LEVEL_COUNT)

/** The probability that a level is true and the step is silent, by level. Returns their sum. */
function multiplySurvival(probabilities: readonly number[], hazards: Float64Array): number {
  let sum = 0
  for (let index = 0; index < LEVEL_COUNT; index++) {
    const value = (probabilities[index] as number) * Math.exp(-(hazards[index] as number))
    survivors[index] = value
    sum += value
  }
  return sum
}

/** The share of the step after which the surprise has grown by `missing`. The surprise is concave, so Newton's steps never pass it. */
function findShare(probabilities: readonly number[], hazards: Float64Array, missing: number): number {
  let share = 0
  for (let step = 0; step < 8; step++) {
    let sum = 0
    let slope = 0
    for (let index = 0; index < LEVEL_COUNT; index++) {
      const survivors = (probabilities[index] as number) * Math.exp(-share * (hazards[index] as number))
      sum += survivors
      slope += survivors * (hazards[index] as number)
    }
    const growth = (missing + Math.log(sum)) / (slope / sum)
    share += growth
    if (growth < 1e-4) break
  }
  return Math.min(1, share)
}
