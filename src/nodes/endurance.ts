/** For those who hold work while the database may be away: what was done is written in the end, and nothing is taken over too soon. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isAway } from '../storage/connection-loss.ts'

/** As long as a lease is watched before others are taken for dead: too short a break to lose it may have been enough for them. */
const CALM_MS = 3_000
const INSIST_MS = 250
const INSIST_MOST_MS = 1_000
const COMPLAIN_MS = 30_000

export class Endurance {
  readonly #log: Logger
  #endsAt = Number.POSITIVE_INFINITY
  #troubledAt = Number.NEGATIVE_INFINITY
  #complainedAt = Number.NEGATIVE_INFINITY

  constructor(log: Logger) {
    this.#log = log
  }

  /** Whether there was no trouble lately. */
  isCalm(): boolean {
    return performance.now() - this.#troubledAt > CALM_MS
  }

  /** This server stops: so long it may still try. */
  endIn(ms: number): void {
    this.#endsAt = performance.now() + ms
  }

  /** What was sent is not sent again only because the database was away. */
  async insist<T>(what: string, write: () => Promise<T>): Promise<T> {
    for (let waitMs = INSIST_MS; ; waitMs = Math.min(2 * waitMs, INSIST_MOST_MS)) {
      try {
        return await write()
      } catch (error) {
        this.complain(error, what)
        if (performance.now() > this.#endsAt) throw error
        await wait(waitMs)
      }
    }
  }

  complain(error: unknown, what: string): void {
    const now = performance.now()
    if (isAway(error)) this.#troubledAt = now
    if (now - this.#complainedAt < COMPLAIN_MS) return
    this.#complainedAt = now
    this.#log.warn({ reason: (error as Error).message }, `${what}, trying again`)
  }
}
