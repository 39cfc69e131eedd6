/** Notices when this process stood still: a check that timed out meanwhile says nothing about its target. */
import type { Logger } from 'pino'

const BEAT_MS = 200
/** Longer than any work of ours takes at once, shorter than any time-out. */
const STALL_MS = 1_000
/** For those who look now and then. */
const SAID_MS = 20_000

export class Stalls {
  readonly #log: Logger
  #lastBeat = performance.now()
  #lastStall: { ended: number; ms: number } | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  start(): void {
    this.#lastBeat = performance.now()
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Whether it did since then (of `performance.now`). After a stall time-outs are heard of before the next beat. */
  stoodStillSince(begun: number): boolean {
    this.#beat()
    return this.#lastStall !== undefined && this.#lastStall.ended > begun
  }

  /** What has just happened, in words. */
  get complaint(): string | undefined {
    const stall = this.#lastStall
    if (stall === undefined || performance.now() - stall.ended > SAID_MS) return undefined
    return `This process stood still for ${(stall.ms / 1000).toFixed(1)} s; checks that failed meanwhile do not count.`
  }

  #beat(): void {
    const now = performance.now()
    const ms = now - this.#lastBeat
    if (ms - BEAT_MS > STALL_MS) {
      this.#lastStall = { ended: now, ms }
      this.#log.warn({ ms: Math.round(ms) }, 'this process stood still: checks that failed meanwhile do not count')
    }
    this.#lastBeat = now
  }
}
