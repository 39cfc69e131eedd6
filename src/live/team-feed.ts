/** Remembers what was sent to the open streams of one team, so that each poll sends only what is new. */

import type { LiveStream } from './event-stream.ts'
import type { LiveIncident, LiveMonitor, LiveTraffic, LiveVisitors } from './schema.ts'
import {
  type IncidentsVersion,
  type LiveMonitorRow,
  type MaintenanceVersion,
  type StatusVersions,
  toLiveMonitor,
} from './store.ts'

/** Larger changes are split into several events, so that no client has to parse megabytes in one step. */
const MAX_MONITORS_PER_EVENT = 500
/** Minimum time between two `traffic` events, because each makes the page reload the statistics of the website. */
const MIN_TRAFFIC_INTERVAL_MS = 3_000

/** One open stream. */
export interface LiveSubscriber {
  stream: LiveStream
  userId: number
  sessionId: number
  isGuest: boolean
  monitor: { id: number; lastCheckedAt: number | undefined } | undefined
  incident: { id: number; version: string } | undefined
  website: { id: number; trafficTotal: number; trafficSentAt: number } | undefined
}

export class LiveFeed {
  readonly teamId: number
  readonly subscribers = new Set<LiveSubscriber>()
  /** The next poll reads changes from this time on. Polls overlap, because a change can be stored seconds after its timestamp. */
  since: Date
  #statusVersions: StatusVersions
  #maintenanceVersion: MaintenanceVersion
  #incidentsVersion: IncidentsVersion
  /** The visitors by website that were last sent. undefined until they have been sent once. */
  #visitors: Map<number, number> | undefined

  constructor(
    teamId: number,
    since: Date,
    initial: {
      statusVersions: StatusVersions
      maintenanceVersion: MaintenanceVersion
      incidentsVersion: IncidentsVersion
    },
  ) {
    this.teamId = teamId
    this.since = since
    this.#statusVersions = initial.statusVersions
    this.#maintenanceVersion = initial.maintenanceVersion
    this.#incidentsVersion = initial.incidentsVersion
  }

  get hasSentVisitors(): boolean {
    return this.#visitors !== undefined
  }

  add(subscriber: LiveSubscriber, recentlyChangedMonitors: readonly LiveMonitor[]): void {
    this.subscribers.add(subscriber)
    for (const chunk of splitIntoChunks(recentlyChangedMonitors)) subscriber.stream.send('monitors', chunk)
    if (this.#visitors !== undefined) subscriber.stream.send('visitors', Object.fromEntries(this.#visitors))
  }

  /** Returns the ids of monitors whose status has changed since it was last sent. */
  listUnsentMonitorIds(currentVersions: StatusVersions): number[] {
    return [...currentVersions].filter(([id, version]) => this.#statusVersions.get(id) !== version).map(([id]) => id)
  }

  sendMonitors(currentVersions: StatusVersions, monitors: readonly LiveMonitor[]): void {
    this.#statusVersions = currentVersions
    for (const chunk of splitIntoChunks(monitors)) this.#sendToAll('monitors', chunk)
  }

  /** Tells pages to load the maintenances again if one was created, changed or deleted, or has begun or ended. */
  sendMaintenances(currentVersion: MaintenanceVersion): void {
    if (this.#maintenanceVersion === currentVersion) return
    this.#maintenanceVersion = currentVersion
    this.#sendToAll('maintenances', {})
  }

  /** Tells pages to load the incidents again if one began, ended or was acknowledged, or if its notes changed. */
  sendIncidents(currentVersion: IncidentsVersion): void {
    if (this.#incidentsVersion === currentVersion) return
    this.#incidentsVersion = currentVersion
    this.#sendToAll('incidents', {})
  }

  /** Sends the counts of all websites the first time, and later only the counts that changed. */
  sendVisitors(currentCounts: Map<number, number>): void {
    const previousCounts = this.#visitors
    this.#visitors = currentCounts
    const changedCounts: LiveVisitors = {}
    for (const [id, count] of currentCounts) if (previousCounts?.get(id) !== count) changedCounts[id] = count
    for (const id of previousCounts?.keys() ?? []) if (!currentCounts.has(id)) changedCounts[id] = 0
    const hasChanges = Object.keys(changedCounts).length > 0
    if (previousCounts === undefined || hasChanges) this.#sendToAll('visitors', changedCounts)
  }

  #sendToAll(event: string, data: unknown): void {
    for (const { stream } of this.subscribers) stream.send(event, data)
  }
}

/** The open streams of a team's guests. They only get news about the website that their page shows. */
export class GuestFeed {
  readonly teamId: number
  readonly subscribers = new Set<LiveSubscriber>()

  constructor(teamId: number) {
    this.teamId = teamId
  }

  add(subscriber: LiveSubscriber): void {
    this.subscribers.add(subscriber)
  }
}

function* splitIntoChunks(monitors: readonly LiveMonitor[]): Generator<readonly LiveMonitor[]> {
  for (let from = 0; from < monitors.length; from += MAX_MONITORS_PER_EVENT)
    yield monitors.slice(from, from + MAX_MONITORS_PER_EVENT)
}

export function sendCheck({ stream, monitor }: LiveSubscriber, row: LiveMonitorRow | undefined): void {
  const checkedAt = row?.last_checked_at?.getTime()
  if (monitor === undefined || row === undefined || checkedAt === undefined) return
  // A poll that read the database before this subscriber joined can return an older check than the subscriber already has.
  if (monitor.lastCheckedAt !== undefined && checkedAt <= monitor.lastCheckedAt) return
  monitor.lastCheckedAt = checkedAt
  stream.send('check', toLiveMonitor(row))
}

export function sendIncident({ stream, incident }: LiveSubscriber, version: string | undefined): void {
  if (incident === undefined || version === undefined || version === incident.version) return
  incident.version = version
  const data: LiveIncident = { incident_id: incident.id }
  stream.send('incident', data)
}

/** `nowMs` comes from a monotonic clock. A change within the minimum interval is sent by a later poll. */
export function sendTraffic(
  { stream, website }: LiveSubscriber,
  trafficTotal: number | undefined,
  nowMs: number,
): void {
  if (website === undefined || trafficTotal === undefined || trafficTotal === website.trafficTotal) return
  if (nowMs - website.trafficSentAt < MIN_TRAFFIC_INTERVAL_MS) return
  website.trafficTotal = trafficTotal
  website.trafficSentAt = nowMs
  const data: LiveTraffic = { website_id: website.id }
  stream.send('traffic', data)
}
