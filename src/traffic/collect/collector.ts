/**
 * Stores events in batches: the events that arrive while one batch is being written form the next. A request gets its
 * response only after the commit of its event. The queue of waiting events is bounded, and websites share it fairly.
 */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../lib/clock.ts'
import { localDayAt } from '../../lib/local-day.ts'
import { Problem, rateLimited, unavailable } from '../../lib/problem.ts'
import type { Secret } from '../../lib/secret.ts'
import { type RateLimit, WindowCounter } from '../../lib/window-counter.ts'
import type { Database } from '../../storage/database.ts'
import { ArrivalRecorder } from '../dropped/arrival-recorder.ts'
import { DropCounter } from '../dropped/drop-counter.ts'
import type { DropReason } from '../model/drop-reasons.ts'
import { insertBatchOnce } from './batch-store.ts'
import type { ReceivedEvent } from './event-draft.ts'
import { FairQueue, type QueueLimits } from './fair-queue.ts'
import { loadGeolocation } from './geolocation/geolocation.ts'
import {
  type EventOutcome,
  markDuplicates,
  type ProcessedBatch,
  processBatch,
  type WebsiteDrop,
} from './process-batch.ts'
import { loadSpamReferrers } from './referrer-spam/referrer-spam.ts'
import type { StepDeps } from './steps.ts'
import { loadBotDetector } from './user-agent/bot.ts'
import { loadUserAgentParser } from './user-agent/user-agent.ts'
import { VisitorSalts } from './visitor/visitor-id.ts'
import { WebsiteCache, type WebsiteSnapshot } from './website/website-cache.ts'
import { areVersionsCurrent } from './website/website-store.ts'

/**
 * About 6 MB of typical events. At most half of them can be of a single website, so the queue holds the events of a website for
 * two seconds without the database, at 5,000 events a second.
 */
const MAX_QUEUED_EVENTS = 20_000
/** Bounds the memory for events that are far larger than typical ones. */
const MAX_QUEUED_BYTES = 32_000_000
const BATCH_LIMITS: QueueLimits = { maxItems: 1_000, maxBytes: 4_000_000 }
const NO_LIMITS: QueueLimits = { maxItems: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY }
/** PostgreSQL can receive one batch while it commits another. */
const MAX_CONCURRENT_BATCHES = 2
/**
 * While a batch is being written, a second one starts only if at least this many events are waiting. Fewer are not worth
 * the extra round trip.
 */
const MIN_SECOND_BATCH_EVENTS = 24
/** 5,000 events a second, less than half of what one server can write, so that the rest is left for other websites. */
const WEBSITE_LIMIT: RateLimit = { count: 300_000, windowSeconds: 60 }
/** The key in the queue for events whose website is not known yet, or not registered. Together they count as one website. */
const OTHER_WEBSITES = 'other'
/** A batch of this size shows that events arrive faster than they are written. */
const BUSY_BATCH_EVENTS = 8
/** How long after such a batch the collector counts as busy. */
const BUSY_WINDOW_MS = 200
/** If storing a batch fails after this long, the waiting events are refused too, because they would wait as long again. */
const SLOW_FAILURE_MS = 500
/** Storing a batch is repeated only if one of its websites has changed in the meantime. */
const MAX_ATTEMPTS = 5

interface QueuedEvent {
  received: ReceivedEvent
  bytes: number
  resolve(dropReason: DropReason | undefined): void
  reject(error: unknown): void
}

interface Deps {
  config: Pick<Config, 'database' | 'geoDb' | 'rateLimit'>
  clock: Clock
  db: Database
  log: Logger
  secret: Secret
  /** Tests set a smaller limit. */
  maxQueuedEvents?: number
}

export class Collector {
  readonly #deps: Deps
  readonly #salts = new VisitorSalts()
  readonly #queue: FairQueue<QueuedEvent>
  readonly #websiteCounter: WindowCounter
  readonly #dropCounter: DropCounter
  readonly #arrivalRecorder: ArrivalRecorder
  #runningBatchCount = 0
  /** PostgreSQL's time minus `performance.now()`, undefined before its first response. */
  #databaseTimeOffsetMs: number | undefined
  #lastBusyAt = Number.NEGATIVE_INFINITY
  readonly #websiteCache = new WebsiteCache()
  #stepDeps: Promise<StepDeps> | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    const { maxQueuedEvents = MAX_QUEUED_EVENTS } = deps
    this.#queue = new FairQueue({ maxItems: maxQueuedEvents, maxBytes: MAX_QUEUED_BYTES })
    this.#websiteCounter = new WindowCounter(deps.clock)
    this.#dropCounter = new DropCounter(deps)
    this.#arrivalRecorder = new ArrivalRecorder(deps)
  }

  /** Saves the drop counts and arrivals that are still in memory. Call it after the last event has arrived. */
  async stop(): Promise<void> {
    await Promise.all([this.#dropCounter.stop(), this.#arrivalRecorder.stop()])
  }

  /** Resolves once the event is stored, or with the reason why it was dropped. */
  enqueue(received: ReceivedEvent, bytes: number): Promise<DropReason | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<DropReason | undefined>()
    const queueKey = this.#websiteCache.findCachedId(received.sent.domains[0] as string) ?? OTHER_WEBSITES
    if (!this.#queue.add(queueKey, { received, bytes, resolve, reject })) {
      throw unavailable('Too many events of this website are waiting to be stored. Try again later.')
    }
    // Waiting for the next turn of the event loop lets all requests of this turn join the batch.
    if (this.#queue.length === 1 || this.#queue.length === MIN_SECOND_BATCH_EVENTS)
      setImmediate(() => this.#startBatch())
    return promise
  }

  /** Whether events have recently arrived faster than they were written. */
  get isBusy(): boolean {
    return performance.now() - this.#lastBusyAt < BUSY_WINDOW_MS
  }

  #startBatch(): void {
    const minEvents = this.#runningBatchCount === 0 ? 1 : MIN_SECOND_BATCH_EVENTS
    if (this.#runningBatchCount >= MAX_CONCURRENT_BATCHES || this.#queue.length < minEvents) return
    const batch = this.#queue.takeBatch(BATCH_LIMITS)
    if (batch.length >= BUSY_BATCH_EVENTS) this.#lastBusyAt = performance.now()
    this.#runningBatchCount++
    void this.#settleBatch(batch).finally(() => {
      this.#runningBatchCount--
      this.#startBatch()
    })
    this.#startBatch()
  }

  /**
   * Has no timeout of its own, because every wait for the database has one. If it fails, nothing was stored, with one exception: the
   * connection was lost during the commit, and the database could not be reached again in time. Clients that repeat an event with
   * the same id are safe even then.
   */
  async #settleBatch(batch: readonly QueuedEvent[]): Promise<void> {
    const startedAt = performance.now()
    try {
      const outcomes = await this.#storeBatch(batch.map(({ received }) => received))
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index]
        if (outcome instanceof Problem) reject(outcome)
        else resolve(outcome)
      }
    } catch (error) {
      const isSlow = performance.now() - startedAt > SLOW_FAILURE_MS
      const waitingEvents = isSlow ? this.#queue.takeBatch(NO_LIMITS) : []
      for (const { reject } of [...batch, ...waitingEvents]) reject(error)
    }
  }

  /** Processes the events with the cached websites, and again with fresh ones if a website has changed since. */
  async #storeBatch(receivedEvents: readonly ReceivedEvent[]): Promise<EventOutcome[]> {
    const { db } = this.#deps
    const stepDeps = await this.#loadStepDeps()
    let websiteSnapshot = await this.#websiteCache.load(db, new Set(receivedEvents.flatMap(({ sent }) => sent.domains)))
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      await this.#prepareSalts(receivedEvents, websiteSnapshot)
      const processed = processBatch(receivedEvents, websiteSnapshot, stepDeps)
      const isCurrent =
        processed.events.length > 0
          ? await this.#insertEvents(processed, websiteSnapshot)
          : await areVersionsCurrent(db, websiteSnapshot)
      if (isCurrent) {
        this.#countDrops(processed.drops)
        for (const event of processed.observedEvents) this.#arrivalRecorder.add(event)
        return processed.outcomes
      }
      websiteSnapshot = await this.#websiteCache.reload(db, websiteSnapshot)
    }
    throw unavailable('The website is being changed too often. Try again later.')
  }

  /**
   * Resolves with false if a website has changed. The deadline stops a batch that waited in the buffers of a stalled connection or
   * of a stopped PostgreSQL, whose clients have been told that it was not stored.
   */
  async #insertEvents(processed: ProcessedBatch, websiteSnapshot: WebsiteSnapshot): Promise<boolean> {
    const { clock, config, db } = this.#deps
    const { events, eventKeys } = processed
    const key = randomUUID()
    const deadline = performance.now() + config.database.timeoutMs
    while (performance.now() < deadline) {
      const sentAt = performance.now()
      const deadlineMs = this.#databaseTimeOffsetMs === undefined ? null : deadline + this.#databaseTimeOffsetMs
      const batch = { key, events, eventKeys, now: clock.now(), deadlineMs }
      const { state, duplicates, databaseTimeMs } = await insertBatchOnce(db, batch, websiteSnapshot)
      this.#noteDatabaseTime(databaseTimeMs, sentAt)
      // PostgreSQL's clock may have been set. Then the batch is late by the clock, but not for its clients.
      if (state === 'late') continue
      markDuplicates(processed, duplicates)
      return state === 'stored'
    }
    throw unavailable('The database is busy.')
  }

  /** PostgreSQL has read its clock between our request and its response. The estimate moves only if it is outside of that range. */
  #noteDatabaseTime(databaseTimeMs: number, sentAt: number): void {
    const minOffsetMs = databaseTimeMs - performance.now()
    const maxOffsetMs = databaseTimeMs - sentAt
    const offsetMs = this.#databaseTimeOffsetMs ?? minOffsetMs
    this.#databaseTimeOffsetMs = Math.min(Math.max(offsetMs, minOffsetMs), maxOffsetMs)
  }

  #countDrops(drops: readonly WebsiteDrop[]): void {
    for (const { website, at, reason } of drops) {
      this.#dropCounter.add({ websiteId: website.id, day: localDayAt(website.timeZone, at).day, reason, count: 1 })
    }
  }

  /** Each node counts only the events that it receives. */
  #limitWebsite(websiteId: number): Problem | undefined {
    if (this.#deps.config.rateLimit === 0) return undefined
    const { allowed, retryAfterSeconds } = this.#websiteCounter.take(String(websiteId), WEBSITE_LIMIT)
    return allowed ? undefined : rateLimited('Too many events for this website. Try again later.', retryAfterSeconds)
  }

  async #prepareSalts(receivedEvents: readonly ReceivedEvent[], { byDomain }: WebsiteSnapshot): Promise<void> {
    const days = new Set<string>()
    for (const timeZone of new Set(byDomain.values().map((website) => website.timeZone))) {
      for (const { at } of receivedEvents) days.add(localDayAt(timeZone, at).day)
    }
    await this.#salts.ensureLoaded(this.#deps.db, days)
  }

  /** Loads the parsers and the geolocation databases with the first batch, so that a server without visitors saves the memory. */
  #loadStepDeps(): Promise<StepDeps> {
    this.#stepDeps ??= this.#createStepDeps().catch((error) => {
      this.#stepDeps = undefined
      throw error
    })
    return this.#stepDeps
  }

  async #createStepDeps(): Promise<StepDeps> {
    const { config, log } = this.#deps
    const [detectBot, isSpamReferrer, parseUserAgent, locateIp] = await Promise.all([
      loadBotDetector(),
      loadSpamReferrers(),
      loadUserAgentParser(),
      loadGeolocation(config.geoDb, log),
    ])
    return {
      detectBot,
      isSpamReferrer,
      parseUserAgent,
      locateIp,
      salts: this.#salts,
      hashEventId: (websiteId, id) => toUuid(this.#deps.secret.hmac('event ids', `${websiteId} ${id}`)),
      limitWebsite: (websiteId) => this.#limitWebsite(websiteId),
    }
  }
}

/** The first 128 bits of a hash, which PostgreSQL stores and compares faster than the whole. */
function toUuid(hash: Buffer): string {
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
