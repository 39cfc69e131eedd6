/**
 * Remembers what was counted on days whose blocks don't change, so that a repeated question reads nothing of these days. Entries differ
 * widely in size, so it limits their bytes. `lib/bounded-map.ts` limits their number.
 */
import type { StoredDay } from '../blocks/block-store.ts'
import { getByteLength } from '../counting/counted-values.ts'
import type { DayCounts } from '../counting/question.ts'

/** A question about all panels of a day with 5,000 pages takes about 30 kB. */
const MAX_BYTES = 32_000_000
const ENTRY_BYTES = 1_000

interface Entry {
  counts: DayCounts
  bytes: number
}

export class DayCountsCache {
  /** The least recently used entry comes first. */
  readonly #entries = new Map<string, Entry>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  get(question: string, day: StoredDay): DayCounts | undefined {
    const key = formatKey(question, day)
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.counts
  }

  set(question: string, day: StoredDay, counts: DayCounts): void {
    const key = formatKey(question, day)
    this.#remove(key)
    const bytes = ENTRY_BYTES + getDayByteLength(counts)
    if (bytes > this.#maxBytes) return
    this.#entries.set(key, { counts, bytes })
    this.#bytes += bytes
    for (const oldestKey of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break
      this.#remove(oldestKey)
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }
}

/** New blocks have another `block_set`, so what was counted in the earlier ones is never found again. */
const formatKey = (question: string, { blockSet }: StoredDay) => `${blockSet} ${question}`

const getDayByteLength = ({ panels, details }: DayCounts): number =>
  getByteLength([...Object.values(panels), ...Object.values(details ?? {})].flat())
