/**
 * Adds up what waits in the inbox, right behind the collector. One node at a time does, under a lock; a batch leaves the
 * inbox in the same transaction in which it counts, so each counts once whatever is killed when.
 */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { unavailable } from '../../lib/problem.ts'
import { Turns } from '../../lib/turns.ts'
import type { Database } from '../../storage/database.ts'
import {
  type BatchLimits,
  countInboxEvents,
  findLastBatchId,
  findLastWebsiteBatchId,
  hasBatchesUpTo,
  hasWebsiteBatchesUpTo,
  type InboxBatch,
  readOldestBatches,
  setBatchAside,
  splitBatch,
  vacuumInbox,
} from '../inbox/store.ts'
import { parseBatch, type RolledUpCounts, rollUpBatches } from './roll-up-batches.ts'
import { lockTraffic } from './store.ts'

/** At a time: some 60 ms, for which nobody else can add up, and for a fifth of which this process does nothing else. */
const SLICE: BatchLimits = { maxEvents: 2_000, maxBytes: 4_000_000 }
/** The oldest batch and no other. */
const ONE: BatchLimits = { maxEvents: 1, maxBytes: 1 }
/** Where more than this waits, whoever asks for one website does not wait for all the others. */
const ALONE_FROM = 3 * SLICE.maxEvents
/** A crowd is taken in first and added up after, unless this many wait: whoever asks then waits a second or two. */
const BACKLOG_MOST = 50_000
const REST_MS = 200
/** Whoever asks for statistics waits no longer. */
const WAIT_MS = 25_000
/** Dead rows that reading past is no effort. */
const SWEEP_EVERY_BATCHES = 1_000

interface Needs {
  db: Database
  log: Logger
  /** Events at a time; fewer in tests. */
  sliceEvents?: number
  /** While more events arrive, they come first: they cannot wait, and what is added up can. */
  isBusy?: () => boolean
}

export class Rollup {
  readonly #needs: Needs
  readonly #most: BatchLimits
  /** One at a time in this process, so that whoever waits for the lock is one connection, not all of them. */
  readonly #turns = new Turns(1)
  #underway: Promise<RolledUpCounts> | undefined
  #dead = 0

  constructor(needs: Needs) {
    this.#needs = needs
    this.#most = { ...SLICE, maxEvents: needs.sliceEvents ?? SLICE.maxEvents }
  }

  /** Everything acknowledged so far of a website is in its statistics afterwards. */
  async rollUpWebsite(websiteId: number): Promise<void> {
    const { db } = this.#needs
    const last = await findLastWebsiteBatchId(db, websiteId)
    if (last === undefined) return
    const until = performance.now() + WAIT_MS
    const isMuch = (await countInboxEvents(db)) > ALONE_FROM
    do {
      if (performance.now() > until) throw unavailable('More events are waiting to be added up than can be in time.')
      await (isMuch ? this.#inTurn(websiteId) : this.#addSlice())
    } while (await hasWebsiteBatchesUpTo(db, websiteId, last))
  }

  /** What waits now, as far as so many slices go: nearly always everything, and in a crowd not long. */
  async rollUpSlices(most: number): Promise<void> {
    const { db } = this.#needs
    const last = await findLastBatchId(db)
    for (let n = 0; n < most && last !== undefined && (await hasBatchesUpTo(db, last)); n++) await this.#addSlice()
  }

  /** What waits now, or until the signal. What comes meanwhile is for the next time: it might never end. */
  async rollUpAll(onProgress: (events: number) => void = () => {}, signal?: AbortSignal): Promise<void> {
    const { db } = this.#needs
    const last = await findLastBatchId(db)
    while (last !== undefined && !signal?.aborted && (await hasBatchesUpTo(db, last))) {
      await this.#letPass(signal)
      const { events } = await this.#addSlice()
      onProgress(events)
      await this.#sweep()
    }
  }

  async #letPass(signal?: AbortSignal): Promise<void> {
    const { db, isBusy = () => false } = this.#needs
    while (!signal?.aborted && isBusy() && (await countInboxEvents(db)) < BACKLOG_MOST) {
      await pause(REST_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {})
    }
  }

  /** Whoever asks while one is under way shares it. */
  #addSlice(): Promise<RolledUpCounts> {
    this.#underway ??= this.#inTurn().finally(() => {
      this.#underway = undefined
    })
    return this.#underway
  }

  #inTurn(websiteId?: number): Promise<RolledUpCounts> {
    return this.#turns.take(undefined, () => this.#addUp(this.#most, websiteId))
  }

  async #addUp(most: BatchLimits, websiteId?: number): Promise<RolledUpCounts> {
    const { db } = this.#needs
    let taken: InboxBatch[] = []
    try {
      const added = await db.transaction(async (q) => {
        await lockTraffic(q)
        taken = await readOldestBatches(q, most, websiteId)
        return rollUpBatches(q, taken, websiteId)
      })
      this.#dead += added.batches
      return added
    } catch (error) {
      const [first, ...others] = taken
      if (first === undefined || !isOfData(error)) throw error
      return others.length > 0 ? this.#addUp(ONE, websiteId) : this.#isolate(first, error)
    }
  }

  /** One of its events cannot be added up: each gets a batch of its own, until only that one is left and put aside. */
  async #isolate(batch: InboxBatch, error: unknown): Promise<RolledUpCounts> {
    const { db, log } = this.#needs
    const events = eventsIn(batch)
    if (events.length > 1) {
      await db.transaction((q) => splitBatch(q, batch.id, events))
    } else {
      log.error({ err: error, batch: batch.id }, 'an event cannot be added up and was put aside')
      await setBatchAside(db, batch.id, (error as Error).message)
    }
    return { batches: 1, events: 0 }
  }

  async #sweep(): Promise<void> {
    if (this.#dead < SWEEP_EVERY_BATCHES) return
    this.#dead = 0
    await vacuumInbox(this.#needs.db)
  }
}

function eventsIn({ events }: InboxBatch) {
  try {
    return parseBatch(events)
  } catch {
    return []
  }
}

/** Of what was to be added up, and not of the database: trying again would not help. 54: longer than an index takes. */
function isOfData(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(2[23]|54)/.test(error.code ?? '')
  return error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError
}
