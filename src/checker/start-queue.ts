/** Claimed checks that wait for their start time. */
import type { Clock } from '../lib/clock.ts'
import type { ClaimedCheck } from './claimed-check.ts'

/**
 * Checks start in groups, so their responses arrive in groups too. That takes a tenth less CPU time than with an
 * interval of 10 ms.
 */
const START_INTERVAL_MS = 25

export interface QueuedStart {
  check: ClaimedCheck
  /** Milliseconds since 1970. */
  startAt: number
}

interface Deps {
  clock: Clock
  /**
   * After a freeze of this process, its lease is no longer valid, and other nodes may have claimed the waiting checks. So no
   * check starts until a heartbeat has shown whether the claims are still valid.
   */
  hasValidLease(): boolean
  start(check: ClaimedCheck): void
}

export class StartQueue {
  readonly #deps: Deps
  /** The next check to start is the last entry. */
  #entries: QueuedStart[] = []
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#entries.length
  }

  add(entries: readonly QueuedStart[]): void {
    this.#entries.push(...entries)
    this.#entries.sort((a, b) => b.startAt - a.startAt)
    this.#scheduleStart()
  }

  /** Removes all checks, and returns them. */
  clear(): ClaimedCheck[] {
    const removedEntries = this.#entries
    this.#entries = []
    return removedEntries.map(({ check }) => check)
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  /** Starts all checks whose start time is not after `until`. */
  startDue(until = this.#deps.clock.now().getTime()): void {
    for (;;) {
      const next = this.#entries.at(-1)
      if (next === undefined || next.startAt > until || this.#isStopped || !this.#deps.hasValidLease()) return
      this.#entries.pop()
      this.#deps.start(next.check)
    }
  }

  #scheduleStart(): void {
    if (this.#entries.length === 0 || this.#timer !== undefined || this.#isStopped) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.startDue()
      this.#scheduleStart()
    }, START_INTERVAL_MS)
  }
}
