/**
 * PostgreSQL's time. Every node uses this clock for all times that it stores, so nodes agree even if their own clocks differ.
 *
 * PostgreSQL reads its clock at some time between our request and its response. Each measurement therefore gives a range of times, and
 * the estimate moves only if it is outside that range. A slow response gives a wide range, so it doesn't disturb the estimate.
 * Between measurements the monotonic clock counts, so a step of this machine's own clock changes nothing.
 */
import type { Logger } from 'pino'
import { type Clock, systemClock } from '../lib/clock.ts'

/** Larger differences between this machine's clock and PostgreSQL's are reported. */
const MAX_LOCAL_OFFSET_MS = 5_000
/**
 * If this clock is ahead of PostgreSQL's by less than this, it stands still instead of going back. A larger error means
 * that PostgreSQL's clock was set.
 */
const MAX_PAUSE_MS = 1_000
/**
 * If this machine's clock and its monotonic clock disagree by more than this, the machine slept or its clock was set
 * during a measurement.
 */
const MAX_DISAGREEMENT_MS = 500

interface Deps {
  log: Logger
  /** This machine's clock. */
  localClock?: Clock
  /** Milliseconds of a monotonic clock. */
  monotonicNow?: () => number
}

export class DatabaseClock implements Clock {
  readonly #log: Logger
  readonly #localClock: Clock
  readonly #monotonicNow: () => number
  /** PostgreSQL's time minus the monotonic clock, in milliseconds. undefined before the first measurement. */
  #offsetMs: number | undefined
  #latestMs = Number.NEGATIVE_INFINITY
  #localOffsetMs = 0
  #isLocalClockOff = false

  constructor({ log, localClock = systemClock, monotonicNow = () => performance.now() }: Deps) {
    this.#log = log
    this.#localClock = localClock
    this.#monotonicNow = monotonicNow
  }

  now(): Date {
    const nowMs = this.#estimate(this.#monotonicNow())
    const errorMs = this.#latestMs - nowMs
    if (errorMs > 0 && errorMs <= MAX_PAUSE_MS) return new Date(this.#latestMs)
    this.#latestMs = nowMs
    return new Date(nowMs)
  }

  /** How far this machine's clock is ahead of PostgreSQL's, in milliseconds. Negative if it is behind. */
  get localOffsetMs(): number {
    return this.#localOffsetMs
  }

  /** A sentence about this machine's clock; undefined if it is right. */
  get problem(): string | undefined {
    if (!this.#isLocalClockOff) return undefined
    const seconds = Math.round(Math.abs(this.#localOffsetMs) / 1000)
    const direction = this.#localOffsetMs > 0 ? 'ahead of' : 'behind'
    return `The clock of this node is ${seconds} s ${direction} PostgreSQL's. Belfry uses PostgreSQL's time; synchronize both with a time server.`
  }

  /** Call it before asking PostgreSQL for its time. Then call the returned function with the time in the response. */
  startMeasurement(): (databaseTimeMs: number) => void {
    const [sentAt, sentAtLocal] = [this.#monotonicNow(), this.#localClock.now().getTime()]
    return (databaseTimeMs) => {
      const [receivedAt, receivedAtLocal] = [this.#monotonicNow(), this.#localClock.now().getTime()]
      const disagreementMs = Math.abs(receivedAtLocal - sentAtLocal - (receivedAt - sentAt))
      // Ignore this measurement. The next one shows how long the machine slept.
      if (disagreementMs > MAX_DISAGREEMENT_MS) return
      const [minOffsetMs, maxOffsetMs] = [databaseTimeMs - receivedAt, databaseTimeMs - sentAt]
      const estimateMs = this.#offsetMs ?? (minOffsetMs + maxOffsetMs) / 2
      this.#offsetMs = Math.min(Math.max(estimateMs, minOffsetMs), maxOffsetMs)
      this.#compareLocalClock(receivedAtLocal - this.#estimate(receivedAt))
    }
  }

  #estimate(monotonicMs: number): number {
    return this.#offsetMs === undefined ? this.#localClock.now().getTime() : monotonicMs + this.#offsetMs
  }

  #compareLocalClock(localOffsetMs: number): void {
    const wasOff = this.#isLocalClockOff
    this.#localOffsetMs = localOffsetMs
    this.#isLocalClockOff = Math.abs(localOffsetMs) > MAX_LOCAL_OFFSET_MS
    if (this.#isLocalClockOff === wasOff) return
    const fields = { offsetMs: Math.round(localOffsetMs) }
    if (this.#isLocalClockOff) this.#log.warn(fields, "the clock of this node differs from PostgreSQL's")
    else this.#log.info(fields, "the clock of this node matches PostgreSQL's again")
  }
}
