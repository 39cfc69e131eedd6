/** Operations of an outbox that keep failing because of the database or a bug. Receivers that fail don't count. */
import type { Clock } from '../lib/clock.ts'

export interface OngoingFailure {
  /** What fails, for example "could not look for an alert to send". */
  problem: string
  /** The message of the last error. */
  reason: string
  /** Time from the first failed attempt to the last. */
  forMs: number
}

interface Attempts {
  problem: string
  reason: string
  firstFailedAt: number
  lastFailedAt: number
}

export class OngoingFailures {
  readonly #clock: Clock
  readonly #attempts = new Map<unknown, Attempts>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** `operation` identifies what was tried: the problem itself, or an object if the same problem can occur twice at a time. */
  recordFailure(problem: string, reason: string, operation: unknown = problem): void {
    const now = this.#clock.now().getTime()
    const firstFailedAt = this.#attempts.get(operation)?.firstFailedAt ?? now
    this.#attempts.set(operation, { problem, reason, firstFailedAt, lastFailedAt: now })
  }

  recordSuccess(operation: unknown): void {
    this.#attempts.delete(operation)
  }

  /** Forgets operations that last failed more than `ms` ago. Nothing retries them, for example because their message was deleted. */
  forgetAfter(ms: number): void {
    const now = this.#clock.now().getTime()
    for (const [operation, { lastFailedAt }] of this.#attempts)
      if (now - lastFailedAt > ms) this.#attempts.delete(operation)
  }

  list(): OngoingFailure[] {
    return [...this.#attempts.values()].map(({ problem, reason, firstFailedAt, lastFailedAt }) => ({
      problem,
      reason,
      forMs: lastFailedAt - firstFailedAt,
    }))
  }
}
