/** Measures how surprising the past gaps without visits were, from counts per slot. */

import { SLOTS_PER_DAY, type VisitHistory } from '../model/visit-history.ts'
import { advanceLevel, type LevelState, type SlotCount, startLevel } from './level.ts'
import { LEVEL_COUNT, type LevelTables } from './level-tables.ts'
import { SURPRISE_THRESHOLD } from './tail.ts'

/**
 * Measures one gap for each slot with visits: from the end of the slot to the next visit. If visits are independent,
 * such gaps are distributed like those from visit to visit, because the time to the next visit doesn't depend on when
 * the last one came. Counts don't say when a slot's first visit came, so its time is drawn at random, as the first of n
 * uniform times. Using the mean of that time would make long gaps too rare.
 */
export class GapCollector {
  /** The surprises above `SURPRISE_THRESHOLD`, and the slot in which the gap of each surprise ended, oldest first. */
  surprises: number[] = []
  slots: number[] = []
  /** The slot in which each gap ended, whatever its surprise, oldest first. */
  gapSlots: number[] = []
  #surprise = Number.NaN
  #random = 1

  /** Ends the current gap at the first visit of the slot. Call it before `advanceLevel` for this slot. */
  endGap(tables: LevelTables, level: LevelState, slot: number, { visits, hourOfWeek }: SlotCount): void {
    if (!Number.isNaN(this.#surprise)) {
      // This linear congruential generator has a fixed seed, so the same history always gives the same fit.
      this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0
      const part = 1 - ((this.#random + 0.5) / 4_294_967_296) ** (1 / visits)
      const totalSurprise = this.#surprise + findPartSurprise(tables, level, hourOfWeek, part)
      this.gapSlots.push(slot)
      if (totalSurprise > SURPRISE_THRESHOLD) {
        this.surprises.push(totalSurprise)
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

export function collectGaps(tables: LevelTables, history: VisitHistory, from: number, to: number): GapCollector {
  const level = startLevel(tables)
  const gaps = new GapCollector()
  for (let slot = from; slot < to; slot++) {
    const isExcluded = Boolean(history.excluded[slot])
    const visits = isExcluded ? 0 : (history.counts[slot] ?? 0)
    const count = { visits, hourOfWeek: history.hourOfWeek[slot] ?? 0, isExcluded }
    // On the first day, the level has not adapted to the visits yet.
    if (visits > 0 && slot >= from + SLOTS_PER_DAY) gaps.endGap(tables, level, slot, count)
    const surprise = advanceLevel(tables, level, count)
    if (visits === 0) gaps.addSilence(surprise)
  }
  return gaps
}

/**
 * Returns the surprise of no visit in a part of a slot, approximated with the mean and the variance of the levels'
 * hazards. Within 5 minutes, these hazards differ little, so further terms hardly matter.
 */
export function findPartSurprise(tables: LevelTables, { now, sum }: LevelState, hour: number, part: number): number {
  const hazards = tables.getHazards(hour)
  let mean = 0
  let square = 0
  for (let index = 0; index < LEVEL_COUNT; index++) {
    const hazard = hazards[index] as number
    const weightedHazard = (now[index] as number) * hazard
    mean += weightedHazard
    square += weightedHazard * hazard
  }
  mean /= sum
  const first = mean * part
  return first - Math.min(first / 2, ((square / sum - mean * mean) * part * part) / 2)
}
