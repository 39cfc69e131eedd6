/** When a message that was not taken is tried again, and when that ends. */

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

const pausesMs = [5 * SECOND_MS, 15 * SECOND_MS, 45 * SECOND_MS, 2 * MINUTE_MS, 5 * MINUTE_MS]
const LAST_PAUSE_MS = 15 * MINUTE_MS
/** Of a provider as a whole: an alert that is new may find it back again. */
const REST_MOST_MS = MINUTE_MS
/** However long the other side wants us to wait. */
const ASKED_MOST_MS = HOUR_MS
/** An alert that nobody took until then is no news. */
export const GIVE_UP_HOURS = 24

/** After so many attempts at one message, in ms. */
export function pauseAfter(attempts: number): number {
  return pausesMs[attempts - 1] ?? LAST_PAUSE_MS
}

/** After so many failures of a provider in a row, in ms: its other messages do not fail one by one meanwhile. */
export function restAfter(failures: number): number {
  return Math.min(pauseAfter(failures), REST_MOST_MS)
}

/** At least as long as the other side asked for. */
export function heeding(pauseMs: number, retryAfterSeconds = 0): number {
  return Math.max(pauseMs, Math.min(retryAfterSeconds * SECOND_MS, ASKED_MOST_MS))
}

export function isTooOld(createdAt: Date, now: Date, giveUpHours = GIVE_UP_HOURS): boolean {
  return now.getTime() - createdAt.getTime() >= giveUpHours * HOUR_MS
}

/** What was written before it is too old. */
export function tooOldBefore(now: Date): Date {
  return new Date(now.getTime() - GIVE_UP_HOURS * HOUR_MS)
}
