/**
 * Counts uses for rate limits in memory, in fixed time windows. Windows are aligned to the epoch, so all nodes use the same windows.
 * `drain` and `mergeTotals` exchange counts with the other nodes.
 */
import type { Clock } from './clock.ts'

export interface RateLimit {
  count: number
  windowSeconds: number
}

export interface RateLimitStatus {
  allowed: boolean
  remaining: number
  /** Epoch seconds at which the window ends. */
  resetAt: number
  retryAfterSeconds: number
}

export interface WindowCount {
  name: string
  windowStart: number
  count: number
}

interface WindowEntry {
  windowStart: number
  windowEnd: number
  /** Counted by this node since the last `drain`. */
  undrained: number
  /** The last known total of all nodes, without `undrained`. */
  total: number
}

/**
 * These take about 10 MB. A full counter drops the windows that have ended. If that isn't enough, it starts over, which lets too many
 * requests through rather than too few.
 */
const MAX_NAMES = 100_000

export class WindowCounter {
  readonly #clock: Clock
  readonly #entries = new Map<string, WindowEntry>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts one use, unless the limit is reached. */
  take(name: string, limit: RateLimit): RateLimitStatus {
    const seconds = this.#clock.now().getTime() / 1000
    const entry = this.#getEntry(name, limit.windowSeconds, seconds)
    const used = entry.total + entry.undrained
    const allowed = used < limit.count
    if (allowed) entry.undrained++
    return {
      allowed,
      remaining: Math.max(0, limit.count - used - (allowed ? 1 : 0)),
      resetAt: entry.windowEnd,
      retryAfterSeconds: Math.max(1, Math.ceil(entry.windowEnd - seconds)),
    }
  }

  /** Undoes one `take`. */
  refund(name: string): void {
    const entry = this.#entries.get(name)
    if (entry !== undefined && entry.undrained + entry.total > 0) entry.undrained--
  }

  #getEntry(name: string, windowSeconds: number, seconds: number): WindowEntry {
    const current = this.#entries.get(name)
    if (current !== undefined && seconds < current.windowEnd) return current
    if (this.#entries.size >= MAX_NAMES) this.#evict(seconds)
    const windowStart = Math.floor(seconds / windowSeconds) * windowSeconds
    const entry = { windowStart, windowEnd: windowStart + windowSeconds, undrained: 0, total: 0 }
    this.#entries.set(name, entry)
    return entry
  }

  #evict(seconds: number): void {
    this.#dropEnded(seconds)
    if (this.#entries.size >= MAX_NAMES) this.#entries.clear()
  }

  #dropEnded(seconds: number): void {
    for (const [name, entry] of this.#entries) if (seconds >= entry.windowEnd) this.#entries.delete(name)
  }

  /** Returns the counts since the last call, which the database then adds to those of other nodes. */
  drain(): WindowCount[] {
    this.#dropEnded(this.#clock.now().getTime() / 1000)
    const counts: WindowCount[] = []
    for (const [name, entry] of this.#entries) {
      if (entry.undrained === 0) continue
      counts.push({ name, windowStart: entry.windowStart, count: entry.undrained })
      entry.total += entry.undrained
      entry.undrained = 0
    }
    return counts
  }

  /** Replaces the known totals with those of all nodes. */
  mergeTotals(counts: readonly WindowCount[]): void {
    for (const { name, windowStart, count } of counts) {
      const entry = this.#entries.get(name)
      if (entry?.windowStart === windowStart) entry.total = Math.max(0, count)
    }
  }
}
