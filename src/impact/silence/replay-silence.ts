/** Finds the alarms that a website would have had in the past. The page shows them before the owner turns traffic alerts on. */

import {
  HOURS_PER_WEEK,
  SLOT_MINUTES,
  SLOTS_PER_DAY,
  SLOTS_PER_HOUR,
  SLOTS_PER_WEEK,
  type VisitHistory,
} from '../model/visit-history.ts'
import { collectGaps, findPartSurprise, type GapCollector } from './gaps.ts'
import { advanceLevel, findMeanLevel, type LevelState, startLevel } from './level.ts'
import { LevelTables } from './level-tables.ts'
import { addTail, findAlarmTime, MAX_FIT_SLOTS, measureModel, type SilenceFit, WEEKS_A_YEAR } from './silence.ts'
import { findLimit } from './tail.ts'

/** Times are in slots, as in the history. */
export interface ReplayedAlarm {
  /** The time of the last visit before the silence. */
  from: number
  alarmAt: number
  /** The time at which visits had returned, or the end of the history. */
  to: number
  /** Minutes from the last visit before the silence to the first one after it. */
  gapMinutes: number
}

export interface SilenceReplay {
  alarms: ReplayedAlarm[]
  weeksReplayed: number
  expectedAYear: number | undefined
  /** Whether the number of alarms shows that the website probably doesn't stay within the budget. */
  exceedsBudget: boolean
  delayMinutes: SilenceDelays | undefined
}

/** The probability that `exceedsBudget` is true for a website that stays within the budget is at most this. */
const MAX_WRONG_REFUSALS = 0.05

/**
 * Returns whether a silence is over: after at least two visits that arrive at a quarter of the expected rate or more. A
 * single visit may be a robot's: it would close the incident, and the next incident would open soon after. After a day
 * of visits at a lower rate, that rate is the new usual one.
 */
export function isRecovered(visitsSince: number, expectedSince: number, slotsSince: number): boolean {
  return visitsSince >= 2 && (visitsSince >= expectedSince / 4 || slotsSince >= SLOTS_PER_DAY)
}

/** An alarm whose end is not known yet. */
interface OpenAlarm {
  alarm: ReplayedAlarm
  firstVisit: number | undefined
  visits: number
  expected: number
  level: number
}

class Replay {
  readonly alarms: ReplayedAlarm[] = []
  readonly #history: VisitHistory
  readonly #alarmBudgetAYear: number
  /** The tables of the last fit. */
  #tables: LevelTables<SilenceFit> | undefined
  #level: LevelState | undefined
  #limit = 0
  #gaps: GapCollector | undefined
  #lastVisit: number | undefined
  #surprise = 0
  #openAlarm: OpenAlarm | undefined

  constructor(history: VisitHistory, alarmBudgetAYear: number) {
    this.#history = history
    this.#alarmBudgetAYear = alarmBudgetAYear
  }

  /**
   * The first fit measures the gaps before it. Later fits add the gaps that the replay has measured in the meantime.
   */
  refit(slot: number): void {
    const from = Math.max(0, slot - MAX_FIT_SLOTS)
    const measuredModel = measureModel(this.#history, from, slot)
    if (!measuredModel) return
    this.#gaps ??= collectGaps(new LevelTables().of(measuredModel.model), this.#history, from, slot)
    this.#gaps.forgetBefore(from)
    const fit = addTail(measuredModel, this.#gaps)
    this.#tables = new LevelTables<SilenceFit>().of(fit)
    this.#limit = findLimit(fit.tail, fit.visitsAYear, this.#alarmBudgetAYear)
    this.#level ??= startLevel(this.#tables, this.#history, Math.max(0, slot - 2 * SLOTS_PER_DAY), slot)
  }

  get tables(): LevelTables<SilenceFit> | undefined {
    return this.#tables
  }

  advance(slot: number): void {
    const tables = this.#tables
    const level = this.#level
    if (!tables || !level) return
    const hourOfWeek = this.#history.hourOfWeek[slot] ?? 0
    const isExcluded = Boolean(this.#history.excluded[slot])
    const visits = isExcluded ? 0 : (this.#history.counts[slot] ?? 0)
    const count = { visits, hourOfWeek, isExcluded }
    // The first of n visits comes after 1/(n + 1) of the slot on average, the last 1/(n + 1) before its end.
    const part = 1 / (visits + 1)
    if (visits > 0) {
      this.#surprise += findPartSurprise(tables, level, hourOfWeek, part)
      this.#endGap(tables, level, slot + part)
      this.#gaps?.endGap(tables, level, slot, count)
    }
    const surprise = advanceLevel(tables, level, count)
    if (visits > 0) {
      this.#lastVisit = slot + 1 - part
      this.#surprise = findPartSurprise(tables, level, hourOfWeek, part)
    } else {
      this.#surprise += surprise
      this.#gaps?.addSilence(surprise)
    }
    if (this.#openAlarm && !isExcluded) this.#checkRecovery(tables.model, slot, visits)
  }

  /** The running sum of the surprise is cheap but rough, so exact values are computed only for gaps near the limit. */
  #endGap(tables: LevelTables<SilenceFit>, level: LevelState, nextVisit: number): void {
    if (this.#lastVisit === undefined || this.#openAlarm || this.#surprise < this.#limit * 0.85) return
    const from = this.#lastVisit
    const { hourOfWeek, excluded } = this.#history
    const alarmAt = findAlarmTime(tables, level, { lastVisit: from, hourOfWeek, excluded }, this.#alarmBudgetAYear)
    if (alarmAt === undefined || alarmAt >= nextVisit) return
    const alarm = { from, alarmAt, to: nextVisit, gapMinutes: Math.round((nextVisit - from) * SLOT_MINUTES) }
    this.alarms.push(alarm)
    this.#openAlarm = { alarm, firstVisit: undefined, visits: 0, expected: 0, level: findMeanLevel(level.atLastVisit) }
  }

  #checkRecovery(fit: SilenceFit, slot: number, visits: number): void {
    const openAlarm = this.#openAlarm
    if (!openAlarm || (openAlarm.firstVisit === undefined && visits === 0)) return
    const isFirst = openAlarm.firstVisit === undefined
    openAlarm.firstVisit ??= openAlarm.alarm.to
    openAlarm.visits += visits
    const slots = isFirst ? slot + 1 - openAlarm.firstVisit : 1
    openAlarm.expected += slots * openAlarm.level * (fit.rates[this.#history.hourOfWeek[slot] ?? 0] ?? 0)
    if (!isRecovered(openAlarm.visits, openAlarm.expected, slot + 1 - openAlarm.firstVisit)) return
    openAlarm.alarm.to = slot + 1
    this.#openAlarm = undefined
  }

  /** Ends the last gap and the last alarm at the end of the history. */
  finish(end: number): void {
    if (this.#tables && this.#level) this.#endGap(this.#tables, this.#level, end)
    if (this.#openAlarm) this.#openAlarm.alarm.to = end
  }
}

/**
 * Replays a history of at most a year. Every week, it fits the model again to the visits until then, so it never uses
 * later visits.
 */
export function replaySilence(history: VisitHistory, alarmBudgetAYear: number): SilenceReplay {
  const replay = new Replay(history, alarmBudgetAYear)
  const end = history.counts.length
  let replayedSlots = 0
  for (let slot = 0; slot < end; slot++) {
    if (slot > 0 && slot % SLOTS_PER_WEEK === 0) replay.refit(slot)
    if (replay.tables && !history.excluded[slot]) replayedSlots++
    replay.advance(slot)
  }
  replay.finish(end)
  const weeksReplayed = replayedSlots / SLOTS_PER_WEEK
  const years = weeksReplayed / WEEKS_A_YEAR
  const { alarms, tables } = replay
  return {
    alarms,
    weeksReplayed,
    expectedAYear: years > 0 ? alarms.length / years : undefined,
    exceedsBudget: findPoissonTail(alarms.length, alarmBudgetAYear * years) < MAX_WRONG_REFUSALS,
    delayMinutes: tables && estimateDelays(tables, alarmBudgetAYear),
  }
}

/** Returns the probability that a Poisson count with this mean is `count` or more. */
export function findPoissonTail(count: number, mean: number): number {
  let term = Math.exp(-mean)
  let below = 0
  for (let events = 0; events < count; events++) {
    below += term
    term *= mean / (events + 1)
  }
  return Math.max(0, 1 - below)
}

/**
 * How many minutes pass from the last visit to the alarm if traffic is at its usual level and then all visits stop. A
 * value is null if the alarm would come more than two weeks later.
 */
export interface SilenceDelays {
  /** The medians for silences that begin from 9:00 to 17:00, and from 0:00 to 6:00. */
  day: number | null
  night: number | null
  slowest: number | null
  /** Silences that begin in this hour of the week take longest to be noticed. 0 is Monday from 00:00 to 01:00. */
  slowestHour: number
}

const MAX_DELAY_SLOTS = 2 * SLOTS_PER_WEEK

/**
 * The hour of each slot of three weeks: a silence begins in the first week, and is noticed within two weeks after that.
 */
const hourOfWeek = Array.from(
  { length: SLOTS_PER_WEEK + MAX_DELAY_SLOTS },
  (_, slot) => Math.floor(slot / SLOTS_PER_HOUR) % HOURS_PER_WEEK,
)

function estimateDelays(tables: LevelTables<SilenceFit>, alarmBudgetAYear: number): SilenceDelays {
  const level = findUsualLevel(tables)
  const delays = Array.from({ length: HOURS_PER_WEEK }, (_, hour) => {
    const lastVisit = hour * SLOTS_PER_HOUR
    const alarmAt = findAlarmTime(tables, level, { lastVisit, hourOfWeek }, alarmBudgetAYear)
    const isNoticed = alarmAt !== undefined && alarmAt - lastVisit <= MAX_DELAY_SLOTS
    return isNoticed ? (alarmAt - lastVisit) * SLOT_MINUTES : Number.POSITIVE_INFINITY
  })
  const slowest = Math.max(...delays)
  return {
    day: findMedian(delays.filter((_, hour) => hour % 24 >= 9 && hour % 24 < 17)),
    night: findMedian(delays.filter((_, hour) => hour % 24 < 6)),
    slowest: roundMinutes(slowest),
    slowestHour: delays.indexOf(slowest),
  }
}

/** Returns the level after two days of the usual visits, spread as evenly as possible. */
function findUsualLevel(tables: LevelTables): LevelState {
  const level = startLevel(tables)
  let dueVisits = 0
  for (let slot = 0; slot < 2 * 24 * SLOTS_PER_HOUR; slot++) {
    const hour = hourOfWeek[slot] ?? 0
    dueVisits += tables.model.rates[hour] ?? 0
    const visits = Math.floor(dueVisits)
    dueVisits -= visits
    advanceLevel(tables, level, { visits, hourOfWeek: hour, isExcluded: false })
  }
  return level
}

function findMedian(values: number[]): number | null {
  const sorted = values.sort((first, second) => first - second)
  return roundMinutes(sorted[Math.floor(sorted.length / 2)] ?? Number.POSITIVE_INFINITY)
}

function roundMinutes(minutes: number): number | null {
  return Number.isFinite(minutes) ? Math.round(minutes) : null
}
