/**
 * Adds up what waits in the inbox, right behind the collector. One node at a time does, under a lock; a batch leaves the
 * inbox in the same transaction in which it counts, so each counts once whatever is killed when.
 */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { unavailable } from '../../lib/problem.ts'
import type { Queries } from '../../storage/client.ts'
import type { Database } from '../../storage/database.ts'
import type { TrafficEvent } from '../event.ts'
import {
  type Batch,
  countWaiting,
  deleteBatches,
  findLastBatch,
  isWaitingUpTo,
  setAside,
  sweepInbox,
  takeBatches,
} from '../inbox-store.ts'
import { Numbering } from './numbering.ts'
import { groupByVisitor, workOut } from './slice.ts'
import {
  addCounts,
  addTotals,
  drawVisitIds,
  findExisting,
  holdTraffic,
  insertEvents,
  loadVisits,
  numberValues,
  writeVisits,
} from './store.ts'

/** At a time: some 60 ms, for which nobody else can add up, and for a fifth of which this process does nothing else. */
const SLICE_EVENTS = 2_000
/** Under load a quarter of the time is for adding up, until this many events wait. */
const REST_FACTOR = 3
const REST_MOST_MS = 1_000
const BACKLOG_MOST = 100_000
/** Whoever asks for statistics waits no longer for others' events. */
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

interface Added {
  batches: number
  events: number
  lastId: number
}

export class Rollup {
  readonly #needs: Needs
  #underway: Promise<Added> | undefined
  #dead = 0

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Everything acknowledged so far of a website is in its statistics afterwards. */
  async addUpFor(websiteId: number): Promise<void> {
    const { db } = this.#needs
    const until = performance.now() + WAIT_MS
    const last = await findLastBatch(db, websiteId)
    if (last === undefined) return
    do {
      if (performance.now() > until) throw unavailable('More events are waiting to be added up than can be in time.')
      await this.#addSlice()
    } while (await isWaitingUpTo(db, websiteId, last))
  }

  /** Until nothing is left, or until the signal. */
  async addUpAll(onProgress: (events: number) => void = () => {}, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await countWaiting(this.#needs.db)) > 0) {
      const started = performance.now()
      const { batches, events } = await this.#addSlice()
      if (batches === 0) break
      onProgress(events)
      await this.#rest(performance.now() - started, signal)
    }
    await this.#sweep()
  }

  /** Not for ever: whoever asks for statistics should not find an hour's work. */
  async #rest(workedMs: number, signal?: AbortSignal): Promise<void> {
    const { db, isBusy } = this.#needs
    if (isBusy?.() !== true || (await countWaiting(db)) > BACKLOG_MOST) return
    const ms = Math.min(workedMs * REST_FACTOR, REST_MOST_MS)
    await pause(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {})
  }

  /** One at a time in this process, so that whoever waits for the lock is one connection, not all of them. */
  #addSlice(): Promise<Added> {
    this.#underway ??= this.#addUp(this.#needs.sliceEvents ?? SLICE_EVENTS).finally(() => {
      this.#underway = undefined
    })
    return this.#underway
  }

  async #addUp(most: number): Promise<Added> {
    const { db, log } = this.#needs
    let taken: Batch[] = []
    try {
      const added = await db.transaction(async (q) => {
        await holdTraffic(q)
        taken = await takeBatches(q, most)
        return addBatches(q, taken)
      })
      this.#dead += added.batches
      return added
    } catch (error) {
      if (!isOfData(error)) throw error
      const [first, ...others] = taken
      if (first === undefined) throw error
      if (others.length > 0) return this.#addUp(1)
      log.error({ err: error, batch: first.id }, 'a batch of events cannot be added up and was put aside')
      await setAside(db, first.id, (error as Error).message)
      return { batches: 1, events: 0, lastId: first.id }
    }
  }

  async #sweep(): Promise<void> {
    if (this.#dead < SWEEP_EVERY_BATCHES) return
    this.#dead = 0
    await sweepInbox(this.#needs.db)
  }
}

/** Of what was to be added up, and not of the database: trying again would not help. 54: longer than an index takes. */
function isOfData(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(2[23]|54)/.test(error.code ?? '')
  return error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError
}

async function addBatches(q: Queries, batches: readonly Batch[]): Promise<Added> {
  const ids = batches.map(({ id }) => id)
  if (ids.length === 0) return { batches: 0, events: 0, lastId: 0 }
  const sent = batches.flatMap(({ events }) => JSON.parse(events) as TrafficEvent[])
  const existing = await findExisting(q, [...new Set(sent.map(({ websiteId }) => websiteId))])
  await addEvents(
    q,
    sent.filter(({ websiteId }) => existing.has(websiteId)),
  )
  await q.flight(deleteBatches(ids))
  return { batches: ids.length, events: sent.length, lastId: ids.at(-1) ?? 0 }
}

async function addEvents(q: Queries, sent: readonly TrafficEvent[]): Promise<void> {
  if (sent.length === 0) return
  const numbering = new Numbering()
  for (const event of sent) numbering.add(event)
  const values = numbering.list()
  const ids = await numberValues(q, values)
  for (const [index, value] of values.entries()) numbering.note(value, ids[index] as number)

  const groups = groupByVisitor(sent)
  await loadVisits(q, groups)
  const { events, days } = workOut(groups, numbering)
  const fresh = groups.flatMap(({ visits }) => visits.filter(({ id }) => id === 0))
  const drawn = fresh.length === 0 ? [] : await drawVisitIds(q, fresh.length)
  for (const [index, visit] of fresh.entries()) visit.id = drawn[index] as number
  await q.flight(insertEvents(events), writeVisits(groups), addTotals(days), addCounts(days))
}
