/** Decides when the impact of an incident is measured again, because events can arrive late. */
import { addMs } from '../lib/clock.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../shared/time.ts'

const MIN_OPEN_DELAY_MS = 30 * SECOND_MS
const MAX_OPEN_DELAY_MS = 10 * MINUTE_MS
/** An open incident is measured again after this part of its duration. */
const OPEN_DELAY_SHARE = 0.1
/** After the end of the incident. After the last delay, the impact is final. */
const RESOLVED_DELAYS_MS = [5 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS]

/** Returns null if the impact, measured now, is final. */
export function scheduleMeasurement(startedAt: Date, resolvedAt: Date | null, now: Date): Date | null {
  if (resolvedAt === null) {
    const delayMs = (now.getTime() - startedAt.getTime()) * OPEN_DELAY_SHARE
    return addMs(now, Math.min(MAX_OPEN_DELAY_MS, Math.max(MIN_OPEN_DELAY_MS, delayMs)))
  }
  return RESOLVED_DELAYS_MS.map((delayMs) => addMs(resolvedAt, delayMs)).find((time) => time > now) ?? null
}
