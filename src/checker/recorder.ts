/** Writes results in batches: many at once cost a fraction of what each would by itself. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Lease } from '../nodes/lease.ts'
import type { Queries } from '../storage/client.ts'
import { isAway } from '../storage/connection-loss.ts'
import { releaseClaim } from './claim-store.ts'
import { recordChanges, recordStates } from './record-store.ts'
import { isEventful, type Result } from './result.ts'

/** A result waits so long for others. */
const GATHER_MS = 100
const BATCH = 500
/** While the database is away a result is kept so long; after that the check is done again instead. */
const KEEP_MS = 5_000
const RETRY_MS = 250

interface Needs {
  db: Queries
  lease: Lease
  log: Logger
  /** There is something to say. */
  onAlerts(): void
}

export class Recorder {
  readonly #needs: Needs
  #waiting: { result: Result; since: number }[] = []
  #writing: Promise<void> | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  add(result: Result): void {
    this.#waiting.push({ result, since: performance.now() })
    this.#begin()
  }

  #begin(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
      // Somebody may have come between the last look and this line.
      if (this.#waiting.length > 0) this.#begin()
    })
  }

  /** Until everything that was added is written, or given up. */
  async idle(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#waiting.length < BATCH) await pause(GATHER_MS)
      const batch = this.#waiting.splice(0, BATCH)
      try {
        await this.write(batch.map(({ result }) => result))
      } catch (error) {
        await this.#keep(batch, error as Error)
      }
    }
  }

  /** The database is away. */
  async #keep(batch: { result: Result; since: number }[], error: Error): Promise<void> {
    const { lease, log } = this.#needs
    const fresh = batch.filter(({ since }) => performance.now() - since < KEEP_MS)
    this.#waiting.unshift(...fresh)
    if (fresh.length < batch.length) {
      const results = batch.length - fresh.length
      log.warn({ results, reason: error.message }, 'results not written in time: those checks are done again')
      await lease.abandon()
    }
    await pause(RETRY_MS)
  }

  /** At once. A flight that fails leaves nothing behind, and what was written is not written again: its claim is gone. */
  async write(results: Result[]): Promise<void> {
    const { db, lease, onAlerts } = this.#needs
    // Of an id that we have given up, whose monitors are others' by now.
    const current = results.filter(({ claimed }) => lease.hasId(claimed.node))
    // All writers go through monitors in the same order, so that nobody waits for each other.
    current.sort((a, b) => a.claimed.userId - b.claimed.userId || a.claimed.monitorId - b.claimed.monitorId)
    const node = current[0]?.claimed.node ?? 0
    const eventful = current.filter(isEventful)
    const plain = current.filter((result) => !isEventful(result))
    await this.#writeEach(eventful, async (some) => {
      if ((await recordChanges(db, node, some)).said > 0) onAlerts()
    })
    await this.#writeEach(plain, (some) => recordStates(db, node, some))
  }

  /** One result that PostgreSQL refuses must not take the others with it. */
  async #writeEach(results: readonly Result[], write: (some: readonly Result[]) => Promise<unknown>): Promise<void> {
    const [first] = results
    if (first === undefined) return
    try {
      await write(results)
    } catch (error) {
      if (isAway(error)) throw error
      if (results.length === 1) return this.#insist(first, write)
      const half = Math.ceil(results.length / 2)
      await this.#writeEach(results.slice(0, half), write)
      await this.#writeEach(results.slice(half), write)
    }
  }

  /** Once more by itself: a provider that was to be told may have been deleted in that moment. */
  async #insist(result: Result, write: (some: readonly Result[]) => Promise<unknown>): Promise<void> {
    const { db, log } = this.#needs
    try {
      await write([result])
    } catch (error) {
      if (isAway(error)) throw error
      log.error({ err: error, monitor: result.claimed.monitorId }, 'a result cannot be written')
      await releaseClaim(db, result.claimed, result.due)
    }
  }
}
