/**
 * The number of visits that began on each host in each 5 minutes. Both `traffic_counts` (dimension
 * `visit_slots`) and `traffic_days.visit_slots` store these numbers.
 *
 * A value is hostname id × 1024 + slot. Slot 0 of a day begins 16 hours before the day's midnight in UTC, which is before the day
 * begins in any time zone. So a slot stands for the same 5 minutes, whatever time zone the website has or had.
 *
 * The day is still the website's local day. If the time zone was changed, two days can hold visits of the same 5 minutes, and
 * readers add them up. Packed values have the format and the version of packed-counts.ts. Never change these constants: stored
 * values depend on them.
 */
import { HOUR_MS, MINUTE_MS } from '../../shared/time.ts'

export const VISIT_SLOT_MS = 5 * MINUTE_MS
/**
 * 1,024 slots are 85 hours. A local day needs fewer: it begins at most 16 hours before or after midnight UTC and has at
 * most 25 hours.
 */
export const SLOTS_PER_HOST = 1_024
const SLOTS_BEGIN_BEFORE_DAY_MS = 16 * HOUR_MS
/** A larger id would not fit into the 31 bits of a value. Its visits count as visits of an unknown host. */
const MAX_HOSTNAME_ID = 2 ** 21 - 1

/** The beginning of slot 0 of a day, in milliseconds since 1970. */
export function findFirstSlotAt(day: string): number {
  return Date.parse(day) - SLOTS_BEGIN_BEFORE_DAY_MS
}

/**
 * `hostnameId` is 0 if the host is unknown. Only a wrong clock causes a time outside the slots of the day. Such a time
 * counts for the nearest slot.
 */
export function encodeVisitSlot(hostnameId: number, startedAt: number, firstSlotAt: number): number {
  const slot = Math.floor((startedAt - firstSlotAt) / VISIT_SLOT_MS)
  const storedId = hostnameId <= MAX_HOSTNAME_ID ? hostnameId : 0
  return storedId * SLOTS_PER_HOST + Math.max(0, Math.min(slot, SLOTS_PER_HOST - 1))
}

export function decodeVisitSlot(value: number): { hostnameId: number; slot: number } {
  return { hostnameId: Math.floor(value / SLOTS_PER_HOST), slot: value % SLOTS_PER_HOST }
}
