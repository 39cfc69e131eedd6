/** What a node remembers about a watched website between two runs, so that a run reads only the visits since the last one. */
import { SLOT_MS } from './hours-of-week.ts'
import { findAlarmTime, type SilenceFit } from './silence.ts'
import { advanceLevel, findMeanLevel, type LevelState, startLevel } from './silence-level.ts'
import { isRecovered } from './silence-replay.ts'
import { SLOTS_PER_HOUR, type VisitHistory } from './visit-history.ts'
import type { ZoneHours } from './zone-hours.ts'

export class WatchState {
  readonly fit: SilenceFit
  /** When the fit was computed, to notice another node's newer one. */
  readonly fittedAt: number
  readonly timeZone: string
  readonly #level: LevelState
  readonly #hours: ZoneHours
  #lastVisitAt: number | undefined
  #alarmsAYear = Number.NaN
  #alarmAt: number | undefined
  /** The visits of the last hour, oldest slot first. */
  #lastHour: number[]
  /** The beginning of the first slot that the level doesn't know yet. */
  #knownUntil: number

  /** `history` ends at `knownUntil`. Its last two days are enough for the level. */
  constructor(options: {
    fit: SilenceFit
    fittedAt: Date
    timeZone: string
    history: VisitHistory
    knownUntil: number
    lastVisitAt: Date | undefined
    hours: ZoneHours
  }) {
    const { fit, fittedAt, timeZone, history, knownUntil, lastVisitAt, hours } = options
    const slotCount = history.counts.length
    this.fit = fit
    this.fittedAt = fittedAt.getTime()
    this.timeZone = timeZone
    this.#level = startLevel(fit, history, Math.max(0, slotCount - LEVEL_SLOTS), slotCount)
    this.#lastHour = Array.from(
      { length: SLOTS_PER_HOUR },
      (_, n) => history.counts[slotCount - SLOTS_PER_HOUR + n] ?? 0,
    )
    this.#knownUntil = knownUntil
    this.#lastVisitAt = lastVisitAt?.getTime()
    this.#hours = hours
  }

  get knownUntil(): number {
    return this.#knownUntil
  }

  get lastVisitAt(): number | undefined {
    return this.#lastVisitAt
  }

  get lastHourVisits(): readonly number[] {
    return this.#lastHour
  }

  get level(): LevelState {
    return this.#level
  }

  /** Adds a slot that is over. Excluded: an incident is open, or Belfry could not count. */
  addSlot(visits: number, isExcluded: boolean): void {
    advanceLevel(this.fit, this.#level, visits, this.#hourAt(this.#knownUntil), isExcluded)
    this.#lastHour = [...this.#lastHour.slice(1), visits]
    this.#knownUntil += SLOT_MS
    if (visits > 0) this.#alarmAt = undefined
  }

  /** Earlier visits than the last one change nothing. */
  addVisit(at: number): void {
    if (at <= (this.#lastVisitAt ?? Number.NEGATIVE_INFINITY)) return
    this.#lastVisitAt = at
    this.#alarmAt = undefined
  }

  /** When the gap since the last visit becomes too long, in epoch milliseconds. Infinity without a visit. */
  findAlarm(alarmsAYear: number): number {
    if (this.#alarmAt === undefined || this.#alarmsAYear !== alarmsAYear) {
      this.#alarmsAYear = alarmsAYear
      this.#alarmAt = this.findAlarmWithout(undefined)
    }
    return this.#alarmAt
  }

  /** The same, if the time in the slots of `excluded` doesn't count. Their indexes are those of the zone's hours. */
  findAlarmWithout(excluded: ArrayLike<number> | undefined): number {
    if (this.#lastVisitAt === undefined) return Number.POSITIVE_INFINITY
    const { startsAt, hourOfWeek } = this.#hours.get(this.timeZone)
    const lastVisit = Math.max(0, (this.#lastVisitAt - startsAt) / SLOT_MS)
    const alarm = findAlarmTime(this.fit, this.#level, lastVisit, this.#alarmsAYear, hourOfWeek, excluded)
    return alarm === undefined ? Number.POSITIVE_INFINITY : startsAt + alarm * SLOT_MS
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

/** Two days: the level forgets faster. */
const LEVEL_SLOTS = 2 * 24 * SLOTS_PER_HOUR
