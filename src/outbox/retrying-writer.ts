/** Repeats a write until the database accepts it, so that a message that was sent is not sent again after an outage. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { isDatabaseUnavailable } from '../storage/connection-loss.ts'
import { OngoingFailures } from './ongoing-failures.ts'

/**
 * After a database outage, every other node looks expired until its next heartbeat. So the outbox releases no queues of expired
 * nodes until the database has been available for this long. nodes/lease.ts has the same value.
 */
const STABLE_AFTER_MS = 3_000
const MIN_DELAY_MS = 250
const MAX_DELAY_MS = 1_000
const MIN_LOG_INTERVAL_MS = 30_000

export class RetryingWriter {
  readonly failures: OngoingFailures
  readonly #log: Logger
  #deadline = Number.POSITIVE_INFINITY
  #lastUnavailableAt = Number.NEGATIVE_INFINITY
  #lastLoggedAt = Number.NEGATIVE_INFINITY

  constructor({ clock, log }: { clock: Clock; log: Logger }) {
    this.failures = new OngoingFailures(clock)
    this.#log = log
  }

  /** Whether the database has been available for long enough to trust that nodes without a heartbeat have expired. */
  isStable(): boolean {
    return performance.now() - this.#lastUnavailableAt > STABLE_AFTER_MS
  }

  /** Called when the server stops. Writes that still fail after `ms` milliseconds are given up. */
  setDeadline(ms: number): void {
    this.#deadline = performance.now() + ms
  }

  /** `problem` is logged when a write fails, such as "could not store whether an alert was sent". */
  async write<T>(problem: string, write: () => Promise<T>): Promise<T> {
    try {
      for (let delayMs = MIN_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
        try {
          return await write()
        } catch (error) {
          this.reportFailure(error, problem, write)
          if (performance.now() > this.#deadline) throw error
          await delay(delayMs)
        }
      }
    } finally {
      // A write that gave up at the deadline is not retried, so it is no longer an ongoing failure.
      this.failures.recordSuccess(write)
    }
  }

  /** `operation` is as in `OngoingFailures`. */
  reportFailure(error: unknown, problem: string, operation?: unknown): void {
    this.failures.recordFailure(problem, (error as Error).message, operation)
    const now = performance.now()
    if (isDatabaseUnavailable(error)) this.#lastUnavailableAt = now
    if (now - this.#lastLoggedAt < MIN_LOG_INTERVAL_MS) return
    this.#lastLoggedAt = now
    this.#log.warn({ reason: (error as Error).message }, `${problem}, retrying`)
  }
}
