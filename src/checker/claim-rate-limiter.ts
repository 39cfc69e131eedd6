/**
 * Limits how many checks a node claims. The rate of on-time checks may double, but not suddenly; checks beyond it
 * become overdue. Overdue checks are caught up within a minute at an even rate. After an outage, all checks are
 * overdue.
 */

/** Slightly less than a minute, because starting and finishing the checks takes time too. */
const CATCH_UP_SECONDS = 45
/**
 * The allowed rate even if there were no checks before. The first checks of 1,000 new monitors then start within five
 * seconds.
 */
const MIN_PER_SECOND = 250
const MAX_GROWTH = 2
/** A single process can't run more checks than this. */
const MAX_PER_SECOND = 4_000
/**
 * Weight of the latest rate in the moving average. The average falls slowly, so that a burst of checks once a minute
 * still counts as usual.
 */
const WEIGHT = { increase: 0.1, decrease: 0.003 }
/**
 * Unused allowance accumulates for this long, because claims are not exactly periodic. A longer time would allow
 * bursts.
 */
const MAX_SAVED_SECONDS = 0.5

export interface ClaimCounts {
  overdue: number
  onTime: number
}

export class ClaimRateLimiter {
  #overduePerSecond = MIN_PER_SECOND
  #usualPerSecond = 0
  readonly #saved: ClaimCounts = { overdue: 0, onTime: 0 }
  #lastCalledAt: number | undefined
  #elapsedSeconds = 0

  /** How many checks to claim at most. `now` is in milliseconds. */
  allowance(now: number): ClaimCounts {
    this.#elapsedSeconds = Math.min(MAX_SAVED_SECONDS, (now - (this.#lastCalledAt ?? now - 100)) / 1000)
    this.#lastCalledAt = now
    return {
      overdue: this.#accumulate('overdue', Math.max(this.#overduePerSecond, this.#usualPerSecond)),
      onTime: this.#accumulate('onTime', Math.max(MIN_PER_SECOND, MAX_GROWTH * this.#usualPerSecond)),
    }
  }

  #accumulate(kind: keyof ClaimCounts, perSecond: number): number {
    const rate = Math.min(perSecond, MAX_PER_SECOND)
    this.#saved[kind] = Math.min(rate * MAX_SAVED_SECONDS, this.#saved[kind] + rate * this.#elapsedSeconds)
    return Math.floor(this.#saved[kind])
  }

  /**
   * Returns whether the limit for overdue checks was reached. The caller then counts the backlog and calls
   * `setBacklog`.
   */
  recordClaims({ overdue, onTime }: ClaimCounts, allowed: ClaimCounts): boolean {
    this.#saved.overdue -= overdue
    this.#saved.onTime -= onTime
    if (this.#elapsedSeconds > 0) {
      const change = (overdue + onTime) / this.#elapsedSeconds - this.#usualPerSecond
      this.#usualPerSecond += change * (change > 0 ? WEIGHT.increase : WEIGHT.decrease)
    }
    if (overdue >= allowed.overdue && allowed.overdue > 0) return true
    this.#overduePerSecond = MIN_PER_SECOND
    return false
  }

  setBacklog(overdue: number): void {
    this.#overduePerSecond = Math.max(this.#overduePerSecond, overdue / CATCH_UP_SECONDS)
  }
}
