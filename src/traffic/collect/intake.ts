/**
 * Takes in events: refuses malformed and excess ones, and stores the others in batches. The events that arrive while one batch is
 * being written form the next batch. A request gets its response only after the commit of its event. The queue of waiting events is
 * bounded, and websites share it fairly.
 */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../lib/clock.ts'
import { FairQueue, type QueueLimits } from '../../lib/fair-queue.ts'
import { localDayAt } from '../../lib/local-day.ts'
import { toClientNetwork } from '../../lib/network-address.ts'
import { Problem, rateLimited, unavailable } from '../../lib/problem.ts'
import type { Secret } from '../../lib/secret.ts'
import { type RateLimit, WindowCounter } from '../../lib/window-counter.ts'
import type { Database } from '../../storage/database.ts'
import { ArrivalRecorder } from '../dropped/arrival-recorder.ts'
import { DropCounter } from '../dropped/drop-counter.ts'
import { areVersionsCurrent, insertBatchOnce } from '../inbox/store.ts'
import type { DropReason } from '../model/drop-reasons.ts'
import { parseEventBody, type SentEvent } from './body.ts'
import { loadGeolocation } from './geolocation/geolocation.ts'
import { type EventRequest, type ProxySettings, resolveClientIp, toProxySettings } from './ip/client.ts'
import { loadSpamReferrers } from './referrer-spam.ts'
import {
  type EventOutcome,
  markDuplicates,
  type ProcessedBatch,
  pickHeaders,
  processBatch,
  type ReceivedEvent,
  type StepDeps,
  type WebsiteDrop,
} from './steps.ts'
import { loadBotDetector } from './user-agent/bot.ts'
import { loadUserAgentParser } from './user-agent/user-agent.ts'
import { VisitorSalts } from './visitor-id.ts'
import { WebsiteCache, type WebsiteSnapshot } from './website-cache.ts'

/**
 * This many typical events take about 6 MB. A single website can use half of the queue. At 5,000 events a second, that
 * half holds the events of two seconds. So the database can be unavailable that long.
 */
const MAX_QUEUED_EVENTS = 20_000
/** Bounds the memory for events that are far larger than typical ones. */
const MAX_QUEUED_BYTES = 32_000_000
/** Besides its body, a waiting event holds the IP address, the user agent and a few headers. */
const EVENT_OVERHEAD_BYTES = 2_000
const BATCH_LIMITS: QueueLimits = { maxItems: 1_000, maxBytes: 4_000_000 }
const NO_LIMITS: QueueLimits = { maxItems: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY }
/** PostgreSQL can receive one batch while it commits another. */
const MAX_CONCURRENT_BATCHES = 2
/**
 * While a batch is being written, a second one starts only if at least this many events are waiting. Fewer are not worth
 * the extra round trip.
 */
const MIN_SECOND_BATCH_EVENTS = 24
/** A large office behind one IP address sends fewer events than this, even in its busiest minute. */
const IP_LIMIT: RateLimit = { count: 6_000, windowSeconds: 60 }
/** This is 5,000 events a second, less than half of what one server can write. The rest is left for other websites. */
const WEBSITE_LIMIT: RateLimit = { count: 300_000, windowSeconds: 60 }
/**
 * Events have this key in the queue if their website is not cached yet or not registered. Together they count as one
 * website.
 */
const OTHER_WEBSITES = 'other'
/** A batch of this size shows that events arrive faster than they are written. */
const BUSY_BATCH_EVENTS = 8
/** Collecting counts as busy until this long after a batch of at least `BUSY_BATCH_EVENTS`. */
const BUSY_WINDOW_MS = 200
/** If storing a batch fails after this long, the waiting events are refused too, because each of them would wait just as long. */
const SLOW_FAILURE_MS = 500
/** An attempt to store a batch is repeated only if one of its websites has changed in the meantime. */
const MAX_ATTEMPTS = 5

interface QueuedEvent {
  received: ReceivedEvent
  bytes: number
  resolve(dropReason: DropReason | undefined): void
  reject(error: unknown): void
}

export interface EventMetrics {
  /** `outcome` is `accepted`, `malformed`, or the drop reason. */
  countEvent(outcome: string): void
}

interface Deps {
  config: Pick<Config, 'clientAddressHeader' | 'database' | 'geoDb' | 'rateLimit' | 'trustedProxies'>
  clock: Clock
  db: Database
  log: Logger
  metrics: EventMetrics
  secret: Secret
  /** Tests set a smaller limit. */
  maxQueuedEvents?: number
}

export class EventIntake {
  readonly #deps: Deps
  readonly #proxySettings: ProxySettings
  readonly #ipCounter: WindowCounter
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
    this.#proxySettings = toProxySettings(deps.config)
    this.#ipCounter = new WindowCounter(deps.clock)
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

  /** Counts the request for the limit of its IP address, and returns that address. Runs before the body is read. */
  admit(request: EventRequest): string {
    const clientIp = resolveClientIp(request, this.#proxySettings)
    this.#limitIp(clientIp)
    return clientIp
  }

  /** Resolves once the event is stored, or with the reason why it was dropped. Rejects if the body is malformed or the queue is full. */
  async collect(body: string | undefined, request: EventRequest, clientIp: string): Promise<DropReason | undefined> {
    const { clock, metrics } = this.#deps
    const sentEvent = this.#parseBody(body)
    const { 'user-agent': userAgent = '' } = request.headers
    const receivedEvent = {
      sent: sentEvent,
      at: clock.now().getTime(),
      clientIp,
      userAgent,
      headers: pickHeaders(request.headers),
    }
    const bytes = (body?.length ?? 0) * sentEvent.domains.length + EVENT_OVERHEAD_BYTES
    const dropReason = await this.enqueue(receivedEvent, bytes)
    metrics.countEvent(dropReason ?? 'accepted')
    return dropReason
  }

  #parseBody(body: string | undefined): SentEvent {
    try {
      return parseEventBody(body)
    } catch (error) {
      this.#deps.metrics.countEvent('malformed')
      throw error
    }
  }

  /** Each node counts only the events that it receives. Shared counts would need a database row for every visitor. */
  #limitIp(clientIp: string): void {
    const { config, secret } = this.#deps
    if (config.rateLimit === 0) return
    const key = secret.hmac('addresses', toClientNetwork(clientIp)).toString('base64url')
    const { allowed, retryAfterSeconds } = this.#ipCounter.take(key, IP_LIMIT)
    if (!allowed) throw rateLimited('Too many events from this IP address. Try again later.', retryAfterSeconds)
  }

  /** Resolves once the event is stored, or with the reason why it was dropped. */
  enqueue(receivedEvent: ReceivedEvent, bytes: number): Promise<DropReason | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<DropReason | undefined>()
    const queueKey = this.#websiteCache.findCachedId(receivedEvent.sent.domains[0] as string) ?? OTHER_WEBSITES
    if (!this.#queue.add(queueKey, { received: receivedEvent, bytes, resolve, reject })) {
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
   * Stores a batch, and settles the promises of its events. This needs no timeout of its own, because every wait for
   * the database has one. If storing fails, none of the events is stored, with one exception: the connection was lost
   * during the commit, and the database could not be reached again in time. Even then, a client can safely send its
   * event again with the same id.
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

  /** Processes the events with the cached websites. If a website has changed, reads it and processes the events again. */
  async #storeBatch(receivedEvents: readonly ReceivedEvent[]): Promise<EventOutcome[]> {
    const { db } = this.#deps
    const stepDeps = await this.#loadStepDeps()
    let websiteSnapshot = await this.#websiteCache.load(db, new Set(receivedEvents.flatMap(({ sent }) => sent.domains)))
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      await this.#prepareSalts(receivedEvents, websiteSnapshot)
      const processedBatch = processBatch(receivedEvents, websiteSnapshot, stepDeps)
      const isCurrent =
        processedBatch.events.length > 0
          ? await this.#insertEvents(processedBatch, websiteSnapshot)
          : await areVersionsCurrent(db, websiteSnapshot)
      if (isCurrent) {
        this.#countDrops(processedBatch.drops)
        for (const event of processedBatch.observedEvents) this.#arrivalRecorder.add(event)
        return processedBatch.outcomes
      }
      websiteSnapshot = await this.#websiteCache.reload(db, websiteSnapshot)
    }
    throw unavailable('The website is being changed too often. Try again later.')
  }

  /**
   * Resolves with false if a website has changed. A stalled connection or a stopped PostgreSQL can hold a batch back until its
   * clients have been told that it was not stored. The deadline keeps PostgreSQL from storing such a batch.
   */
  async #insertEvents(processedBatch: ProcessedBatch, websiteSnapshot: WebsiteSnapshot): Promise<boolean> {
    const { clock, config, db } = this.#deps
    const { events, eventKeys } = processedBatch
    const key = randomUUID()
    const deadline = performance.now() + config.database.timeoutMs
    while (performance.now() < deadline) {
      const sentAt = performance.now()
      const deadlineMs = this.#databaseTimeOffsetMs === undefined ? null : deadline + this.#databaseTimeOffsetMs
      const batch = { key, events, eventKeys, now: clock.now(), deadlineMs }
      const { state, duplicates, databaseTimeMs } = await insertBatchOnce(db, batch, websiteSnapshot)
      this.#noteDatabaseTime(databaseTimeMs, sentAt)
      // The batch may only seem late, because somebody has set PostgreSQL's clock forward. Its clients still wait, so
      // try again.
      if (state === 'late') continue
      markDuplicates(processedBatch, duplicates)
      return state === 'stored'
    }
    throw unavailable('The database is busy.')
  }

  /**
   * PostgreSQL reads its clock after we send the request and before we receive the response. These two times bound the
   * offset. The estimate changes only if it is outside these bounds.
   */
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

/** Keeps the first 128 bits of a hash. PostgreSQL stores and compares them faster than the whole hash. */
function toUuid(hash: Buffer): string {
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
