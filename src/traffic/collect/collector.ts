/**
 * Takes events in batches: whatever arrives while one batch is being written makes up the next. Nobody is answered before
 * the commit of theirs, and no more wait than fit into a bounded queue.
 */
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { localDayOf } from '../../lib/local-day.ts'
import { unavailable } from '../../lib/problem.ts'
import { within } from '../../lib/within.ts'
import type { Database } from '../../storage/database.ts'
import type { TrafficEvent } from '../event.ts'
import { insertBatch } from '../inbox-store.ts'
import { loadAgentReader } from './agent.ts'
import { loadBotCheck } from './bot.ts'
import { candidatesOf, findSite } from './find-site.ts'
import { loadPlaces } from './place.ts'
import { findSites, type TrackedSite } from './site-store.ts'
import { type Arrival, type DropReason, passSteps, type Tools } from './steps.ts'
import { Salts } from './visitor.ts'

/** Of 300 bytes or so each, that is 3 MB, and at 5,000 a second two seconds of a database that is away. */
const WAITING_MOST = 10_000
/** Where each is as large as it may be. */
const WAITING_BYTES_MOST = 32_000_000
const BATCH_MOST = 1_000
/** Longer than a busy database takes, and shorter than a browser waits with a page that is being left. */
const COMMIT_MS = 10_000

interface Waiting {
  arrival: Arrival
  bytes: number
  resolve(reason: DropReason | undefined): void
  reject(error: unknown): void
}

interface Needs {
  config: Pick<Config, 'geoDb'>
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
  #isWriting = false
  #tools: Promise<Tools> | undefined

  constructor(needs: Needs) {
    this.#needs = needs
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
    if (!this.#isWriting) {
      this.#isWriting = true
      // What else arrives in this turn of the event loop comes along.
      setImmediate(() => void this.#write())
    }
    return promise
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_MOST)
      for (const { bytes } of batch) this.#waitingBytes -= bytes
      try {
        const written = await within(
          COMMIT_MS,
          this.#writeBatch(batch).then(() => true),
        )
        if (written === undefined) throw unavailable('The database takes too long.')
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isWriting = false
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    const { db } = this.#needs
    const tools = await this.#load()
    const sites = await this.#findSites(batch)
    await this.#prepareSalts(batch, sites)
    const events: TrafficEvent[] = []
    const reasons = batch.map(({ arrival }) => {
      const passed = passAll(arrival, sites, tools)
      if (typeof passed === 'string') return passed
      events.push(...passed)
      return undefined
    })
    if (events.length > 0) await insertBatch(db, events)
    for (const [index, { resolve }] of batch.entries()) resolve(reasons[index])
  }

  async #findSites(batch: readonly Waiting[]): Promise<Map<string, TrackedSite>> {
    const domains = new Set(batch.flatMap(({ arrival }) => arrival.sent.domains))
    const candidates = new Set([...domains].flatMap(candidatesOf))
    const found = await findSites(this.#needs.db, [...candidates])
    return new Map(found.map((site) => [site.domain, site]))
  }

  async #prepareSalts(batch: readonly Waiting[], sites: ReadonlyMap<string, TrackedSite>): Promise<void> {
    const days = new Set<string>()
    for (const zone of new Set(sites.values().map(({ timeZone }) => timeZone))) {
      for (const { arrival } of batch) days.add(localDayOf(zone, arrival.at).day)
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

/** For each of its websites; dropped where none of them takes it. */
function passAll(arrival: Arrival, sites: ReadonlyMap<string, TrackedSite>, tools: Tools): TrafficEvent[] | DropReason {
  const own = new Set(arrival.sent.domains.map((domain) => findSite(candidatesOf(domain), sites)))
  const events: TrafficEvent[] = []
  let dropped: DropReason = 'unknown_site'
  for (const site of own) {
    if (site === undefined) continue
    const passed = passSteps(arrival, site, tools)
    if (typeof passed === 'string') dropped = passed
    else events.push(passed)
  }
  return events.length > 0 ? events : dropped
}
