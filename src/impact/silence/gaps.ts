/** The surprises of past gaps without visits, from counts per slot. */

import { SLOTS_PER_DAY, type VisitHistory } from '../model/visit-history.ts'
import { advanceLevel, type LevelState, startLevel } from './level.ts'
import type { SilenceModel } from './likelihood.ts'
import { getHazards, LEVEL_COUNT } from './likelihood.ts'
import { SURPRISE_THRESHOLD } from './tail.ts'

/**
 * Measures one gap for each slot with visits: from the end of the slot to the next visit. In the model it is as long as a gap
 * from visit to visit, because the next of independent visits doesn't depend on when the last one came. A slot's first visit is
 * placed at random, as the first of n uniform times, because its mean position would make long gaps too rare.
 */
export class GapCollector {
  /** The surprises above the threshold, and the slots in which their gaps ended, oldest first. */
  surprises: number[] = []
  slots: number[] = []
  /** The slots in which each gap began, whatever its surprise. */
  gapSlots: number[] = []
  #surprise = Number.NaN
  #random = 1

  /** Call before the level takes the slot with visits into account. */
  endGap(model: SilenceModel, level: LevelState, slot: number, hour: number, visits: number): void {
    if (!Number.isNaN(this.#surprise)) {
      // A linear congruential generator with a fixed seed: the same history always gives the same fit.
      this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0
      const part = 1 - ((this.#random + 0.5) / 4_294_967_296) ** (1 / visits)
      const total = this.#surprise + findPartSurprise(model, level, hour, part)
      this.gapSlots.push(slot)
      if (total > SURPRISE_THRESHOLD) {
        this.surprises.push(total)
        this.slots.push(slot)
      }
    }
    this.#surprise = 0
  }

  addSilence(surprise: number): void {
    this.#surprise += surprise
  }

  forgetBefore(slot: number): void {
    const from = this.slots.findIndex((at) => at >= slot)
    this.surprises = from < 0 ? [] : this.surprises.slice(from)
    this.slots = from < 0 ? [] : this.slots.slice(from)
    const gapFrom = this.gapSlots.findIndex((at) => at >= slot)
    this.gapSlots = gapFrom < 0 ? [] : this.gapSlots.slice(gapFrom)
  }
}

export function collectGaps(model: SilenceModel, history: VisitHistory, from: number, to: number): GapCollector {
  const level = startLevel(model)
  const gaps = new GapCollector()
  for (let slot = from; slot < to; slot++) {
    const hour = history.hourOfWeek[slot] ?? 0
    const isExcluded = Boolean(history.excluded[slot])
    const visits = isExcluded ? 0 : (history.counts[slot] ?? 0)
    // On the first day, the level has not adapted to the visits yet.
    if (visits > 0 && slot >= from + SLOTS_PER_DAY) gaps.endGap(model, level, slot, hour, visits)
    const surprise = advanceLevel(model, level, visits, hour, isExcluded)
    if (visits === 0) gaps.addSilence(surprise)
  }
  return gaps
}

/** The surprise of no visit in a part of a slot, by the mean and variance of the hazard: levels differ little within 5 minutes. */
export function findPartSurprise(model: SilenceModel, { now, sum }: LevelState, hour: number, part: number): number {
  const hazards = getHazards(model, hour)
  let mean = 0
  let square = 0
  for (let index = 0; index < LEVEL_COUNT; index++) {
    const hazard = hazards[hour * LEVEL_COUNT + index] as number
    const weighted = (now[index] as number) * hazard
    mean += weighted
    square += weighted * hazard
  }
  mean /= sum
  const first = mean * part
  return first - Math.min(first / 2, ((square / sum - mean * mean) * part * part) / 2)
}
