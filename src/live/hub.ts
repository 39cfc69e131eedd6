/**
 * Sends changes to open pages. The hub polls the database once a second for all streams together, and not at all while
 * no stream is open. Code that changes data therefore needn't know which pages are open, or on which node.
 */
import type { Logger } from 'pino'
import { addMs, type Clock, waitAtMost } from '../lib/clock.ts'
import { PeriodicJob } from '../lib/periodic-job.ts'
import { notFound, rateLimited, STOPPING_DETAIL, unavailable } from '../lib/problem.ts'
import type { Database } from '../storage/database.ts'
import type { TenantId } from '../storage/tenant.ts'
import { VISITORS_NOW_WINDOW_MS } from '../traffic/stats/statistics.ts'
import { LiveStream } from './event-stream.ts'
import {
  type LiveChanges,
  type LiveChangesQuery,
  readChanges,
  readInitialState,
  readLiveMonitors,
  readTrafficTotal,
  readVisitorsNow,
  toLiveMonitor,
} from './store.ts'
import { GuestFeed, LiveFeed, type LiveSubscriber, sendCheck, sendIncident, sendTraffic } from './team-feed.ts'

const POLL_INTERVAL_MS = 1_000
const VISITORS_INTERVAL_MS = 5_000
const HEARTBEAT_INTERVAL_MS = 15_000
/** Each poll reads changes this far back, because check results can be written up to 5 s late and the nodes' clocks differ. */
const LOOKBACK_MS = 20_000
/** Each open page has a stream. The limit is enough for the tabs of several browsers. */
const MAX_STREAMS_PER_USER = 20
/** When a client that has reached the limit may try again. */
const RETRY_AFTER_SECONDS = 5
/** How long `close` waits for a running poll, which can hang while the database is unavailable. */
const STOP_TIMEOUT_MS = 1_000

interface LiveSubscription {
  monitorId: number | undefined
  websiteId: number | undefined
  incidentId: number | undefined
}

interface Deps {
  db: Database
  clock: Clock
  log: Logger
  /** Tests set a shorter interval. */
  heartbeatIntervalMs?: number
}

export class LiveHub {
  readonly #deps: Deps
  readonly #feedsByTeam = new Map<number, LiveFeed>()
  readonly #guestFeedsByTeam = new Map<number, GuestFeed>()
  /** Includes streams that are still being opened. */
  readonly #streamCountByUser = new Map<number, number>()
  #poller: PeriodicJob | undefined
  #heartbeatTimer: NodeJS.Timeout | undefined
  #visitorsSentAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Opens a stream that reports every change from now on. It starts with the changes of the last 20 seconds, because the page
   * loaded its data before it opened the stream.
   */
  async open(caller: TenantId & { sessionId: number }, subscription: LiveSubscription): Promise<LiveStream> {
    const { userId } = caller
    if (this.#isClosed) throw unavailable(STOPPING_DETAIL)
    const count = this.#streamCountByUser.get(userId) ?? 0
    if (count >= MAX_STREAMS_PER_USER) {
      throw rateLimited(`A user can have at most ${MAX_STREAMS_PER_USER} open streams.`, RETRY_AFTER_SECONDS)
    }
    this.#streamCountByUser.set(userId, count + 1)
    try {
      return await this.#subscribe(caller, subscription)
    } catch (error) {
      this.#decrementStreamCount(userId)
      throw error
    }
  }

  /** The number of streams that are open or being opened. */
  get size(): number {
    return this.#streamCountByUser.values().reduce((sum, count) => sum + count, 0)
  }

  /** Ends all streams, because a stopping server waits until its connections have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    const poller = this.#poller
    for (const { stream } of listSubscribers(this.#listFeeds())) stream.close()
    if (poller !== undefined) await waitAtMost(STOP_TIMEOUT_MS, poller.stop())
  }

  async #subscribe(
    caller: TenantId & { sessionId: number },
    { monitorId, websiteId, incidentId }: LiveSubscription,
  ): Promise<LiveStream> {
    const { clock, db } = this.#deps
    const { teamId, userId, sessionId } = caller
    const now = clock.now()
    const since = addMs(now, -LOOKBACK_MS)
    const [initial, trafficTotal] = await Promise.all([
      readInitialState(db.as(caller), since, { monitorId, incidentId }),
      websiteId === undefined ? 0 : readTrafficTotal(db.asMember(caller, websiteId), websiteId, now),
    ])
    const { statusVersions, monitor, incidentVersion } = initial
    if (monitorId !== undefined && monitor === undefined) throw notFound()
    if (incidentId !== undefined && incidentVersion === undefined) throw notFound()
    const recentlyChangedMonitors = [...statusVersions.keys()].map((id) => ({ teamId, id }))
    const rows = recentlyChangedMonitors.length === 0 ? [] : await readLiveMonitors(db, recentlyChangedMonitors)
    if (this.#isClosed) throw unavailable(STOPPING_DETAIL)
    const stream = new LiveStream()
    const subscriber: LiveSubscriber = {
      stream,
      userId,
      sessionId,
      isGuest: initial.isGuest,
      monitor:
        monitorId === undefined ? undefined : { id: monitorId, lastCheckedAt: monitor?.last_checked_at?.getTime() },
      incident: incidentId === undefined ? undefined : { id: incidentId, version: incidentVersion ?? '' },
      website:
        websiteId === undefined ? undefined : { id: websiteId, trafficTotal, trafficSentAt: Number.NEGATIVE_INFINITY },
    }
    const feed = initial.isGuest
      ? this.#guestFeedsByTeam.getOrInsertComputed(teamId, () => new GuestFeed(teamId))
      : this.#feedsByTeam.getOrInsertComputed(teamId, () => new LiveFeed(teamId, since, initial))
    feed.add(subscriber, rows.map(toLiveMonitor))
    stream.once('close', () => this.#unsubscribe(feed, subscriber))
    this.#startPolling()
    return stream
  }

  #listFeeds(): (LiveFeed | GuestFeed)[] {
    return [...this.#feedsByTeam.values(), ...this.#guestFeedsByTeam.values()]
  }

  #unsubscribe(feed: LiveFeed | GuestFeed, subscriber: LiveSubscriber): void {
    feed.subscribers.delete(subscriber)
    const feeds: Map<number, LiveFeed | GuestFeed> =
      feed instanceof GuestFeed ? this.#guestFeedsByTeam : this.#feedsByTeam
    if (feed.subscribers.size === 0 && feeds.get(feed.teamId) === feed) feeds.delete(feed.teamId)
    this.#decrementStreamCount(subscriber.userId)
    if (this.#feedsByTeam.size + this.#guestFeedsByTeam.size > 0) return
    clearInterval(this.#heartbeatTimer)
    void this.#poller?.stop()
    this.#poller = undefined
  }

  #decrementStreamCount(userId: number): void {
    const remaining = (this.#streamCountByUser.get(userId) ?? 1) - 1
    if (remaining > 0) this.#streamCountByUser.set(userId, remaining)
    else this.#streamCountByUser.delete(userId)
  }

  #startPolling(): void {
    if (this.#poller !== undefined) return
    const { log, heartbeatIntervalMs = HEARTBEAT_INTERVAL_MS } = this.#deps
    const run = () => this.#poll()
    this.#poller = new PeriodicJob({
      name: 'look for changes to show on open pages',
      everyMs: POLL_INTERVAL_MS,
      log,
      run,
    })
    void this.#poller.start()
    // Heartbeats have their own timer, because polling pauses while the database is unavailable.
    this.#heartbeatTimer = setInterval(() => {
      for (const { stream } of listSubscribers(this.#listFeeds())) stream.sendHeartbeat()
    }, heartbeatIntervalMs).unref()
  }

  async #poll(): Promise<void> {
    const { clock, db } = this.#deps
    const now = clock.now()
    const feeds = [...this.#feedsByTeam.values()]
    const subscriptions = this.#listFeeds().flatMap(({ teamId, subscribers }) =>
      [...subscribers].map((subscriber) => ({ teamId, subscriber })),
    )
    const changes = await readChanges(db, buildChangesQuery(feeds, subscriptions, now))
    // A stream that was opened in the meantime was not queried, so it stays open.
    subscriptions.forEach(({ subscriber: { stream } }, index) => {
      if (!changes.activeStreams.has(index)) stream.close()
    })
    await this.#sendMonitors(feeds, changes)
    for (const feed of feeds) {
      feed.sendMaintenances(changes.maintenanceVersionByTeam.get(feed.teamId) ?? '')
      feed.sendIncidents(changes.incidentsVersionByTeam.get(feed.teamId) ?? '')
      feed.since = addMs(now, -LOOKBACK_MS)
    }
    const monitorsById = new Map(changes.monitors.map((row) => [row.id, row]))
    for (const { subscriber } of subscriptions) {
      const { monitor, incident, website } = subscriber
      if (monitor) sendCheck(subscriber, monitorsById.get(monitor.id))
      if (incident) sendIncident(subscriber, changes.versionByIncident.get(incident.id))
      if (website) sendTraffic(subscriber, changes.trafficTotalByWebsite.get(website.id), performance.now())
    }
    await this.#sendVisitors(feeds)
  }

  async #sendMonitors(feeds: readonly LiveFeed[], { statusVersionsByTeam }: LiveChanges): Promise<void> {
    const updates = feeds.map((feed) => ({ feed, versions: statusVersionsByTeam.get(feed.teamId) ?? new Map() }))
    const unsentMonitors = updates.flatMap(({ feed, versions }) =>
      feed.listUnsentMonitorIds(versions).map((id) => ({ teamId: feed.teamId, id })),
    )
    const rows = unsentMonitors.length === 0 ? [] : await readLiveMonitors(this.#deps.db, unsentMonitors)
    const rowsByTeam = Map.groupBy(rows, ({ user_id }) => user_id)
    for (const { feed, versions } of updates)
      feed.sendMonitors(versions, rowsByTeam.get(feed.teamId)?.map(toLiveMonitor) ?? [])
  }

  async #sendVisitors(allFeeds: readonly LiveFeed[]): Promise<void> {
    const { clock, db } = this.#deps
    const startedAt = performance.now()
    const isDue = startedAt - this.#visitorsSentAt >= VISITORS_INTERVAL_MS
    const feeds = allFeeds.filter(({ hasSentVisitors }) => isDue || !hasSentVisitors)
    if (feeds.length === 0) return
    const teamIds = feeds.map(({ teamId }) => teamId)
    const visitorsByTeam = await readVisitorsNow(db, teamIds, addMs(clock.now(), -VISITORS_NOW_WINDOW_MS))
    if (isDue) this.#visitorsSentAt = startedAt
    for (const feed of feeds) feed.sendVisitors(visitorsByTeam.get(feed.teamId) ?? new Map())
  }
}

interface Subscription {
  teamId: number
  subscriber: LiveSubscriber
}

function buildChangesQuery(
  feeds: readonly LiveFeed[],
  subscriptions: readonly Subscription[],
  now: Date,
): LiveChangesQuery {
  return {
    now,
    streams: subscriptions.map(({ teamId, subscriber: { sessionId, isGuest, website } }) => ({
      teamId,
      sessionId,
      isGuest,
      websiteId: website?.id ?? null,
    })),
    users: feeds.map(({ teamId, since }) => ({ teamId, since })),
    monitors: subscriptions.flatMap(({ teamId, subscriber: { monitor } }) =>
      monitor ? [{ teamId, id: monitor.id }] : [],
    ),
    incidents: subscriptions.flatMap(({ teamId, subscriber: { incident } }) =>
      incident ? [{ teamId, id: incident.id }] : [],
    ),
    websites: subscriptions.flatMap(({ teamId, subscriber: { website } }) =>
      website ? [{ teamId, id: website.id }] : [],
    ),
  }
}

const listSubscribers = (feeds: readonly (LiveFeed | GuestFeed)[]) =>
  feeds.flatMap(({ subscribers }) => [...subscribers])
