/**
 * How many checks are taken at once. Those in time may become twice as many as usual, but not all of a sudden: whatever is
 * beyond that waits. Those that have been waiting, and after a standstill that is everybody, are caught up within a minute,
 * evenly.
 */

/** Within so many seconds everything is caught up: a little less than a minute, for what it takes to begin and to end. */
const WITHIN_S = 45
/** However few there were before. A thousand new ones are taken within the five seconds that they may wait. */
const LEAST_PER_S = 250
const MORE_THAN_USUAL = 2
/** More than one process can do. */
const MOST_PER_S = 4_000
/** How much the latest look weighs in what is usual, where it is more or less: what was once a minute is usual as well. */
const WEIGHT = { more: 0.1, less: 0.003 }
/** What was not needed is saved up for so long, because looks are not quite even. More would be a burst. */
const SAVED_S = 0.5

export interface Allowance {
  waiting: number
  punctual: number
}

export class Pace {
  #waitingPerS = LEAST_PER_S
  #usualPerS = 0
  readonly #saved: Allowance = { waiting: 0, punctual: 0 }
  #lastAsked: number | undefined
  #elapsedS = 0

  /** At `now`, in milliseconds. */
  allowance(now: number): Allowance {
    this.#elapsedS = Math.min(SAVED_S, (now - (this.#lastAsked ?? now - 100)) / 1000)
    this.#lastAsked = now
    const save = (name: keyof Allowance, perSecond: number) => {
      const pace = Math.min(perSecond, MOST_PER_S)
      this.#saved[name] = Math.min(pace * SAVED_S, this.#saved[name] + pace * this.#elapsedS)
      return Math.floor(this.#saved[name])
    }
    return {
      waiting: save('waiting', Math.max(this.#waitingPerS, this.#usualPerS)),
      punctual: save('punctual', Math.max(LEAST_PER_S, MORE_THAN_USUAL * this.#usualPerS)),
    }
  }

  /** What was taken then. Answers whether it would help to know how many are still waiting. */
  took({ waiting, punctual }: Allowance, allowed: Allowance): boolean {
    this.#saved.waiting -= waiting
    this.#saved.punctual -= punctual
    if (this.#elapsedS > 0) {
      const change = (waiting + punctual) / this.#elapsedS - this.#usualPerS
      this.#usualPerS += change * (change > 0 ? WEIGHT.more : WEIGHT.less)
    }
    if (waiting >= allowed.waiting && allowed.waiting > 0) return true
    this.#waitingPerS = LEAST_PER_S
    return false
  }

  learn(waiting: number): void {
    this.#waitingPerS = Math.max(this.#waitingPerS, waiting / WITHIN_S)
  }
}
