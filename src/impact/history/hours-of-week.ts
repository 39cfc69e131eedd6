/** The local hour of the week of every slot of a history. */
import { MINUTE_MS } from '../../shared/time.ts'
import { HOURS_PER_WEEK, SLOT_MINUTES, SLOTS_PER_HOUR } from '../model/visit-history.ts'

export const SLOT_MS = SLOT_MINUTES * MINUTE_MS
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
  from: number
  to: number
  /** Local time minus UTC. */
  offsetMs: number
}

/** Asks Temporal only once for each change of the clocks. For each of 16,000 slots it would take 100 ms. */
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

/** The start of the slot that contains the time. */
export function floorToSlot(at: number): number {
  return Math.floor(at / SLOT_MS) * SLOT_MS
}

/** The end of the slot that contains the time, or the time itself if a slot begins then. */
export function ceilToSlot(at: number): number {
  return Math.ceil(at / SLOT_MS) * SLOT_MS
}
