/** Computes when a gap without visits becomes an alarm. */

import { SLOT_MINUTES } from '../model/visit-history.ts'
import { driftLevels, type LevelState, normalize } from './level.ts'
import { findHazard, LEVEL_COUNT, type LevelTables, levels } from './level-tables.ts'

/** A gap of less than 2 minutes is never an alarm, because visits may reach Belfry this late. */
const MIN_GAP_SLOTS = 2 / SLOT_MINUTES

/** A gap without visits, and the slots in which it may continue. */
export interface VisitGap {
  /** The time of the last visit before the gap, in slots, as in the history. */
  lastVisit: number
  hourOfWeek: ArrayLike<number>
  /** Excluded slots don't count towards the gap; slots beyond the end of `excluded` do. */
  excluded?: ArrayLike<number> | undefined
}

/**
 * Returns the time, in slots, at which the surprise of the gap (−ln of its probability) reaches `limit` if no further
 * visit comes. Returns undefined if that is later than the end of `hourOfWeek`.
 */
export function findSilenceTime(
  tables: LevelTables,
  level: LevelState,
  { lastVisit, hourOfWeek, excluded }: VisitGap,
  limit: number,
): number | undefined {
  const probabilities = normalize(level.atLastVisit)
  const hazards = new Float64Array(LEVEL_COUNT)
  const survivors = new Float64Array(LEVEL_COUNT)
  let surprise = 0
  let time = lastVisit
  while (time < hourOfWeek.length) {
    const slot = Math.floor(time)
    const hour = hourOfWeek[slot] ?? 0
    const isExcluded = Boolean(excluded?.[slot])
    // The first step is the rest of the last visit's slot. Each further step covers slots of one hour, which expect the
    // same number of visits.
    let end = slot + 1
    if (time === slot)
      while (end < hourOfWeek.length && hourOfWeek[end] === hour && Boolean(excluded?.[end]) === isExcluded) end++
    const slots = end - time
    if (slots >= 1) driftLevels(tables, probabilities, hour, slots)
    if (!isExcluded) {
      writeHazards(tables, hour, slots, hazards)
      const sum = writeSurvivors(probabilities, hazards, survivors)
      const reachedSurprise = surprise - Math.log(sum)
      if (reachedSurprise >= limit) {
        const share = findShare(probabilities, hazards, limit - surprise)
        return Math.max(time + share * slots, lastVisit + MIN_GAP_SLOTS)
      }
      surprise = reachedSurprise
      for (let index = 0; index < LEVEL_COUNT; index++) probabilities[index] = (survivors[index] as number) / sum
    }
    time = end
  }
  return undefined
}

/** Writes the hazard of each level: −ln of the probability that no visit comes in this many slots of the hour. */
function writeHazards(tables: LevelTables, hour: number, slots: number, hazards: Float64Array): void {
  if (slots >= 1) {
    const slotHazards = tables.getHazards(hour)
    for (let index = 0; index < LEVEL_COUNT; index++) hazards[index] = slots * (slotHazards[index] as number)
    return
  }
  const { dispersion, rates } = tables.model
  const rate = rates[hour] ?? 0
  for (let index = 0; index < LEVEL_COUNT; index++)
    hazards[index] = findHazard(rate * slots * (levels[index] as number), dispersion)
}

/**
 * Writes, for each level, the probability that it is the true level and that no visit comes in the step. Returns the
 * sum of these probabilities.
 */
function writeSurvivors(probabilities: readonly number[], hazards: Float64Array, survivors: Float64Array): number {
  let sum = 0
  for (let index = 0; index < LEVEL_COUNT; index++) {
    const value = (probabilities[index] as number) * Math.exp(-(hazards[index] as number))
    survivors[index] = value
    sum += value
  }
  return sum
}

/**
 * Returns the share of the step after which the surprise has grown by `missingSurprise`, found by Newton's method. The surprise
 * is a concave function of the share, so the method never overshoots.
 */
function findShare(probabilities: readonly number[], hazards: Float64Array, missingSurprise: number): number {
  let share = 0
  for (let step = 0; step < 8; step++) {
    let sum = 0
    let slope = 0
    for (let index = 0; index < LEVEL_COUNT; index++) {
      const survivor = (probabilities[index] as number) * Math.exp(-share * (hazards[index] as number))
      sum += survivor
      slope += survivor * (hazards[index] as number)
    }
    const growth = (missingSurprise + Math.log(sum)) / (slope / sum)
    share += growth
    if (growth < 1e-4) break
  }
  return Math.min(1, share)
}
