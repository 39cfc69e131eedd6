/**
 * Takes events in batches: whatever arrives while one batch is being written makes up the next. Nobody is answered before
 * the commit of theirs, and no more wait than fit into a bounded queue.
 */
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../lib/clock.ts'
import { localDayOf } from '../../lib/local-day.ts'
import { Problem, tooMany, unavailable } from '../../lib/problem.ts'
import { type Limit, WindowCounter } from '../../lib/window-counter.ts'
import type { Database } from '../../storage/database.ts'
import { DroppedCounter } from '../dropped/dropped-counter.ts'
import type { DropReason } from '../model/drop-reasons.ts'
import { loadAgentReader } from './agent.ts'
import { loadBotCheck } from './bot.ts'
import { type Drop, type Judgement, judge } from './judge.ts'
import { loadPlaces } from './place.ts'
import { insertJudged, isStillSo } from './site-store.ts'
import { SiteMemory, type Sites } from './sites.ts'
import type { Arrival, Tools } from './steps.ts'
import { Salts } from './visitor.ts'

/** Of 300 bytes or so each, that is 3 MB, and at 5,000 a second two seconds of a database that is away. */
const WAITING_MOST = 10_000
/** Where each is as large as it may be. */
const WAITING_BYTES_MOST = 32_000_000
const BATCH_MOST = 1_000
const BATCH_BYTES_MOST = 4_000_000
/** While one is being committed the next can be on its way. A round trip costs as much as a handful of events. */
const BATCHES_AT_ONCE = 2
const SECOND_BATCH_LEAST = 24
/** More than this server could write for one website. */
const SITE_LIMIT: Limit = { count: 1_200_000, windowSeconds: 60 }
/** As many in one batch: they come faster than they are written. */
const CROWD = 8
const CROWDED_MS = 200
/** Somebody saves a website just then. */
const TRIES_MOST = 5

interface Waiting {
  arrival: Arrival
  bytes: number
  resolve(reason: DropReason | undefined): void
  reject(error: unknown): void
}

interface Needs {
  config: Pick<Config, 'geoDb' | 'rateLimit'>
  clock: Clock
  db: Database
  log: Logger
  /** Less than usual, in tests. */
  waitingMost?: number
}

export class Collector {
  readonly #needs: Needs
  readonly #salts = new Salts()
  #waiting: Waiting[] = []
  #waitingBytes = 0
  readonly #counter: WindowCounter
  readonly #dropped: DroppedCounter
  #underway = 0
  #crowdedAt = Number.NEGATIVE_INFINITY
  readonly #sites = new SiteMemory()
  #tools: Promise<Tools> | undefined

  constructor(needs: Needs) {
    this.#needs = needs
    this.#counter = new WindowCounter(needs.clock)
    this.#dropped = new DroppedCounter(needs)
  }

  /** When nothing arrives any more: what was dropped is still to be written. */
  async stop(): Promise<void> {
    await this.#dropped.stop()
  }

  /** Resolves when it is durable, or with the reason for which it was dropped. */
  collect(arrival: Arrival, bytes: number): Promise<DropReason | undefined> {
    const { waitingMost = WAITING_MOST } = this.#needs
    if (this.#waiting.length >= waitingMost || this.#waitingBytes + bytes > WAITING_BYTES_MOST) {
      throw unavailable('More events are waiting than this server can hold.')
    }
    const { promise, resolve, reject } = Promise.withResolvers<DropReason | undefined>()
    this.#waiting.push({ arrival, bytes, resolve, reject })
    this.#waitingBytes += bytes
    // What else arrives in this turn of the event loop comes along.
    if (this.#waiting.length === 1 || this.#waiting.length === SECOND_BATCH_LEAST) setImmediate(() => this.#begin())
    return promise
  }

  /** Whatever arrives while a batch is written makes up the next; a second one at the same time only if it is worth it. */
  #begin(): void {
    const least = this.#underway === 0 ? 1 : SECOND_BATCH_LEAST
    if (this.#underway >= BATCHES_AT_ONCE || this.#waiting.length < least) return
    const batch = this.#take()
    for (const { bytes } of batch) this.#waitingBytes -= bytes
    if (batch.length >= CROWD) this.#crowdedAt = performance.now()
    this.#underway++
    void this.#write(batch).finally(() => {
      this.#underway--
      this.#begin()
    })
    this.#begin()
  }

  #take(): Waiting[] {
    let bytes = 0
    const end = this.#waiting.findIndex((waiting, index) => {
      bytes += waiting.bytes
      return index >= BATCH_MOST || (index > 0 && bytes > BATCH_BYTES_MOST)
    })
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end)
  }

  /** Whether events have come in crowds just now. */
  get isBusy(): boolean {
    return performance.now() - this.#crowdedAt < CROWDED_MS
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    try {
      // As long as it takes: PostgreSQL gives up by itself after a while, and then nothing was kept. Only where the connection
      // went silent nobody knows, and whoever sends it again may count twice.
      const reasons = await this.#keep(batch.map(({ arrival }) => arrival))
      for (const [index, { resolve, reject }] of batch.entries()) {
        const reason = reasons[index]
        if (reason instanceof Problem) reject(reason)
        else resolve(reason)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  /** Judged by what is known of the websites; if that is no longer so, judged again. */
  async #keep(arrivals: readonly Arrival[]): Promise<Judgement[]> {
    const { db } = this.#needs
    const tools = await this.#load()
    let sites = await this.#sites.recall(db, new Set(arrivals.flatMap(({ sent }) => sent.domains)))
    for (let tries = 0; tries < TRIES_MOST; tries++) {
      await this.#prepareSalts(arrivals, sites)
      const { events, reasons, drops } = judge(arrivals, sites, tools, (id) => this.#refusalOf(id))
      const kept = events.length > 0 ? await insertJudged(db, events, sites) : await isStillSo(db, sites)
      if (kept) {
        this.#noteDropped(drops)
        return reasons
      }
      sites = await this.#sites.renew(db, sites)
    }
    throw unavailable('The website is being changed too often.')
  }

  #noteDropped(drops: readonly Drop[]): void {
    for (const { site, at, reason } of drops) {
      this.#dropped.add({ websiteId: site.id, day: localDayOf(site.timeZone, at).day, reason, count: 1 })
    }
  }

  /** Counted on this node alone. */
  #refusalOf(websiteId: number): Problem | undefined {
    if (this.#needs.config.rateLimit === 0) return undefined
    const { allowed, retryAfterSeconds } = this.#counter.take(String(websiteId), SITE_LIMIT)
    return allowed ? undefined : tooMany('Too many events for one website.', retryAfterSeconds)
  }

  async #prepareSalts(arrivals: readonly Arrival[], { byDomain }: Sites): Promise<void> {
    const days = new Set<string>()
    for (const zone of new Set(byDomain.values().map(({ timeZone }) => timeZone))) {
      for (const { at } of arrivals) days.add(localDayOf(zone, at).day)
    }
    await this.#salts.prepare(this.#needs.db, days)
  }

  /** Only now: together they take more memory than a server without visitors should. */
  #load(): Promise<Tools> {
    this.#tools ??= this.#loadTools().catch((error) => {
      this.#tools = undefined
      throw error
    })
    return this.#tools
  }

  async #loadTools(): Promise<Tools> {
    const { config, log } = this.#needs
    const [botOf, readAgent, placeOf] = await Promise.all([
      loadBotCheck(),
      loadAgentReader(),
      loadPlaces(config.geoDb, log),
    ])
    return { botOf, readAgent, placeOf, salts: this.#salts }
  }
}
