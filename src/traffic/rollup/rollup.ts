/**
 * Rolls up the events in the inbox shortly after they were collected. A lock lets one node at a time do it. A batch is
 * deleted from the inbox in the transaction that counts it, so every event counts exactly once, even if a process is killed.
 *
 * Events of a day that is being packed stay in the inbox until it is packed. A late event can belong to a visitor who is already
 * in a block. Then a second transaction restores the visitor's rows first, because that takes longer than others should wait for
 * the lock.
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
  insertFailedBatch,
  markBatchFailed,
  readOldestBatches,
  replaceBatches,
  splitBatch,
  vacuumInbox,
} from '../inbox/store.ts'
import type { TrafficEvent } from '../model/event.ts'
import type { TrafficThreads } from '../threads/traffic-threads.ts'
import { nothingRestored, type RestorableVisitor, type RestoredVisitors, restoreVisitors } from './restore-visitors.ts'
import {
  addDayCounts,
  addDayTotals,
  assignValueIds,
  dayKey,
  insertEvents,
  loadVisits,
  lockDays,
  lockTraffic,
  reserveVisitIds,
  upsertVisits,
} from './store.ts'
import { ValueIds } from './value-ids.ts'
import { assignVisits, groupByVisitorDay, type VisitorDay, visitorDayKey } from './visits.ts'

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
/** How soon to look again if all waiting events belong to days that are being packed. */
const PACKING_RECHECK_MS = 100
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
  /** Whether all events that are left belong to days that are being packed. */
  mustWait?: boolean
}

interface SliceResult {
  batches: number
  events: number
  /** Visitors of packed days whose events stay in the inbox until the visitors are restored. */
  restorableVisitors: readonly RestorableVisitor[]
}

export class Rollup {
  readonly #deps: Deps
  readonly #sliceLimits: BatchLimits
  /** This process runs one transaction at a time, so that only one of its connections waits for the lock. */
  readonly #limiter = new ConcurrencyLimiter(1)
  #currentSlice: Promise<RolledUpCounts> | undefined
  #deletedBatches = 0
  /** The batches up to this id have only events of days that are being packed. They are read again after all later batches. */
  #lockedBatchId = 0

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
      await this.#rejectIfStalled(
        isBacklogLong ? this.#rollUpInTurn(websiteId).then(waitIfLocked) : this.#rollUpSlice(),
      )
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
    this.#currentSlice ??= this.#rollUpInTurn()
      .then(waitIfLocked)
      .finally(() => {
        this.#currentSlice = undefined
      })
    return this.#currentSlice
  }

  #rollUpInTurn(websiteId?: number): Promise<RolledUpCounts> {
    return this.#limiter.run(undefined, () => this.#rollUp(this.#sliceLimits, websiteId))
  }

  async #rollUp(
    limits: BatchLimits,
    websiteId?: number,
    visitorsToRestore: readonly RestorableVisitor[] = [],
  ): Promise<RolledUpCounts> {
    const { db, log, threads } = this.#deps
    const afterId = websiteId === undefined ? this.#lockedBatchId : 0
    let batches: InboxBatch[] = []
    try {
      const slice = await db.transaction(async (q) => {
        const restored =
          visitorsToRestore.length > 0 ? await restoreVisitors(q, threads, visitorsToRestore) : nothingRestored
        await lockTraffic(q)
        batches = await readOldestBatches(q, limits, { afterId, websiteId })
        return rollUpBatches(q, batches, { websiteId, restored, log })
      })
      this.#deletedBatches += slice.batches
      if (slice.restorableVisitors.length > 0 && visitorsToRestore.length === 0) {
        const counts = await this.#rollUp(limits, websiteId, slice.restorableVisitors)
        return { ...counts, batches: slice.batches + counts.batches, events: slice.events + counts.events }
      }
      return { ...slice, mustWait: slice.events === 0 && this.#noteLocked(batches, websiteId) }
    } catch (error) {
      const [first, ...others] = batches
      if (first === undefined || !isCausedByData(error)) throw error
      return others.length > 0 ? this.#rollUp(ONE_BATCH_LIMITS, websiteId) : this.#isolateFailure(first, error)
    }
  }

  /** Call it if no event of `batches` could be rolled up. Returns whether there are no later batches. */
  #noteLocked(batches: readonly InboxBatch[], websiteId: number | undefined): boolean {
    if (websiteId !== undefined) return batches.length > 0
    const wasLocked = this.#lockedBatchId > 0
    this.#lockedBatchId = batches.at(-1)?.id ?? 0
    return wasLocked && batches.length === 0
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

async function waitIfLocked(counts: RolledUpCounts): Promise<RolledUpCounts> {
  if (counts.mustWait) await delay(PACKING_RECHECK_MS)
  return counts
}

interface RollUpOptions {
  /** Events of other websites stay in their batches. */
  websiteId: number | undefined
  restored: RestoredVisitors
  log: Logger
}

/**
 * Turns batches of the inbox into visits, events and counts, in the same transaction that deletes these batches. The caller holds the
 * traffic lock.
 */
async function rollUpBatches(
  q: Queries,
  batches: readonly InboxBatch[],
  { websiteId, restored, log }: RollUpOptions,
): Promise<SliceResult> {
  if (batches.length === 0) return { batches: 0, events: 0, restorableVisitors: [] }
  const parsedBatches = batches.map(({ id, events }) => ({ id, events: parseBatch(events) }))
  const isSelected = (event: TrafficEvent) => websiteId === undefined || event.websiteId === websiteId
  const selectedEvents = parsedBatches.flatMap(({ events }) => events.filter(isSelected))
  const groups = groupByVisitorDay(selectedEvents)
  const { blockSets, lockedByOthers, existingWebsiteIds } = await lockDays(q, [
    ...new Map(groups.map((group) => [dayKey(group), group])).values(),
  ])
  const existingGroups = groups.filter((group) => existingWebsiteIds.has(group.websiteId))
  const unlockedGroups =
    lockedByOthers.size === 0 ? existingGroups : existingGroups.filter((group) => !lockedByOthers.has(dayKey(group)))
  await loadVisits(q, unlockedGroups)
  const isRestorable = (group: VisitorDay) =>
    group.visits.length === 0 &&
    (blockSets.get(dayKey(group)) ?? 0) > 0 &&
    !restored.completeKeys.has(visitorDayKey(group))
  const { ready = [], restorable = [] } = Object.groupBy(unlockedGroups, (group) =>
    isRestorable(group) ? 'restorable' : 'ready',
  )
  await rollUpGroups(q, ready)

  const faultyGroups = restorable.filter((group) => restored.faults.has(visitorDayKey(group)))
  const waitingGroups = [
    ...existingGroups.filter((group) => lockedByOthers.has(dayKey(group))),
    ...restorable.filter((group) => !restored.faults.has(visitorDayKey(group))),
  ]
  const waitingEvents = new Set(waitingGroups.flatMap(({ events }) => events))
  const remainingBatches = parsedBatches.map(({ id, events }) => ({
    id,
    size: events.length,
    events: events.filter((event) => !isSelected(event) || waitingEvents.has(event)),
  }))
  const emptiedBatchIds = remainingBatches.filter(({ events }) => events.length === 0).map(({ id }) => id)
  await q.batch(
    deleteBatches(emptiedBatchIds),
    ...replaceBatches(remainingBatches.filter(({ size, events }) => events.length > 0 && events.length < size)),
    ...faultyGroups.map((group) =>
      insertFailedBatch(group.events, restored.faults.get(visitorDayKey(group)) as string),
    ),
  )
  for (const group of faultyGroups) {
    const { websiteId, day } = group
    const reason = restored.faults.get(visitorDayKey(group))
    log.error({ website: websiteId, day, reason }, 'cannot roll up late events: the block of their visitor is damaged')
  }
  return {
    batches: batches.length,
    events: selectedEvents.length - waitingEvents.size,
    restorableVisitors: restorable.map(({ websiteId, day, visitor }) => ({ websiteId, day, visitor })),
  }
}

function parseBatch(text: string): TrafficEvent[] {
  const events = JSON.parse(text)
  if (!Array.isArray(events)) throw new TypeError('The batch is not a list of events.')
  return events
}

/** `groups` contain the visits that are already stored. */
async function rollUpGroups(q: Queries, groups: readonly VisitorDay[]): Promise<void> {
  if (groups.length === 0) return
  const valueIds = new ValueIds()
  for (const { events } of groups) for (const event of events) valueIds.collect(event)
  const values = valueIds.list()
  const ids = await assignValueIds(q, values)
  for (const [index, value] of values.entries()) valueIds.setId(value, ids[index] as number)

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
