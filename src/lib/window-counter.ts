/**
 * Counts uses for rate limits in memory, in fixed time windows. Windows are aligned to the epoch, so all nodes use the same windows.
 * `drain` and `replaceTotals` exchange counts with the other nodes.
 */
import type { Clock } from './clock.ts'

export interface RateLimit {
  /** How many uses are allowed in one window. */
  count: number
  windowSeconds: number
}

export interface RateLimitStatus {
  allowed: boolean
  /** How many more uses are allowed in this window. */
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
  undrainedCount: number
  /** The last known total of all nodes, without `undrainedCount`. */
  total: number
}

/**
 * This many entries take about 10 MB. A full counter drops the windows that have ended. If that isn't enough, it starts over,
 * which lets too many requests through rather than too few.
 */
const MAX_ENTRIES = 100_000

export class WindowCounter {
  readonly #clock: Clock
  readonly #entries = new Map<string, WindowEntry>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts one use, unless the limit is reached. */
  take(name: string, limit: RateLimit): RateLimitStatus {
    const nowSeconds = this.#clock.now().getTime() / 1000
    const entry = this.#getOrAddEntry(name, limit.windowSeconds, nowSeconds)
    const usedCount = entry.total + entry.undrainedCount
    const allowed = usedCount < limit.count
    if (allowed) entry.undrainedCount++
    return {
      allowed,
      remaining: Math.max(0, limit.count - usedCount - (allowed ? 1 : 0)),
      resetAt: entry.windowEnd,
      retryAfterSeconds: Math.max(1, Math.ceil(entry.windowEnd - nowSeconds)),
    }
  }

  /** Undoes one `take`. */
  refund(name: string): void {
    const entry = this.#entries.get(name)
    if (entry !== undefined && entry.undrainedCount + entry.total > 0) entry.undrainedCount--
  }

  #getOrAddEntry(name: string, windowSeconds: number, nowSeconds: number): WindowEntry {
    const currentEntry = this.#entries.get(name)
    if (currentEntry !== undefined && nowSeconds < currentEntry.windowEnd) return currentEntry
    if (this.#entries.size >= MAX_ENTRIES) this.#evict(nowSeconds)
    const windowStart = Math.floor(nowSeconds / windowSeconds) * windowSeconds
    const entry = { windowStart, windowEnd: windowStart + windowSeconds, undrainedCount: 0, total: 0 }
    this.#entries.set(name, entry)
    return entry
  }

  #evict(nowSeconds: number): void {
    this.#dropEndedWindows(nowSeconds)
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear()
  }

  #dropEndedWindows(nowSeconds: number): void {
    for (const [name, entry] of this.#entries) if (nowSeconds >= entry.windowEnd) this.#entries.delete(name)
  }

  /** Returns the counts since the last call, which the database then adds to those of other nodes. */
  drain(): WindowCount[] {
    this.#dropEndedWindows(this.#clock.now().getTime() / 1000)
    const counts: WindowCount[] = []
    for (const [name, entry] of this.#entries) {
      if (entry.undrainedCount === 0) continue
      counts.push({ name, windowStart: entry.windowStart, count: entry.undrainedCount })
      entry.total += entry.undrainedCount
      entry.undrainedCount = 0
    }
    return counts
  }

  /** Replaces the known totals with those of all nodes. */
  replaceTotals(counts: readonly WindowCount[]): void {
    for (const { name, windowStart, count } of counts) {
      const entry = this.#entries.get(name)
      if (entry?.windowStart === windowStart) entry.total = Math.max(0, count)
    }
  }
}
