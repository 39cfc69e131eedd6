/** Claimed checks that wait for their start time. If the machine is too busy, fewer checks start and fewer may be claimed. */
import type { Clock } from '../lib/clock.ts'
import type { ClaimedCheck } from './verdict.ts'

/**
 * With this interval, checks start in groups, so their responses arrive in groups too. That takes a tenth less CPU time
 * than an interval of 10 ms.
 */
const START_INTERVAL_MS = 25
/**
 * At most this many checks start together. Before the next group starts, the event loop handles all events that are pending, such as
 * responses. So if the machine is too busy for all checks, groups start less often: few checks run at the same time, and their
 * response times and timeouts stay accurate. On an idle machine, 4,000 checks can start in a second.
 */
const MAX_GROUP_SIZE = 100
/** A queue is behind if its next check should have started this long ago. */
const BEHIND_AFTER_MS = 250
/** While the queue is behind, it may hold as many checks as have started between the last two claims, times this factor. */
const MAX_WAITING_FACTOR = 2
/** When the queue is no longer behind, its limit grows at least by this factor with each claim. */
const LIMIT_GROWTH_FACTOR = 1.5
/** With a lower limit, it would take seconds to grow again after a pause in which nothing could start. */
const MIN_LIMIT = MAX_GROUP_SIZE
/** From this limit on, the queue is unlimited, because a node never claims more checks than this in a second. */
const UNLIMITED_FROM = 4_000

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
  /** How many checks have started since the last call of `adjustRoom`. */
  #startedCount = 0
  #maxWaiting = Number.POSITIVE_INFINITY

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#entries.length
  }

  /**
   * Call it once before each claim. Adjusts the limit of this queue to how many checks have started since the last call, and returns
   * how many more checks may be claimed. Checks that are not claimed stay available for other nodes.
   */
  adjustRoom(): number {
    const sustainableLimit = Math.max(MIN_LIMIT, MAX_WAITING_FACTOR * this.#startedCount)
    this.#startedCount = 0
    if (this.#isBehind()) this.#maxWaiting = sustainableLimit
    else if (this.#maxWaiting < UNLIMITED_FROM)
      this.#maxWaiting = Math.max(sustainableLimit, LIMIT_GROWTH_FACTOR * this.#maxWaiting)
    else this.#maxWaiting = Number.POSITIVE_INFINITY
    return Math.max(0, Math.floor(this.#maxWaiting) - this.#entries.length)
  }

  #isBehind(): boolean {
    const next = this.#entries.at(-1)
    return next !== undefined && next.startAt < this.#deps.clock.now().getTime() - BEHIND_AFTER_MS
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

  /** Starts a group of checks whose start time is not after `until`. */
  startDue(until = this.#deps.clock.now().getTime()): void {
    for (let count = 0; count < MAX_GROUP_SIZE; count++) {
      const next = this.#entries.at(-1)
      if (next === undefined || next.startAt > until || this.#isStopped || !this.#deps.hasValidLease()) return
      this.#entries.pop()
      this.#startedCount++
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
