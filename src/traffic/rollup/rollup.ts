/**
 * Rolls up the events in the inbox shortly after they were collected. A lock lets one node at a time do it. A batch is
 * deleted from the inbox in the transaction that counts it, so every event counts exactly once, even if a process is killed.
 */

import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { ConcurrencyLimiter } from '../../lib/concurrency-limiter.ts'
import { unavailable } from '../../lib/problem.ts'
import type { Database } from '../../storage/database.ts'
import type { Queries } from '../../storage/transaction.ts'
import {
  type BatchLimits,
  countInboxEvents,
  deleteBatches,
  findLastBatchId,
  findLastWebsiteBatchId,
  hasBatchesUpTo,
  hasWebsiteBatchesUpTo,
  type InboxBatch,
  markBatchFailed,
  readOldestBatches,
  replaceBatches,
  splitBatch,
  vacuumInbox,
} from '../inbox/store.ts'
import type { TrafficEvent } from '../model/event.ts'
import type { TrafficThreads } from '../threads/traffic-threads.ts'
import {
  addDayCounts,
  addDayTotals,
  assignValueIds,
  findExistingWebsiteIds,
  insertEvents,
  loadVisits,
  lockTraffic,
  reserveVisitIds,
  upsertVisits,
} from './store.ts'
import { ValueIds } from './value-ids.ts'
import { assignVisits, groupByVisitorDay } from './visits.ts'

/**
 * A slice consists of the oldest batches of the inbox, up to these limits. It is rolled up in one transaction, which
 * holds the lock for about 60 ms and blocks the event loop for 12 ms of that time.
 */
const SLICE_LIMITS: BatchLimits = { maxEvents: 2_000, maxBytes: 4_000_000 }
/** A single batch reaches these limits, so only the oldest batch is read. */
const ONE_BATCH_LIMITS: BatchLimits = { maxEvents: 1, maxBytes: 1 }
/** With a longer backlog, a statistics request rolls up only the events of its own website, not the whole backlog. */
const LONG_BACKLOG_EVENTS = 3 * SLICE_LIMITS.maxEvents
/**
 * While collecting is busy, rolling up waits until the backlog reaches this many events. With such a backlog, a
 * statistics request takes one or two seconds.
 */
const MAX_BACKLOG_WHILE_BUSY = 50_000
const BUSY_RECHECK_MS = 200
/** A statistics request fails if its website's events are not rolled up within this time, even if the rollup makes progress. */
const MAX_WAIT_MS = 25_000
/** A statistics request also fails if the rollup makes no progress for this long, for example because a table is locked. */
const MAX_STALL_MS = 4_000
/** Each deleted batch leaves a dead row in the inbox. Reading past this many dead rows takes no noticeable time. */
const VACUUM_EVERY_BATCHES = 1_000

interface Deps {
  db: Database
  log: Logger
  threads: TrafficThreads
  maxStallMs?: number
  /** The maximum number of events per transaction. Tests use fewer. */
  sliceEvents?: number
  /** Whether events have recently arrived faster than they were written. Collecting has priority over rolling up. */
  isBusy?: () => boolean
}

interface RolledUpCounts {
  batches: number
  events: number
}

export class Rollup {
  readonly #deps: Deps
  readonly #sliceLimits: BatchLimits
  /** This process runs one transaction at a time, so that only one of its connections waits for the lock. */
  readonly #limiter = new ConcurrencyLimiter(1)
  #currentSlice: Promise<RolledUpCounts> | undefined
  #deletedBatches = 0

  constructor(deps: Deps) {
    this.#deps = deps
    this.#sliceLimits = { ...SLICE_LIMITS, maxEvents: deps.sliceEvents ?? SLICE_LIMITS.maxEvents }
  }

  /** Afterwards the statistics of the website include every event that was acknowledged before the call. */
  async rollUpWebsite(websiteId: number): Promise<void> {
    const { db } = this.#deps
    const lastBatchId = await this.#rejectIfStalled(findLastWebsiteBatchId(db, websiteId))
    if (lastBatchId === undefined) return
    const deadline = performance.now() + MAX_WAIT_MS
    const isBacklogLong = (await this.#rejectIfStalled(countInboxEvents(db))) > LONG_BACKLOG_EVENTS
    do {
      if (performance.now() > deadline) {
        throw unavailable('Too many events are waiting to be counted. Try again in a minute.')
      }
      await this.#rejectIfStalled(isBacklogLong ? this.#rollUpInTurn(websiteId) : this.#rollUpSlice())
    } while (await this.#rejectIfStalled(hasWebsiteBatchesUpTo(db, websiteId, lastBatchId)))
  }

  /**
   * Rejects if `work` takes too long. Doesn't stop `work`, because a background job may wait for it, too, and has more
   * time.
   */
  async #rejectIfStalled<T>(work: Promise<T>): Promise<T> {
    const { promise: stallPromise, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(unavailable('The database is busy.')), this.#deps.maxStallMs ?? MAX_STALL_MS)
    return Promise.race([work, stallPromise]).finally(() => clearTimeout(timer))
  }

  /** Rolls up the events that are in the inbox now, but at most `maxSlices` slices, which nearly always suffice. */
  async rollUpSlices(maxSlices: number): Promise<void> {
    const { db } = this.#deps
    const lastBatchId = await findLastBatchId(db)
    for (let n = 0; n < maxSlices && lastBatchId !== undefined && (await hasBatchesUpTo(db, lastBatchId)); n++) {
      await this.#rollUpSlice()
    }
  }

  /** Rolls up the events that are in the inbox now. Leaves later events to the next call, because it might otherwise never end. */
  async rollUpAll(onProgress: (events: number) => void = () => {}, signal?: AbortSignal): Promise<void> {
    const { db } = this.#deps
    const lastBatchId = await findLastBatchId(db)
    while (lastBatchId !== undefined && !signal?.aborted && (await hasBatchesUpTo(db, lastBatchId))) {
      await this.#waitWhileBusy(signal)
      const { events } = await this.#rollUpSlice()
      onProgress(events)
      await this.#vacuumIfNeeded()
    }
  }

  async #waitWhileBusy(signal?: AbortSignal): Promise<void> {
    const { db, isBusy = () => false } = this.#deps
    while (!signal?.aborted && isBusy() && (await countInboxEvents(db)) < MAX_BACKLOG_WHILE_BUSY) {
      await delay(BUSY_RECHECK_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {})
    }
  }

  /** Concurrent callers share one slice. */
  #rollUpSlice(): Promise<RolledUpCounts> {
    this.#currentSlice ??= this.#rollUpInTurn().finally(() => {
      this.#currentSlice = undefined
    })
    return this.#currentSlice
  }

  #rollUpInTurn(websiteId?: number): Promise<RolledUpCounts> {
    return this.#limiter.run(undefined, () => this.#rollUp(this.#sliceLimits, websiteId))
  }

  async #rollUp(limits: BatchLimits, websiteId?: number): Promise<RolledUpCounts> {
    const { db } = this.#deps
    let batches: InboxBatch[] = []
    try {
      const counts = await db.transaction(async (q) => {
        await lockTraffic(q)
        batches = await readOldestBatches(q, limits, websiteId)
        return rollUpBatches(q, batches, websiteId)
      })
      this.#deletedBatches += counts.batches
      return counts
    } catch (error) {
      const [first, ...others] = batches
      if (first === undefined || !isCausedByData(error)) throw error
      return others.length > 0 ? this.#rollUp(ONE_BATCH_LIMITS, websiteId) : this.#isolateFailure(first, error)
    }
  }

  /** Splits a batch that fails into single events, so that only the event that causes the failure is marked as failed. */
  async #isolateFailure(batch: InboxBatch, error: unknown): Promise<RolledUpCounts> {
    const { db, log } = this.#deps
    const events = parseIfPossible(batch)
    if (events.length > 1) {
      await db.transaction((q) => splitBatch(q, batch.id, events))
    } else {
      log.error(
        { err: error, batch: batch.id },
        'cannot roll up a batch of events: it stays in event_inbox, and the next start retries it',
      )
      await markBatchFailed(db, batch.id, (error as Error).message)
    }
    return { batches: 1, events: 0 }
  }

  async #vacuumIfNeeded(): Promise<void> {
    if (this.#deletedBatches < VACUUM_EVERY_BATCHES) return
    this.#deletedBatches = 0
    await vacuumInbox(this.#deps.db)
  }
}

function parseIfPossible({ events }: InboxBatch) {
  try {
    return parseBatch(events)
  } catch {
    return []
  }
}

/**
 * Whether the events themselves cause the error, so that a retry cannot help. SQLSTATE classes: 22 invalid data,
 * 23 constraint violation, 54 limit exceeded, such as a value too long for an index.
 */
function isCausedByData(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(2[23]|54)/.test(error.code ?? '')
  return error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError
}

/**
 * Turns batches of the inbox into visits, events and counts, in the same transaction that deletes these batches. The caller holds the
 * traffic lock. With `websiteId`, events of other websites stay in their batches.
 */
async function rollUpBatches(q: Queries, batches: readonly InboxBatch[], websiteId?: number): Promise<RolledUpCounts> {
  if (batches.length === 0) return { batches: 0, events: 0 }
  const parsedBatches = batches.map(({ id, events }) => ({ id, events: parseBatch(events) }))
  const isSelected = (event: TrafficEvent) => websiteId === undefined || event.websiteId === websiteId
  const selectedEvents = parsedBatches.flatMap(({ events }) => events.filter(isSelected))
  const existingWebsiteIds = await findExistingWebsiteIds(q, [
    ...new Set(selectedEvents.map((event) => event.websiteId)),
  ])
  await rollUpEvents(
    q,
    selectedEvents.filter((event) => existingWebsiteIds.has(event.websiteId)),
  )
  const remainingBatches = parsedBatches.map(({ id, events }) => ({
    id,
    events: events.filter((event) => !isSelected(event)),
  }))
  const emptiedBatchIds = remainingBatches.filter(({ events }) => events.length === 0).map(({ id }) => id)
  await q.batch(
    deleteBatches(emptiedBatchIds),
    ...replaceBatches(remainingBatches.filter(({ events }) => events.length > 0)),
  )
  return { batches: batches.length, events: selectedEvents.length }
}

function parseBatch(text: string): TrafficEvent[] {
  const events = JSON.parse(text)
  if (!Array.isArray(events)) throw new TypeError('The batch is not a list of events.')
  return events
}

async function rollUpEvents(q: Queries, events: readonly TrafficEvent[]): Promise<void> {
  if (events.length === 0) return
  const valueIds = new ValueIds()
  for (const event of events) valueIds.collect(event)
  const values = valueIds.list()
  const ids = await assignValueIds(q, values)
  for (const [index, value] of values.entries()) valueIds.setId(value, ids[index] as number)

  const groups = groupByVisitorDay(events)
  await loadVisits(q, groups)
  const rolledUpEvents = assignVisits(groups, valueIds)
  const newVisits = groups.flatMap(({ visits }) => visits.filter(({ id }) => id === 0))
  const newVisitIds = newVisits.length === 0 ? [] : await reserveVisitIds(q, newVisits.length)
  for (const [index, visit] of newVisits.entries()) visit.id = newVisitIds[index] as number
  await q.batch(
    insertEvents(rolledUpEvents.events),
    upsertVisits(groups),
    addDayTotals(rolledUpEvents.tallies),
    addDayCounts(rolledUpEvents.tallies),
  )
}
