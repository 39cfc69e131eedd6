/** Measures how long traffic alerts take to notice that no visit has come since a random moment. */

import { SLOTS_PER_WEEK } from '../../src/impact/model/visit-history.ts'
import type { LevelState } from '../../src/impact/silence/level.ts'
import type { LevelTables } from '../../src/impact/silence/level-tables.ts'
import { findAlarmTime, type SilenceFit } from '../../src/impact/silence/silence.ts'
import type { WatchedTraffic } from './silence-traffic.ts'

/**
 * Delays are measured in truly expected visits, and divided by the floor ln(visits a year ÷ budget): if visits are
 * independent, even a rule that knows the true rate can't notice stops faster.
 */
export interface DelayRatios {
  /** Delays from the stop to the alarm, for stops by day and by night. */
  day: Quantiles
  night: Quantiles
  /** Delays from the last visit before the stop to the alarm, for stops at any time. */
  gap: Quantiles
  /**
   * Delays from the last visit to the alarm of a rule that knows the true rate, and knows that visits come in clusters.
   */
  oracle: Quantiles
  undetected: number
}

interface Quantiles {
  p50: number
  p95: number
}

/** What the model knows when the stop begins. */
interface KnownTraffic {
  tables: LevelTables<SilenceFit>
  level: LevelState
  lastVisit: number | undefined
}

export class StopSimulation {
  readonly #alarmBudgetAYear: number
  readonly #ratios = { day: [] as number[], night: [] as number[], gap: [] as number[], oracle: [] as number[] }
  readonly #truths = new WeakMap<WatchedTraffic, { floor: number; dispersion: number }>()
  #undetected = 0

  constructor(alarmBudgetAYear: number) {
    this.#alarmBudgetAYear = alarmBudgetAYear
  }

  add(traffic: WatchedTraffic, { tables, level, lastVisit }: KnownTraffic, stop: number): void {
    const { hourOfWeek, excluded } = traffic
    if (lastVisit === undefined || excluded[stop]) return
    const truth = this.#truths.get(traffic) ?? measureTruth(traffic, this.#alarmBudgetAYear)
    this.#truths.set(traffic, truth)
    const alarm = findAlarmTime(tables, level, { lastVisit, hourOfWeek, excluded }, this.#alarmBudgetAYear)
    if (alarm === undefined) {
      this.#undetected++
      return
    }
    const hour = (hourOfWeek[stop] ?? 0) % 24
    const delays = hour >= 8 && hour < 22 ? this.#ratios.day : this.#ratios.night
    delays.push(traffic.sumExpectedVisits(stop, Math.max(stop, alarm)) / truth.floor)
    this.#ratios.gap.push(traffic.sumExpectedVisits(lastVisit, alarm) / truth.floor)
    this.#ratios.oracle.push(findOracleGap(traffic, lastVisit, truth) / truth.floor)
  }

  summarize(): DelayRatios {
    const { day, night, gap, oracle } = this.#ratios
    return {
      day: findQuantiles(day),
      night: findQuantiles(night),
      gap: findQuantiles(gap),
      oracle: findQuantiles(oracle),
      undetected: this.#undetected,
    }
  }
}

/**
 * Returns the floor, computed from the visits of the last year, and the dispersion of the counts around the true rates.
 */
function measureTruth({ counts, rates, excluded }: WatchedTraffic, alarmBudgetAYear: number) {
  let visits = 0
  let excess = 0
  let squares = 0
  for (let slot = Math.max(0, counts.length - 52 * SLOTS_PER_WEEK); slot < counts.length; slot++) {
    if (excluded[slot]) continue
    const count = counts[slot] ?? 0
    const rate = rates[slot] ?? 0
    visits += count
    excess += (count - rate) ** 2 - rate
    squares += rate ** 2
  }
  return { floor: Math.log(visits / alarmBudgetAYear), dispersion: Math.max(1e-6, excess / squares) }
}

function findOracleGap(
  { rates, excluded, sumExpectedVisits }: WatchedTraffic,
  lastVisit: number,
  { floor, dispersion }: { floor: number; dispersion: number },
): number {
  let surprise = 0
  let time = lastVisit
  while (time < rates.length) {
    const slot = Math.floor(time)
    const part = slot + 1 - time
    const growth = excluded[slot] ? 0 : Math.log1p(dispersion * (rates[slot] ?? 0) * part) / dispersion
    if (surprise + growth >= floor) return sumExpectedVisits(lastVisit, time + (part * (floor - surprise)) / growth)
    surprise += growth
    time = slot + 1
  }
  return sumExpectedVisits(lastVisit, rates.length)
}

function findQuantiles(values: number[]): Quantiles {
  const sorted = values.sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * sorted.length)] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95) }
}
