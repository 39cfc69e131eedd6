/** Counts what is dropped in memory, and writes it down a little later: one statement for all, and none for an event. */
import type { Logger } from 'pino'
import type { Database } from '../../storage/database.ts'
import type { SiteDropReason } from '../model/drop-reasons.ts'
import { addDropped, type DroppedCount } from './store.ts'

/** Until it is written, and between tries while the database is away. */
const DELAY_MS = 1_000
/** Today and the day before, for each website: however long the database is away, no more is kept. */
const DAYS_MOST = 2

type Reasons = Map<SiteDropReason, number>

export class DroppedCounter {
  readonly #needs: { db: Database; log: Logger }
  /** By website and day. */
  #counted = new Map<number, Map<string, Reasons>>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined

  constructor(needs: { db: Database; log: Logger }) {
    this.#needs = needs
  }

  add({ websiteId, day, reason, count }: DroppedCount): void {
    const days = this.#counted.getOrInsertComputed(websiteId, () => new Map())
    const reasons = days.getOrInsertComputed(day, () => new Map<SiteDropReason, number>())
    reasons.set(reason, (reasons.get(reason) ?? 0) + count)
    if (days.size > DAYS_MOST) days.delete([...days.keys()].sort()[0] as string)
    this.#writeSoon()
  }

  /** Writes what is left, and tries no more. */
  async stop(): Promise<void> {
    await this.#writing
    clearTimeout(this.#timer)
    if (this.#counted.size > 0) await this.#write()
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#writing = this.#write().then(() => {
        // Only now, so that one is written at a time: whatever came meanwhile waits for the next.
        this.#timer = undefined
        if (this.#counted.size > 0) this.#writeSoon()
      })
    }, DELAY_MS).unref()
  }

  /** What could not be written is kept. If nobody knows whether it was, it may count twice, which is better than not at all. */
  async #write(): Promise<void> {
    const counts = this.#take()
    try {
      // On a connection of its own: events would wait behind it while somebody deletes a thousand websites.
      await this.#needs.db.transaction((q) => addDropped(q, counts))
    } catch (error) {
      for (const count of counts) this.add(count)
      this.#needs.log.warn({ reason: (error as Error).message }, 'noting dropped events failed, trying again later')
    }
  }

  #take(): DroppedCount[] {
    const counts: DroppedCount[] = []
    for (const [websiteId, days] of this.#counted) {
      for (const [day, reasons] of days) {
        for (const [reason, count] of reasons) counts.push({ websiteId, day, reason, count })
      }
    }
    this.#counted = new Map()
    return counts
  }
}
