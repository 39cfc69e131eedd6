/**
 * Limits how many checks a node claims per second. On-time checks may be claimed at up to twice the usual rate of this
 * node's claims; checks beyond that limit become overdue. Overdue checks, such as all checks after an outage of Belfry, are spread evenly
 * over `CATCH_UP_SECONDS`.
 */

/** Overdue checks should be done within a minute. Claiming them gets less time, because running them takes time too. */
const CATCH_UP_SECONDS = 45
/**
 * The limiter always allows this rate, even if there were no checks before. With this rate, the first checks of 1,000
 * new monitors start within five seconds.
 */
const MIN_CLAIMS_PER_SECOND = 250
/** On-time checks may be claimed at the usual rate times this factor. */
const MAX_GROWTH_FACTOR = 2
/** A single process can't run more checks per second than this. */
const MAX_CLAIMS_PER_SECOND = 4_000
/**
 * The usual rate is a moving average of how many checks, on-time or overdue, were claimed per second. This is the weight of the latest rate: the average rises quickly
 * and falls slowly, so that the limiter still allows a burst of checks that repeats every minute.
 */
const AVERAGE_WEIGHT = { increase: 0.1, decrease: 0.003 }
/**
 * Unused allowance accumulates for up to this long, because the intervals between claims vary slightly. A longer time
 * would allow bursts.
 */
const MAX_SAVED_SECONDS = 0.5

export interface ClaimCounts {
  overdue: number
  onTime: number
}

export interface UserClaimCounts extends ClaimCounts {
  teamId: number
}

export class ClaimRateLimiter {
  #overduePerSecond = MIN_CLAIMS_PER_SECOND
  #usualPerSecond = 0
  readonly #savedAllowance: ClaimCounts = { overdue: 0, onTime: 0 }
  #lastCalledAt: number | undefined
  #elapsedSeconds = 0

  /** Returns how many checks may be claimed now. `now` is in milliseconds. */
  getAllowance(now: number): ClaimCounts {
    this.#elapsedSeconds = Math.min(MAX_SAVED_SECONDS, (now - (this.#lastCalledAt ?? now - 100)) / 1000)
    this.#lastCalledAt = now
    return {
      overdue: this.#accumulate('overdue', Math.max(this.#overduePerSecond, this.#usualPerSecond)),
      onTime: this.#accumulate('onTime', Math.max(MIN_CLAIMS_PER_SECOND, MAX_GROWTH_FACTOR * this.#usualPerSecond)),
    }
  }

  #accumulate(kind: keyof ClaimCounts, perSecond: number): number {
    const rate = Math.min(perSecond, MAX_CLAIMS_PER_SECOND)
    this.#savedAllowance[kind] = Math.min(
      rate * MAX_SAVED_SECONDS,
      this.#savedAllowance[kind] + rate * this.#elapsedSeconds,
    )
    return Math.floor(this.#savedAllowance[kind])
  }

  /** Subtracts claims from the allowance. `backlog` is the number of overdue checks that are still not claimed. */
  recordClaims({ overdue, onTime }: ClaimCounts, backlog: number): void {
    this.#savedAllowance.overdue -= overdue
    this.#savedAllowance.onTime -= onTime
    if (this.#elapsedSeconds > 0) {
      const change = (overdue + onTime) / this.#elapsedSeconds - this.#usualPerSecond
      this.#usualPerSecond += change * (change > 0 ? AVERAGE_WEIGHT.increase : AVERAGE_WEIGHT.decrease)
    }
    // Until the whole backlog is claimed, the rate never falls, even if a lack of slots delays that. It rises if the backlog grows.
    this.#overduePerSecond =
      backlog === 0 ? MIN_CLAIMS_PER_SECOND : Math.max(this.#overduePerSecond, backlog / CATCH_UP_SECONDS)
  }
}
