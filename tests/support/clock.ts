import type { Clock } from '../../src/lib/clock.ts'

/** A clock that moves only when a test advances or resets it. */
export class TestClock implements Clock {
  readonly #start: Date
  #now: Date

  constructor(start = new Date('2026-01-05T10:00:00.000Z')) {
    this.#start = start
    this.#now = start
  }

  now(): Date {
    return new Date(this.#now)
  }

  advance({ seconds = 0, minutes = 0, hours = 0, days = 0 }): void {
    this.#now = new Date(this.#now.getTime() + 1000 * (seconds + 60 * (minutes + 60 * (hours + 24 * days))))
  }

  /** Returns to the start time, so that the next test does not depend on this one. */
  reset(): void {
    this.#now = this.#start
  }
}
