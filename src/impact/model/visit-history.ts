/**
 * The visits of one website, or of one of its hosts, as all statistics of this folder read them: visits begun per slot of
 * 5 minutes, oldest first. Times are numbers of slots since the beginning of the history, and can be fractional: 1.5 is 7 min 30 s.
 */
import { MINUTE_MS } from '../../shared/time.ts'

export const SLOT_MINUTES = 5
export const SLOT_MS = SLOT_MINUTES * MINUTE_MS
export const SLOTS_PER_HOUR = 12
export const SLOTS_PER_DAY = 288
export const SLOTS_PER_WEEK = 2016
export const HOURS_PER_WEEK = 168

export interface VisitHistory {
  /**
   * Visits begun in each slot. The history starts with the slot of the first known visit, or with the oldest day read.
   */
  counts: ArrayLike<number>
  /**
   * 1 if the slot carries no information about usual traffic: an incident was ongoing, Belfry itself could not count, or
   * it was a quiet day.
   */
  excluded: ArrayLike<number>
  /**
   * Hour of the week of each slot in the website's time zone: 0 is Monday from 00:00 to 01:00. Local hours make the
   * profile follow daylight saving time. The array reaches at least to the end of the predicted period.
   */
  hourOfWeek: ArrayLike<number>
}

/** 1 January 1970 was a Thursday, three days after a Monday. */
const HOURS_FROM_MONDAY_TO_EPOCH = 3 * 24

/** `startsAt` is the start of the first slot in epoch milliseconds. Slots begin at multiples of 5 minutes. */
export function listHoursOfWeek(zone: string, startsAt: number, slotCount: number): Uint8Array {
  const hours = new Uint8Array(slotCount)
  const endsAt = startsAt + slotCount * SLOT_MS
  for (const { from, to, offsetMs } of listOffsets(zone, startsAt, endsAt)) {
    let slot = Math.round((from - startsAt) / SLOT_MS)
    const end = Math.round((to - startsAt) / SLOT_MS)
    while (slot < end) {
      const localSlot = (startsAt + slot * SLOT_MS + offsetMs) / SLOT_MS
      const localHour = Math.floor(localSlot / SLOTS_PER_HOUR)
      const nextHourSlot = Math.min(end, slot + (localHour + 1) * SLOTS_PER_HOUR - Math.floor(localSlot))
      hours.fill((localHour + HOURS_FROM_MONDAY_TO_EPOCH) % HOURS_PER_WEEK, slot, nextHourSlot)
      slot = nextHourSlot
    }
  }
  return hours
}

interface OffsetPeriod {
  /** `from` and `to` are in epoch milliseconds. */
  from: number
  to: number
  /** Local time minus UTC. */
  offsetMs: number
}

/** Calls Temporal only once for each change of the clocks. A call for each of 16,000 slots would take 100 ms. */
function listOffsets(zone: string, from: number, to: number): OffsetPeriod[] {
  const periods: OffsetPeriod[] = []
  let time: Temporal.ZonedDateTime = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone)
  for (;;) {
    const next = time.getTimeZoneTransition('next')
    const periodEnd = Math.min(to, next?.epochMilliseconds ?? to)
    periods.push({ from: time.epochMilliseconds, to: periodEnd, offsetMs: time.offsetNanoseconds / 1e6 })
    if (next === null || periodEnd >= to) return periods
    time = next
  }
}

/** Returns the start of the slot that contains the time. */
export function floorToSlot(at: number): number {
  return Math.floor(at / SLOT_MS) * SLOT_MS
}

/** Returns the end of the slot that contains the time, or the time itself if a slot begins then. */
export function ceilToSlot(at: number): number {
  return Math.ceil(at / SLOT_MS) * SLOT_MS
}
