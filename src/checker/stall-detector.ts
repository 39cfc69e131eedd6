/** Detects that this process was stalled. A check that timed out during a stall says nothing about its target. */
import type { Logger } from 'pino'

const TICK_INTERVAL_MS = 200
/** Our own work never blocks the event loop for this long, and no check has a shorter timeout. */
const MIN_STALL_MS = 1_000
/** A stall is reported for this long, so that periodic readiness probes see it. */
const REPORT_DURATION_MS = 20_000

export class StallDetector {
  readonly #log: Logger
  #lastTick = performance.now()
  #lastStall: { endedAt: number; durationMs: number } | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  start(): void {
    this.#lastTick = performance.now()
    this.#timer = setInterval(() => this.#tick(), TICK_INTERVAL_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /**
   * `since` comes from `performance.now`. After a stall, check timeouts fire before the next tick of the timer, so this
   * method runs a tick itself.
   */
  hasStalledSince(since: number): boolean {
    this.#tick()
    return this.#lastStall !== undefined && this.#lastStall.endedAt > since
  }

  /** A sentence about the last stall; undefined if there was none recently. */
  get recentStallMessage(): string | undefined {
    const stall = this.#lastStall
    if (stall === undefined || performance.now() - stall.endedAt > REPORT_DURATION_MS) return undefined
    return `The Belfry server was stalled for ${(stall.durationMs / 1000).toFixed(1)} s: checks that failed in the meantime don't count.`
  }

  #tick(): void {
    const now = performance.now()
    const durationMs = now - this.#lastTick
    if (durationMs - TICK_INTERVAL_MS > MIN_STALL_MS) {
      this.#lastStall = { endedAt: now, durationMs }
      this.#log.warn(
        { ms: Math.round(durationMs) },
        "this process was stalled: checks that failed in the meantime don't count",
      )
    }
    this.#lastTick = now
  }
}
