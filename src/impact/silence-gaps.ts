/** The surprises of past gaps without visits, from counts per slot. */
import { advanceLevel, getHourFactors, type LevelState, levels, startLevel } from './silence-level.ts'
import type { SilenceModel } from './silence-model.ts'
import { SURPRISE_THRESHOLD } from './silence-tail.ts'
import { SLOTS_PER_DAY, type VisitHistory } from './visit-history.ts'

export interface GapSurprises {
  /** The surprises above the threshold. */
  surprises: number[]
  gaps: number
}

/**
 * Measures one gap for each slot with visits: from the end of the slot to the next visit. By the model it is as long as a gap
 * from visit to visit, because independent visits have no memory. A slot's first visit is placed at random, as the first
 * of n uniform times, because its mean position would make long gaps too rare.
 */
export function collectSurprises(model: SilenceModel, history: VisitHistory, from: number, to: number): GapSurprises {
  const state = startLevel(model)
  const surprises: number[] = []
  let gaps = 0
  let surprise = Number.NaN
  let random = 1
  // The level knows nothing on the first day.
  const countFrom = from + SLOTS_PER_DAY
  for (let slot = from; slot < to; slot++) {
    const hour = history.hourOfWeek[slot] ?? 0
    const isExcluded = Boolean(history.excluded[slot])
    const visits = isExcluded ? 0 : (history.counts[slot] ?? 0)
    if (visits === 0) {
      surprise += advanceLevel(model, state, 0, hour, isExcluded)
      continue
    }
    if (slot >= countFrom) {
      // A linear congruential generator with a fixed seed: the same history always gives the same fit.
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0
      const part = 1 - ((random + 0.5) / 4_294_967_296) ** (1 / visits)
      const total = surprise + findPartSurprise(model, state, hour, part)
      if (total > SURPRISE_THRESHOLD) surprises.push(total)
      gaps++
    }
    advanceLevel(model, state, visits, hour, false)
    surprise = 0
  }
  return { surprises, gaps }
}

/** The surprise of no visit in a part of a slot, by the mean and variance of the hazard: levels differ little within 5 minutes. */
export function findPartSurprise(model: SilenceModel, { now }: LevelState, hour: number, part: number): number {
  const { hazards } = getHourFactors(model, hour)
  let mean = 0
  let square = 0
  for (let index = 0; index < levels.length; index++) {
    const weighted = (now[index] as number) * (hazards[index] as number)
    mean += weighted
    square += weighted * (hazards[index] as number)
  }
  const first = mean * part
  return first - Math.min(first / 2, ((square - mean * mean) * part * part) / 2)
}
