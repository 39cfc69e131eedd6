/** The local hours of the week around now, for the time zones of all watched websites. Many websites share a zone. */
import { DAY_MS } from '../../shared/time.ts'
import { floorToSlot, listHoursOfWeek, SLOT_MS } from '../model/visit-history.ts'

/** The hours begin this many days ago. That is longer than the history that a website is judged by. */
const DAYS_BEFORE = 60
/**
 * The hours end this many days from now. An alarm that is further ahead is found on a later day, when the hours have
 * moved along.
 */
const DAYS_AHEAD = 15

export interface HoursOfZone {
  /** The beginning of the first slot in epoch milliseconds. */
  startsAt: number
  hourOfWeek: Uint8Array
}

export class ZoneHours {
  readonly #zones = new Map<string, HoursOfZone>()
  #renewAt = Number.NEGATIVE_INFINITY
  #startsAt = 0

  /** Call it before `get`. Once a day, it moves the range of hours forward. */
  moveTo(now: Date): void {
    if (now.getTime() < this.#renewAt) return
    this.#zones.clear()
    this.#startsAt = floorToSlot(now.getTime() - DAYS_BEFORE * DAY_MS)
    this.#renewAt = now.getTime() + DAY_MS
  }

  get(zone: string): HoursOfZone {
    const knownHours = this.#zones.get(zone)
    if (knownHours !== undefined) return knownHours
    const slotCount = ((DAYS_BEFORE + DAYS_AHEAD) * DAY_MS) / SLOT_MS
    const hours = {
      startsAt: this.#startsAt,
      hourOfWeek: listHoursOfWeek(zone, this.#startsAt, slotCount),
    }
    this.#zones.set(zone, hours)
    return hours
  }
}
