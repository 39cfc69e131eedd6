/** Repeats a write until the database accepts it, so that a message that was sent is not sent again after an outage. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isDatabaseUnavailable } from '../storage/connection-loss.ts'

/**
 * After a database outage, every other node looks expired until its next heartbeat. So the outbox releases no queues of expired
 * nodes until the database has been available for this long. nodes/lease.ts has the same value.
 */
const STABLE_AFTER_MS = 3_000
const MIN_DELAY_MS = 250
const MAX_DELAY_MS = 1_000
const MIN_LOG_INTERVAL_MS = 30_000

export class RetryingWriter {
  readonly #log: Logger
  #deadline = Number.POSITIVE_INFINITY
  #lastUnavailableAt = Number.NEGATIVE_INFINITY
  #lastLoggedAt = Number.NEGATIVE_INFINITY

  constructor(log: Logger) {
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
    for (let delayMs = MIN_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
      try {
        return await write()
      } catch (error) {
        this.reportFailure(error, problem)
        if (performance.now() > this.#deadline) throw error
        await wait(delayMs)
      }
    }
  }

  reportFailure(error: unknown, problem: string): void {
    const now = performance.now()
    if (isDatabaseUnavailable(error)) this.#lastUnavailableAt = now
    if (now - this.#lastLoggedAt < MIN_LOG_INTERVAL_MS) return
    this.#lastLoggedAt = now
    this.#log.warn({ reason: (error as Error).message }, `${problem}, retrying`)
  }
}
