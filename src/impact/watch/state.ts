/** What a node remembers about a watched website between two runs, so that a run reads only the visits since the last one. */
import { SLOT_MS, SLOTS_PER_HOUR, type VisitHistory } from '../model/visit-history.ts'
import { advanceLevel, findMeanLevel, type LevelState, startLevel } from '../silence/level.ts'
import type { LevelTables } from '../silence/level-tables.ts'
import { isRecovered } from '../silence/replay-silence.ts'
import { findAlarmTime, type SilenceFit } from '../silence/silence.ts'
import { detectSpike, type Spike } from '../silence/spike.ts'
import type { ZoneHours } from '../watch/zone-hours.ts'

export class WatchState {
  readonly fit: SilenceFit
  /** When the fit was computed, to notice another node's newer one. */
  readonly fittedAt: number
  readonly timeZone: string
  /** Identifies the quiet days that the fit leaves out. */
  readonly quietDaysFingerprint: string
  readonly #level: LevelState
  readonly #hours: ZoneHours
  readonly #tables: LevelTables<SilenceFit>
  #lastVisitAt: number | undefined
  /**
   * When the gap since the last visit becomes too long, in epoch milliseconds, computed for `#alarmsAYear`. undefined if
   * it has to be computed again.
   */
  #nextAlarmAt: number | undefined
  #alarmsAYear = Number.NaN
  #lastSpikeAt: number | undefined
  /** The visits of the last slots, and whether they are excluded, oldest first. */
  readonly #counts: Uint32Array
  readonly #excluded: Uint8Array
  /** The beginning of the first slot that is not part of the level yet, in epoch milliseconds. */
  #knownUntil: number

  /** `history` ends at `knownUntil`. Its last two days are enough for the level. */
  constructor(options: {
    fit: SilenceFit
    fittedAt: Date
    timeZone: string
    quietDaysFingerprint: string
    history: VisitHistory
    knownUntil: number
    lastVisitAt: Date | undefined
    hours: ZoneHours
    /** The tables, which all websites of a node share. */
    tables: LevelTables<SilenceFit>
  }) {
    const { fit, fittedAt, timeZone, quietDaysFingerprint, history, knownUntil, lastVisitAt, hours, tables } = options
    const slotCount = history.counts.length
    this.fit = fit
    this.fittedAt = fittedAt.getTime()
    this.timeZone = timeZone
    this.quietDaysFingerprint = quietDaysFingerprint
    this.#level = startLevel(tables.of(fit), history, Math.max(0, slotCount - LEVEL_SLOTS), slotCount)
    const firstSlot = slotCount - RECENT_SLOTS
    // Slots before the beginning of the history are excluded.
    this.#counts = Uint32Array.from({ length: RECENT_SLOTS }, (_, n) => history.counts[firstSlot + n] ?? 0)
    this.#excluded = Uint8Array.from({ length: RECENT_SLOTS }, (_, n) => history.excluded[firstSlot + n] ?? 1)
    this.#knownUntil = knownUntil
    this.#lastVisitAt = lastVisitAt?.getTime()
    this.#hours = hours
    this.#tables = tables
  }

  get knownUntil(): number {
    return this.#knownUntil
  }

  get lastVisitAt(): number | undefined {
    return this.#lastVisitAt
  }

  /**
   * Adds a slot that is over. A slot is excluded if an incident is ongoing, if Belfry could not count, or on a quiet day.
   */
  addSlot(visits: number, isExcluded: boolean): void {
    const hourOfWeek = this.#hourAt(this.#knownUntil)
    advanceLevel(this.#tables.of(this.fit), this.#level, { visits, hourOfWeek, isExcluded })
    this.#counts.copyWithin(0, 1)
    this.#counts[RECENT_SLOTS - 1] = visits
    this.#excluded.copyWithin(0, 1)
    this.#excluded[RECENT_SLOTS - 1] = Number(isExcluded)
    this.#knownUntil += SLOT_MS
    if (visits > 0) this.#nextAlarmAt = undefined
  }

  /** Remembers the time of the last visit. Ignores a time that is earlier than the remembered one. */
  addVisit(at: number): void {
    if (at <= (this.#lastVisitAt ?? Number.NEGATIVE_INFINITY)) return
    this.#lastVisitAt = at
    this.#nextAlarmAt = undefined
  }

  /** When the gap since the last visit becomes too long, in epoch milliseconds. Infinity without a visit. */
  findAlarm(alarmsAYear: number): number {
    if (this.#nextAlarmAt === undefined || this.#alarmsAYear !== alarmsAYear) {
      this.#alarmsAYear = alarmsAYear
      this.#nextAlarmAt = this.findAlarmWithout(undefined)
    }
    return this.#nextAlarmAt
  }

  /** Like `findAlarm`, but the time in excluded slots doesn't count. `excluded` has one element for each slot of the zone's hours. */
  findAlarmWithout(excluded: ArrayLike<number> | undefined): number {
    if (this.#lastVisitAt === undefined) return Number.POSITIVE_INFINITY
    const { startsAt, hourOfWeek } = this.#hours.get(this.timeZone)
    const lastVisit = Math.max(0, (this.#lastVisitAt - startsAt) / SLOT_MS)
    const gap = { lastVisit, hourOfWeek, excluded }
    const alarm = findAlarmTime(this.#tables.of(this.fit), this.#level, gap, this.#alarmsAYear)
    return alarm === undefined ? Number.POSITIVE_INFINITY : startsAt + alarm * SLOT_MS
  }

  /** Returns a spike if the hour before `knownUntil` had unusually many visits. Finds at most one spike a day. */
  findSpike(): Spike | undefined {
    const { startsAt, hourOfWeek } = this.#hours.get(this.timeZone)
    const end = Math.round((this.#knownUntil - startsAt) / SLOT_MS)
    const recentTraffic = {
      counts: this.#counts,
      excluded: this.#excluded,
      hourOfWeek: hourOfWeek.subarray(end - RECENT_SLOTS, end),
    }
    const lastSpike =
      this.#lastSpikeAt === undefined ? undefined : RECENT_SLOTS - (this.#knownUntil - this.#lastSpikeAt) / SLOT_MS
    const spike = detectSpike(this.fit, recentTraffic, RECENT_SLOTS, lastSpike)
    if (spike !== undefined) this.#lastSpikeAt = this.#knownUntil
    return spike
  }

  /** Whether the visits since the first one after a silence show that visitors are back. */
  hasRecovered(visits: number, firstVisitAt: number, now: number): boolean {
    let expected = 0
    const level = findMeanLevel(this.#level.atLastVisit)
    for (let at = firstVisitAt; at < now; at += SLOT_MS) {
      const share = Math.min(SLOT_MS, now - at) / SLOT_MS
      expected += share * level * (this.fit.rates[this.#hourAt(at)] ?? 0)
    }
    return isRecovered(visits, expected, (now - firstVisitAt) / SLOT_MS)
  }

  #hourAt(at: number): number {
    const { startsAt, hourOfWeek } = this.#hours.get(this.timeZone)
    return hourOfWeek[Math.floor((at - startsAt) / SLOT_MS)] ?? 0
  }
}

/** Two days are enough, because the level forgets older visits. */
const LEVEL_SLOTS = 2 * 24 * SLOTS_PER_HOUR
/** The last hour, and the day before it that it is compared with. */
const RECENT_SLOTS = 25 * SLOTS_PER_HOUR
