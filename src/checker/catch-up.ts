/**
 * How many of those that have been waiting are taken at once. After a standstill all are due: they are caught up within a
 * minute, evenly, beside those that are due in time.
 */

/** Within so many seconds everything is caught up: a little less than a minute, for what it takes to begin and to end. */
const WITHIN_S = 45
/** A short standstill is made up for quickly. */
const LEAST_PER_S = 250

export class CatchUp {
  #perSecond = LEAST_PER_S
  #allowed = 0
  #lastAsked: number | undefined

  /** `now` in milliseconds. */
  allowance(now: number): number {
    const elapsedMs = Math.min(1000, now - (this.#lastAsked ?? now - 100))
    this.#lastAsked = now
    // What was not needed is not saved up: it would be a burst.
    this.#allowed = Math.min(this.#perSecond, this.#allowed + (elapsedMs / 1000) * this.#perSecond)
    return Math.floor(this.#allowed)
  }

  /** Whether it would help to know how many are waiting. */
  took(count: number, allowance: number): boolean {
    this.#allowed -= count
    if (count >= allowance && allowance > 0) return true
    this.#perSecond = LEAST_PER_S
    return false
  }

  learn(waiting: number): void {
    this.#perSecond = Math.max(this.#perSecond, waiting / WITHIN_S)
  }
}
