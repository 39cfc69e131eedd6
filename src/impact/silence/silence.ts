/**
 * Traffic alerts for stops: decides when a gap without visits is too long to be chance. The visits of a slot are a
 * negative binomial count, whose mean is the rate of the usual week (profile.ts) × an uncertain level (level.ts). A
 * gap's surprise is −ln of its probability. The limit is the surprise that the website's own gaps exceed as often as
 * the budget of false alarms allows (tail.ts).
 */

import { SLOTS_PER_HOUR, SLOTS_PER_WEEK, type VisitHistory } from '../model/visit-history.ts'
import { findSilenceTime, type VisitGap } from './find-silence-time.ts'
import { collectGaps, type GapCollector } from './gaps.ts'
import type { LevelState } from './level.ts'
import { LevelTables, type SilenceModel } from './level-tables.ts'
import { fitProfile, sumHours } from './profile.ts'
import { fitSpikeFactor } from './spike.ts'
import { findLimit, fitTail, type SilenceTail } from './tail.ts'
import { measureDispersion, measureDrift, measureSpread } from './variation.ts'

export interface SilenceFit extends SilenceModel {
  version: 1
  visitsAYear: number
  tail: SilenceTail
}

export const MAX_FIT_SLOTS = 8 * SLOTS_PER_WEEK
const MIN_WEEKS = 2
export const WEEKS_A_YEAR = 365.25 / 7

/**
 * Fits the last 8 weeks of the history. Returns undefined if fewer than two weeks of them are usable, or if there are
 * no visits.
 */
export function fitSilence(history: VisitHistory): SilenceFit | undefined {
  const to = history.counts.length
  const from = Math.max(0, to - MAX_FIT_SLOTS)
  const measured = measureModel(history, from, to)
  return measured && addTail(measured, collectGaps(new LevelTables().of(measured.model), history, from, to))
}

/** The model of a website before the tail of its gaps is fitted, and the visits that it expects in a year. */
export interface MeasuredModel {
  model: SilenceModel
  visitsAYear: number
}

export function measureModel(history: VisitHistory, from: number, to: number): MeasuredModel | undefined {
  const totals = sumHours(history, from, to)
  const weeks = totals.slots.reduce((sum, slots) => sum + slots, 0) / SLOTS_PER_WEEK
  if (weeks < MIN_WEEKS) return undefined
  const profile = fitProfile(totals)
  const rates = profile.rates.map(round)
  const visitsAYear = round(rates.reduce((sum, rate) => sum + rate * SLOTS_PER_HOUR, 0) * WEEKS_A_YEAR)
  if (!(visitsAYear > 0)) return undefined
  const dispersion = round(measureDispersion(history, rates, from, to))
  const drift = round(measureDrift(totals, rates, dispersion))
  const spread = round(measureSpread(profile.days, dispersion))
  const spikeFactor = fitSpikeFactor(totals, rates)
  return { model: { rates, dispersion, drift, spread, spikeFactor }, visitsAYear }
}

export function addTail({ model, visitsAYear }: MeasuredModel, gaps: GapCollector): SilenceFit {
  const tail = fitTail(gaps.surprises, gaps.gapSlots.length, visitsAYear)
  return { version: 1, ...model, visitsAYear, tail }
}

/**
 * Returns the time, in slots, at which the gap since the last visit becomes an alarm if no further visit comes. Returns
 * undefined if that is later than the end of `hourOfWeek`.
 */
export function findAlarmTime(
  tables: LevelTables<SilenceFit>,
  level: LevelState,
  gap: VisitGap,
  alarmBudgetAYear: number,
): number | undefined {
  const { tail, visitsAYear } = tables.model
  return findSilenceTime(tables, level, gap, findLimit(tail, visitsAYear, alarmBudgetAYear))
}

function round(value: number): number {
  return Number(value.toPrecision(4))
}
