/**
 * Tells those who listen what changes. Looks once a second for all of them together, and not at all while there are none:
 * whoever writes need not know who listens, nor on which node.
 */
import type { Logger } from 'pino'
import { addMs, type Clock, waitAtMost } from '../lib/clock.ts'
import { notFound, rateLimited, unavailable } from '../lib/problem.ts'
import { PeriodicJob } from '../lib/periodic-job.ts'
import type { Database } from '../storage/database.ts'
import type { TenantId } from '../storage/tenant.ts'
import { VISITORS_NOW_MS } from '../traffic/stats/statistics.ts'
import { Feed, type Listener, tellCheck, tellTraffic } from './feed.ts'
import {
  type Found,
  liveMonitorOf,
  type Question,
  readBeginning,
  readChanges,
  readCounted,
  readStates,
  readVisitors,
} from './store.ts'
import { EventStream } from './stream.ts'

const LOOK_MS = 1_000
const VISITORS_MS = 5_000
const BEAT_MS = 15_000
/** A result waits up to 5 s to be written, and the clocks of nodes differ a little: changes are looked for this far back. */
const OVERLAP_MS = 20_000
/** Of one user: tabs of several browsers. */
const STREAMS_MOST = 20
const FULL_RETRY_SECONDS = 5
/** The database may be away, and what is asked of it is for nobody any more. */
const STOP_MS = 1_000

export interface Wanted {
  monitorId: number | undefined
  websiteId: number | undefined
}

interface Needs {
  db: Database
  clock: Clock
  log: Logger
  /** Sooner in tests. */
  beatMs?: number
}

export class LiveHub {
  readonly #needs: Needs
  /** By user. */
  readonly #feeds = new Map<number, Feed>()
  /** Streams of each user, with those that are being opened. */
  readonly #counts = new Map<number, number>()
  #rounds: PeriodicJob | undefined
  #beat: NodeJS.Timeout | undefined
  #visitorsAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Nothing that changes from now on is missed; and what has just changed is told, for whoever asked for the rest a moment before. */
  async open(caller: TenantId & { sessionId: number }, wanted: Wanted): Promise<EventStream> {
    const { userId } = caller
    if (this.#isClosed) throw unavailable('The server is stopping.')
    const count = this.#counts.get(userId) ?? 0
    if (count >= STREAMS_MOST) throw rateLimited(`At most ${STREAMS_MOST} streams at a time.`, FULL_RETRY_SECONDS)
    this.#counts.set(userId, count + 1)
    try {
      return await this.#begin(caller, wanted)
    } catch (error) {
      this.#release(userId)
      throw error
    }
  }

  /** How many listen. */
  get size(): number {
    return this.#counts.values().reduce((sum, count) => sum + count, 0)
  }

  /** At once: a server that stops waits for its connections. */
  async close(): Promise<void> {
    this.#isClosed = true
    const rounds = this.#rounds
    for (const { stream } of listenersOf(this.#feeds.values())) stream.close()
    if (rounds !== undefined) await waitAtMost(STOP_MS, rounds.stop())
  }

  async #begin(caller: TenantId & { sessionId: number }, { monitorId, websiteId }: Wanted): Promise<EventStream> {
    const { clock, db } = this.#needs
    const { userId, sessionId } = caller
    const now = clock.now()
    const since = addMs(now, -OVERLAP_MS)
    const [{ statuses, state }, counted] = await Promise.all([
      readBeginning(db.as(caller), since, monitorId),
      websiteId === undefined ? 0 : readCounted(db.asReader(caller, websiteId), websiteId, now),
    ])
    if (monitorId !== undefined && state === undefined) throw notFound()
    const recent = [...statuses.keys()].map((id) => ({ userId, id }))
    const changed = recent.length === 0 ? [] : await readStates(db, recent)
    if (this.#isClosed) throw unavailable('The server is stopping.')
    const stream = new EventStream()
    const listener: Listener = {
      stream,
      sessionId,
      monitor:
        monitorId === undefined ? undefined : { id: monitorId, lastCheckedAt: state?.last_checked_at?.getTime() },
      website: websiteId === undefined ? undefined : { id: websiteId, counted, toldAt: Number.NEGATIVE_INFINITY },
    }
    const feed = this.#feeds.getOrInsertComputed(userId, () => new Feed(userId, since, statuses))
    feed.add(listener, changed.map(liveMonitorOf))
    stream.once('close', () => this.#forget(feed, listener))
    this.#start()
    return stream
  }

  #forget(feed: Feed, listener: Listener): void {
    feed.listeners.delete(listener)
    if (feed.listeners.size === 0 && this.#feeds.get(feed.userId) === feed) this.#feeds.delete(feed.userId)
    this.#release(feed.userId)
    if (this.#feeds.size > 0) return
    clearInterval(this.#beat)
    void this.#rounds?.stop()
    this.#rounds = undefined
  }

  #release(userId: number): void {
    const left = (this.#counts.get(userId) ?? 1) - 1
    if (left > 0) this.#counts.set(userId, left)
    else this.#counts.delete(userId)
  }

  #start(): void {
    if (this.#rounds !== undefined) return
    const { log, beatMs = BEAT_MS } = this.#needs
    const run = () => this.#look()
    this.#rounds = new PeriodicJob({ name: 'look for changes to show on open pages', everyMs: LOOK_MS, log, run })
    void this.#rounds.start()
    // Apart from the rounds, which stop while the database is away.
    this.#beat = setInterval(() => {
      for (const { stream } of listenersOf(this.#feeds.values())) stream.beat()
    }, beatMs).unref()
  }

  async #look(): Promise<void> {
    const { clock, db } = this.#needs
    const now = clock.now()
    const feeds = [...this.#feeds.values()]
    const question = questionOf(feeds, now)
    const found = await readChanges(db, question)
    endOthers(feeds, question.sessions, found.sessions)
    await this.#tellMonitors(feeds, found)
    for (const feed of feeds) feed.since = addMs(now, -OVERLAP_MS)
    const states = new Map(found.states.map((row) => [row.id, row]))
    for (const listener of listenersOf(feeds)) {
      if (listener.monitor) tellCheck(listener, states.get(listener.monitor.id))
      if (listener.website) tellTraffic(listener, found.counted.get(listener.website.id), performance.now())
    }
    await this.#tellVisitors(feeds)
  }

  async #tellMonitors(feeds: readonly Feed[], found: Found): Promise<void> {
    const each = feeds.map((feed) => ({ feed, statuses: found.statuses.get(feed.userId) ?? new Map() }))
    const news = each.flatMap(({ feed, statuses }) => feed.newsIn(statuses).map((id) => ({ userId: feed.userId, id })))
    const rows = news.length === 0 ? [] : await readStates(this.#needs.db, news)
    const byUser = Map.groupBy(rows, ({ user_id }) => user_id)
    for (const { feed, statuses } of each)
      feed.tellMonitors(statuses, byUser.get(feed.userId)?.map(liveMonitorOf) ?? [])
  }

  async #tellVisitors(all: readonly Feed[]): Promise<void> {
    const { clock, db } = this.#needs
    const startedAt = performance.now()
    const isTime = startedAt - this.#visitorsAt >= VISITORS_MS
    const feeds = all.filter(({ isNew }) => isTime || isNew)
    if (feeds.length === 0) return
    const users = feeds.map(({ userId }) => userId)
    const visitors = await readVisitors(db, users, addMs(clock.now(), -VISITORS_NOW_MS))
    if (isTime) this.#visitorsAt = startedAt
    for (const feed of feeds) feed.takeVisitors(visitors.get(feed.userId) ?? new Map())
  }
}

function questionOf(feeds: readonly Feed[], now: Date): Question {
  const each = feeds.flatMap(({ userId, listeners }) => [...listeners].map((listener) => ({ userId, listener })))
  return {
    now,
    sessions: [...new Set(each.map(({ listener }) => listener.sessionId))],
    users: feeds.map(({ userId, since }) => ({ userId, since })),
    monitors: each.flatMap(({ userId, listener: { monitor } }) => (monitor ? [{ userId, id: monitor.id }] : [])),
    websites: each.flatMap(({ userId, listener: { website } }) => (website ? [{ userId, id: website.id }] : [])),
  }
}

/** Whoever's session has ended hears nothing more. Of those who came meanwhile nothing is known yet. */
function endOthers(feeds: readonly Feed[], asked: readonly number[], alive: ReadonlySet<number>): void {
  const ended = new Set(asked).difference(alive)
  for (const { stream, sessionId } of listenersOf(feeds)) if (ended.has(sessionId)) stream.close()
}

const listenersOf = (feeds: Iterable<Feed>) => [...feeds].flatMap(({ listeners }) => [...listeners])
