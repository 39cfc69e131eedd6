/**
 * Counts in fixed windows, in memory. Windows are aligned to the epoch, so that nodes agree on them, and what was
 * counted since the last `drain` can be added up between nodes elsewhere.
 */
import type { Clock } from './clock.ts'

export interface Limit {
  count: number
  windowSeconds: number
}

export interface Taken {
  allowed: boolean
  remaining: number
  /** Epoch seconds at which the window ends. */
  resetAt: number
  retryAfterSeconds: number
}

export interface Count {
  name: string
  windowStart: number
  count: number
}

interface Entry {
  windowStart: number
  windowEnd: number
  /** Counted here since the last drain. */
  fresh: number
  /** Everybody's, as far as known, without `fresh`. */
  settled: number
}

/** About 10 MB. Past it names of ended windows go first; then counting starts over, which lets more through, not less. */
const MOST_NAMES = 100_000

export class WindowCounter {
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts one, unless the limit is reached. */
  take(name: string, limit: Limit): Taken {
    const seconds = this.#clock.now().getTime() / 1000
    const entry = this.#entry(name, limit.windowSeconds, seconds)
    const used = entry.settled + entry.fresh
    const allowed = used < limit.count
    if (allowed) entry.fresh++
    return {
      allowed,
      remaining: Math.max(0, limit.count - used - (allowed ? 1 : 0)),
      resetAt: entry.windowEnd,
      retryAfterSeconds: Math.max(1, Math.ceil(entry.windowEnd - seconds)),
    }
  }

  /** Gives back what was taken for something that turned out not to count. */
  refund(name: string): void {
    const entry = this.#entries.get(name)
    if (entry !== undefined && entry.fresh + entry.settled > 0) entry.fresh--
  }

  #entry(name: string, windowSeconds: number, seconds: number): Entry {
    const found = this.#entries.get(name)
    if (found !== undefined && seconds < found.windowEnd) return found
    if (this.#entries.size >= MOST_NAMES) this.#makeRoom(seconds)
    const windowStart = Math.floor(seconds / windowSeconds) * windowSeconds
    const entry = { windowStart, windowEnd: windowStart + windowSeconds, fresh: 0, settled: 0 }
    this.#entries.set(name, entry)
    return entry
  }

  #makeRoom(seconds: number): void {
    this.#dropEnded(seconds)
    if (this.#entries.size >= MOST_NAMES) this.#entries.clear()
  }

  #dropEnded(seconds: number): void {
    for (const [name, entry] of this.#entries) if (seconds >= entry.windowEnd) this.#entries.delete(name)
  }

  /** What was counted since the last call; it then counts as settled here. */
  drain(): Count[] {
    this.#dropEnded(this.#clock.now().getTime() / 1000)
    const counts: Count[] = []
    for (const [name, entry] of this.#entries) {
      if (entry.fresh === 0) continue
      counts.push({ name, windowStart: entry.windowStart, count: entry.fresh })
      entry.settled += entry.fresh
      entry.fresh = 0
    }
    return counts
  }

  /** Takes over what all nodes together have counted. */
  absorb(counts: readonly Count[]): void {
    for (const { name, windowStart, count } of counts) {
      const entry = this.#entries.get(name)
      if (entry?.windowStart === windowStart) entry.settled = Math.max(0, count)
    }
  }
}
