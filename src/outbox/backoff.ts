/** How long to wait before a failed message is retried, and when to give up. */
import { addMs } from '../lib/clock.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../shared/time.ts'

const retryDelaysMs = [5 * SECOND_MS, 15 * SECOND_MS, 45 * SECOND_MS, 2 * MINUTE_MS, 5 * MINUTE_MS]
const MAX_RETRY_DELAY_MS = 15 * MINUTE_MS
/** Shorter than the longest delay of a single message, because another message of the queue may succeed. */
const MAX_QUEUE_PAUSE_MS = MINUTE_MS
/** Upper limit for the time that a receiver asks us to wait. */
const MAX_RETRY_AFTER_MS = HOUR_MS

export function getRetryDelayMs(attempts: number): number {
  return retryDelaysMs[attempts - 1] ?? MAX_RETRY_DELAY_MS
}

/** After a failure the whole queue pauses, so that its other messages do not fail one by one. */
export function getQueuePauseMs(failuresInARow: number): number {
  return Math.min(getRetryDelayMs(failuresInARow), MAX_QUEUE_PAUSE_MS)
}

/** Extends the delay to what the receiver asked for. */
export function applyRetryAfter(delayMs: number, retryAfterSeconds = 0): number {
  return Math.max(delayMs, Math.min(retryAfterSeconds * SECOND_MS, MAX_RETRY_AFTER_MS))
}

/** Messages created at or before the returned time are given up. */
export function getGiveUpCutoff(now: Date, giveUpAfterHours: number): Date {
  return addMs(now, -giveUpAfterHours * HOUR_MS)
}
