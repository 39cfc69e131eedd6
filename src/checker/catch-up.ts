/**
 * How many of those that have been waiting are taken at once. After a standstill all are due: they are caught up within a
 * minute, evenly, beside those that are due in time.
 */

/** Within so many seconds everything is caught up: a little less than a minute, for what it takes to begin and to end. */
const WITHIN_S = 45
/** A short standstill is made up for quickly: at this pace, or at that of those in time, which we are used to. */
const LEAST_PER_S = 250
/** How much the latest look weighs in that pace. */
const WEIGHT = 0.1

export class CatchUp {
  #perSecond = LEAST_PER_S
  #usualPerSecond = 0
  #allowed = 0
  #lastAsked: number | undefined
  #elapsedS = 0

  /** How many of those that wait may be taken at `now`, in milliseconds. */
  allowance(now: number): number {
    this.#elapsedS = Math.min(1, (now - (this.#lastAsked ?? now - 100)) / 1000)
    this.#lastAsked = now
    const perSecond = Math.max(this.#perSecond, this.#usualPerSecond)
    // What was not needed is not saved up: it would be a burst.
    this.#allowed = Math.min(perSecond, this.#allowed + this.#elapsedS * perSecond)
    return Math.floor(this.#allowed)
  }

  /** What was taken then. Answers whether it would help to know how many are still waiting. */
  took({ waiting, punctual, allowance }: { waiting: number; punctual: number; allowance: number }): boolean {
    this.#allowed -= waiting
    if (this.#elapsedS > 0) this.#usualPerSecond += WEIGHT * (punctual / this.#elapsedS - this.#usualPerSecond)
    if (waiting >= allowance && allowance > 0) return true
    this.#perSecond = LEAST_PER_S
    return false
  }

  learn(waiting: number): void {
    this.#perSecond = Math.max(this.#perSecond, waiting / WITHIN_S)
  }
}
