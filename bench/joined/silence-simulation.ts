/**
 * Simulates traffic alerts on years of traffic. As in the server, the model gets exact visit times, learns only from
 * the past, and computes the alarm time after each visit. Counts false alarms, and measures how long it takes to notice
 * stops and drops.
 */

import { SLOTS_PER_DAY, SLOTS_PER_WEEK } from '../../src/impact/model/visit-history.ts'
import { advanceLevel, type LevelState, startLevel } from '../../src/impact/silence/level.ts'
import { LevelTables } from '../../src/impact/silence/level-tables.ts'
import { findAlarmTime, fitSilence, type SilenceFit } from '../../src/impact/silence/silence.ts'
import { detectSpike } from '../../src/impact/silence/spike.ts'
import type { RandomSource } from '../../tests/support/random-source.ts'
import { type DelayRatios, StopSimulation } from './silence-stops.ts'
import { addDowntime, addLaunch, type WatchedTraffic, watchTraffic } from './silence-traffic.ts'
import type { TrafficShape } from './traffic-shapes.ts'

const FIT_WEEKS = 8
/** The server fits every day. The simulation fits less often, because fits would take most of its time. */
const FIT_PERIOD_WEEKS = 2
const YEAR_WEEKS = 52
/**
 * Gaps with fewer truly expected visits are skipped to save time: an alarm needs more than 9, and the estimated level
 * is never three times the true one.
 */
const MIN_EXAMINED_GAP = 3

export interface SilenceRow {
  siteYears: number
  falseAlarms: number
  delays: DelayRatios
  /** The number of days on which half of the visits are missing, and on how many of these days an alarm opened. */
  drops: number
  dropsFound: number
  spikes: number
  launches: number
  launchesFound: number
}

export interface SilenceOptions {
  siteYears: number
  alarmBudgetAYear: number
  stopsAYear: number
  dropsAYear: number
}

export function simulateSilence(shape: TrafficShape, random: RandomSource, options: SilenceOptions): SilenceRow {
  const stops = new StopSimulation(options.alarmBudgetAYear)
  const row = { falseAlarms: 0, drops: 0, dropsFound: 0, spikes: 0, launches: 0, launchesFound: 0 }
  for (let year = 0; year < options.siteYears; year++) {
    const traffic = watchTraffic(shape, random, FIT_WEEKS + YEAR_WEEKS)
    addDowntime(traffic, random)
    // Every second year has a product launch: ten times the traffic for a day, then a new level.
    const launch = year % 2 === 1 ? addLaunch(traffic, random, FIT_WEEKS) : undefined
    new YearSimulation({ traffic, random, options, stops, totals: row, launch }).run()
  }
  return { siteYears: options.siteYears, ...row, delays: stops.summarize() }
}

/** Simulates websites whose traffic is given: `FIT_WEEKS` weeks to learn from, and a year. */
export function simulateYears(
  traffics: readonly WatchedTraffic[],
  random: RandomSource,
  options: SilenceOptions,
): Pick<SilenceRow, 'falseAlarms'> {
  const row = { falseAlarms: 0, drops: 0, dropsFound: 0, spikes: 0, launches: 0, launchesFound: 0 }
  const stops = new StopSimulation(options.alarmBudgetAYear)
  for (const traffic of traffics) new YearSimulation({ traffic, random, options, stops, totals: row }).run()
  return row
}

type Totals = Omit<SilenceRow, 'siteYears' | 'delays'>

interface YearInput {
  traffic: WatchedTraffic
  random: RandomSource
  options: SilenceOptions
  stops: StopSimulation
  /** The simulation adds its results to these totals. */
  totals: Totals
  /** The slot in which a product launch begins, if there is one in this year. */
  launch?: number | undefined
}

class YearSimulation {
  readonly #traffic: WatchedTraffic
  readonly #random: RandomSource
  readonly #options: SilenceOptions
  readonly #stops: StopSimulation
  readonly #totals: Totals
  readonly #launch: number | undefined
  /** The tables of the last fit. */
  #tables: LevelTables<SilenceFit> | undefined
  #level: LevelState | undefined
  #lastVisit: number | undefined
  #lastSpike: number | undefined

  constructor({ traffic, random, options, stops, totals, launch }: YearInput) {
    this.#traffic = traffic
    this.#random = random
    this.#options = options
    this.#stops = stops
    this.#totals = totals
    this.#launch = launch
  }

  run(): void {
    const from = FIT_WEEKS * SLOTS_PER_WEEK
    const to = this.#traffic.counts.length
    const stops = this.#drawSlots(this.#options.stopsAYear, from, to)
    const drops = this.#drawSlots(this.#options.dropsAYear, from, to)
    if (this.#launch !== undefined) this.#totals.launches++
    for (let slot = from; slot < to; slot++) {
      if ((slot - from) % (FIT_PERIOD_WEEKS * SLOTS_PER_WEEK) === 0) this.#refit(slot)
      if (!this.#tables || !this.#level) continue
      const watch = { tables: this.#tables, level: this.#level, lastVisit: this.#lastVisit }
      if (stops.has(slot)) this.#stops.add(this.#traffic, watch, slot)
      if (drops.has(slot)) this.#simulateDrop(watch.tables, watch.level, slot)
      this.#addVisits(watch.tables, watch.level, slot)
      this.#countSpikes(watch.tables.model, slot + 1)
    }
  }

  #drawSlots(count: number, from: number, to: number): Set<number> {
    const slots = to - from - SLOTS_PER_WEEK
    return new Set(Array.from({ length: count }, () => from + Math.floor(this.#random.uniform() * slots)))
  }

  #refit(slot: number): void {
    const { counts, excluded, hourOfWeek } = this.#traffic
    const from = slot - FIT_WEEKS * SLOTS_PER_WEEK
    const pastColumns = [counts, excluded, hourOfWeek].map((values) => values.subarray(from, slot))
    const [pastCounts = [], pastExcluded = [], pastHours = []] = pastColumns
    const fit = fitSilence({ counts: pastCounts, excluded: pastExcluded, hourOfWeek: pastHours })
    this.#tables = fit && new LevelTables<SilenceFit>().of(fit)
    if (this.#tables) this.#level ??= startLevel(this.#tables, this.#traffic, slot - 2 * SLOTS_PER_DAY, slot)
  }

  #addVisits(tables: LevelTables<SilenceFit>, level: LevelState, slot: number): void {
    const isExcluded = Boolean(this.#traffic.excluded[slot])
    const visits = isExcluded ? 0 : (this.#traffic.counts[slot] ?? 0)
    for (const visit of this.#drawTimes(slot, visits)) {
      const isAlarm = this.#lastVisit !== undefined && this.#isAlarm(tables, level, this.#lastVisit, visit)
      if (isAlarm) this.#totals.falseAlarms++
      this.#lastVisit = visit
    }
    advanceLevel(tables, level, { visits, hourOfWeek: this.#traffic.hourOfWeek[slot] ?? 0, isExcluded })
  }

  /** Visits are uniform within their slot. */
  #drawTimes(slot: number, visits: number): number[] {
    return Array.from({ length: visits }, () => slot + this.#random.uniform()).sort((a, b) => a - b)
  }

  #isAlarm(tables: LevelTables<SilenceFit>, level: LevelState, lastVisit: number, visit: number): boolean {
    const { hourOfWeek, excluded } = this.#traffic
    if (this.#traffic.sumExpectedVisits(lastVisit, visit) < MIN_EXAMINED_GAP) return false
    const alarm = findAlarmTime(tables, level, { lastVisit, hourOfWeek, excluded }, this.#options.alarmBudgetAYear)
    return alarm !== undefined && alarm < visit
  }

  /**
   * Simulates a day on which half of the visits, chosen at random, are missing. The level follows the visits that
   * remain.
   */
  #simulateDrop(tables: LevelTables<SilenceFit>, before: LevelState, from: number): void {
    const level = structuredClone(before)
    let lastVisit = this.#lastVisit
    this.#totals.drops++
    for (let slot = from; slot < from + SLOTS_PER_DAY; slot++) {
      const isExcluded = Boolean(this.#traffic.excluded[slot])
      const visitCount = isExcluded ? 0 : (this.#traffic.counts[slot] ?? 0)
      const keptVisits = this.#drawTimes(slot, visitCount).filter(() => this.#random.uniform() < 0.5)
      for (const visit of keptVisits) {
        if (lastVisit !== undefined && this.#isAlarm(tables, level, lastVisit, visit)) {
          this.#totals.dropsFound++
          return
        }
        lastVisit = visit
      }
      const hourOfWeek = this.#traffic.hourOfWeek[slot] ?? 0
      advanceLevel(tables, level, { visits: keptVisits.length, hourOfWeek, isExcluded })
    }
  }

  #countSpikes(fit: SilenceFit, now: number): void {
    if (!detectSpike(fit, this.#traffic, now, this.#lastSpike)) return
    this.#lastSpike = now
    const sinceLaunch = now - (this.#launch ?? Number.POSITIVE_INFINITY)
    if (sinceLaunch > 0 && sinceLaunch <= SLOTS_PER_DAY) this.#totals.launchesFound++
    else this.#totals.spikes++
  }
}
