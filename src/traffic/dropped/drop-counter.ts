/** Counts dropped events in memory and saves all counts together about once a second, instead of one statement per event. */
import type { Logger } from 'pino'
import type { Database } from '../../storage/database.ts'
import type { WebsiteDropReason } from '../model/drop-reasons.ts'
import { DelayedSave } from './delayed-save.ts'
import { addDropCounts, type DropCount } from './store.ts'

/** While the database is unavailable, only the counts of a website's latest days are kept, to limit the memory. */
const MAX_DAYS_IN_MEMORY = 2

interface Deps {
  db: Database
  log: Logger
}

export class DropCounter {
  readonly #deps: Deps
  /** By website, day and reason. */
  #counts = new Map<number, Map<string, Map<WebsiteDropReason, number>>>()
  readonly #delayedSave = new DelayedSave({ save: () => this.#save(), hasUnsaved: () => this.#counts.size > 0 })

  constructor(deps: Deps) {
    this.#deps = deps
  }

  add({ websiteId, day, reason, count }: DropCount): void {
    const countsByDay = this.#counts.getOrInsertComputed(websiteId, () => new Map())
    const countsByReason = countsByDay.getOrInsertComputed(day, () => new Map<WebsiteDropReason, number>())
    countsByReason.set(reason, (countsByReason.get(reason) ?? 0) + count)
    if (countsByDay.size > MAX_DAYS_IN_MEMORY) countsByDay.delete([...countsByDay.keys()].sort()[0] as string)
    this.#delayedSave.schedule()
  }

  /** Saves the remaining counts. Doesn't retry. */
  async stop(): Promise<void> {
    await this.#delayedSave.stop()
  }

  /** Keeps the counts if saving fails. If the connection breaks during the commit, they may count twice. */
  async #save(): Promise<void> {
    const counts = this.#drain()
    try {
      // Saving waits for the lock of a website that is being deleted. A transaction has its own connection, so that the
      // events on the shared connections don't wait, too.
      await this.#deps.db.transaction((q) => addDropCounts(q, counts))
    } catch (error) {
      for (const count of counts) this.add(count)
      this.#deps.log.warn({ reason: (error as Error).message }, 'could not save the counts of dropped events; retrying')
    }
  }

  #drain(): DropCount[] {
    const counts: DropCount[] = []
    for (const [websiteId, countsByDay] of this.#counts) {
      for (const [day, countsByReason] of countsByDay) {
        for (const [reason, count] of countsByReason) counts.push({ websiteId, day, reason, count })
      }
    }
    this.#counts = new Map()
    return counts
  }
}
