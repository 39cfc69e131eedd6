/** Subscribes to the server's live events and applies them to cached queries. */
import { useEffect, useRef } from 'preact/hooks'
import type { LiveIncident, LiveMonitor, LiveTraffic, LiveVisitors } from '../../src/live/schema.ts'
import { api, isUnauthenticated, withQuery } from './api.ts'
import { markConnected, markDisconnected, onConnectionChange } from './connection.ts'
import { type Overview, type OverviewMonitor, queryClient, queryKeys, updateCachedOverview } from './queries.ts'

interface LiveOptions {
  /** Receive every check of this monitor too, not only its status changes. */
  monitorId?: number
  /** Receive an event when this incident changes, for example because somebody acknowledges it or adds a note. */
  incidentId?: number
  /** Receive an event when this website gets traffic. */
  websiteId?: number
  onTraffic?: () => void
}

/**
 * Changes received while the overview is being fetched. The response may be older than these changes, so they are
 * applied to it too.
 */
const changesDuringFetch = new Map<number, LiveMonitor>()

/** The event doesn't name the incident, so the incident of an earlier outage is forgotten until the next fetch. */
function applyChange(monitor: OverviewMonitor, change: LiveMonitor): OverviewMonitor {
  const isSameIncident = change.down_since === monitor.down_since
  return { ...monitor, ...change, ...(!isSameIncident && { incident_id: null, acknowledged_at: null }) }
}

queryClient.getQueryCache().subscribe((event) => {
  if (changesDuringFetch.size === 0) return
  if (event.type !== 'updated' || event.action.type !== 'success' || event.action.manual) return
  if (event.query.queryKey[0] !== queryKeys.overview[0]) return
  updateCachedOverview((overview) => ({
    ...overview,
    monitors: overview.monitors.map((monitor) => {
      const change = changesDuringFetch.get(monitor.id)
      return change && change.status_changed_at > monitor.status_changed_at ? applyChange(monitor, change) : monitor
    }),
  }))
  // The first rows and the full overview are fetched separately. Keep the changes until both fetches have ended.
  if (queryClient.isFetching({ queryKey: queryKeys.overview }) === 0) changesDuringFetch.clear()
})

function applyMonitorChanges(changes: readonly LiveMonitor[]): void {
  const changeById = new Map(changes.map((change) => [change.id, change]))
  if (queryClient.isFetching({ queryKey: queryKeys.overview }) > 0) {
    for (const change of changes) changesDuringFetch.set(change.id, change)
  }
  const overview = queryClient.getQueryData<Overview>(queryKeys.overview)
  // One event can change thousands of monitors, so look them up in a set.
  const knownIds = new Set(overview?.monitors.map(({ id }) => id))
  if (overview !== undefined && changes.some(({ id }) => !knownIds.has(id))) {
    void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
  }
  updateCachedOverview((overview) => ({
    ...overview,
    monitors: overview.monitors.map((monitor) => {
      const change = changeById.get(monitor.id)
      return change === undefined ? monitor : applyChange(monitor, change)
    }),
  }))
  for (const { id } of changes) void queryClient.invalidateQueries({ queryKey: queryKeys.monitor(id) })
}

/** The overview of a user with thousands of monitors is expensive, so it is refetched at most this often. */
const MIN_REFRESH_INTERVAL_MS = 30_000
let refreshedAt = Number.NEGATIVE_INFINITY

function applyVisitorCounts(visitorsNow: Readonly<LiveVisitors>): void {
  let isTodaysCountOutdated = false
  updateCachedOverview((overview) => ({
    ...overview,
    websites: overview.websites.map((website) => {
      const count = visitorsNow[website.id]
      if (count === undefined) return website
      isTodaysCountOutdated ||= count > website.visitors_today
      return { ...website, visitors_now: count, has_traffic: website.has_traffic || count > 0 }
    }),
  }))
  // These events don't include today's visitors. If more visitors are on the website now than were counted today,
  // refetch today's count.
  if (!isTodaysCountOutdated || performance.now() - refreshedAt < MIN_REFRESH_INTERVAL_MS) return
  refreshedAt = performance.now()
  void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
}

/**
 * A maintenance began, ended or was changed. The event doesn't say which monitors it is for, so refetch everything that
 * shows maintenances.
 */
function applyMaintenanceChange(): void {
  for (const queryKey of [queryKeys.maintenances, queryKeys.overview, queryKeys.monitors]) {
    void queryClient.invalidateQueries({ queryKey })
  }
}

let isIncidentRefreshPlanned = false
let incidentsRefreshedAt = Number.NEGATIVE_INFINITY

/**
 * An incident began or ended, or somebody acknowledged it or changed its notes. The event doesn't say which one, so refetch
 * everything that shows incidents.
 */
function applyIncidentChange(): void {
  for (const queryKey of [queryKeys.allIncidents, queryKeys.monitorIncidents]) {
    void queryClient.invalidateQueries({ queryKey })
  }
  if (isIncidentRefreshPlanned) return
  isIncidentRefreshPlanned = true
  const refresh = () => {
    isIncidentRefreshPlanned = false
    incidentsRefreshedAt = performance.now()
    void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
  }
  // During a large outage, incidents begin every second, and the overview of thousands of monitors is expensive.
  const monitorCount = queryClient.getQueryData<Overview>(queryKeys.overview)?.monitors.length ?? 0
  const minIntervalMs = 1_000 + monitorCount
  setTimeout(refresh, Math.max(0, incidentsRefreshedAt + minIntervalMs - performance.now()))
}

/** Delay before reconnecting after an HTTP error. After a lost connection, EventSource reconnects by itself. */
const RECONNECT_DELAY_MS = 5_000
/** A server restart takes less time than this, so it doesn't show the connection notice. */
const DISCONNECTED_AFTER_MS = 5_000

interface StreamOptions extends LiveOptions {
  /** True if an earlier stream was open. Events between the two streams may have been missed. */
  isReconnect: boolean
  /** Called when the server responds with an HTTP error, after which EventSource doesn't reconnect. */
  onRejected: () => void
}

function openStream(options: StreamOptions): EventSource {
  const { monitorId, incidentId, websiteId, onTraffic, isReconnect, onRejected } = options
  const query = { monitor: monitorId, incident: incidentId, website: websiteId }
  const source = new EventSource(new URL(withQuery('api/live', query), document.baseURI))
  let mayHaveMissedEvents = isReconnect
  source.onopen = () => {
    markConnected()
    if (mayHaveMissedEvents) void queryClient.invalidateQueries()
    mayHaveMissedEvents = true
  }
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) onRejected()
    else setTimeout(() => source.readyState === EventSource.CONNECTING && markDisconnected(), DISCONNECTED_AFTER_MS)
  }
  const on = <T>(name: string, handle: (data: T) => void) =>
    source.addEventListener(name, (event) => handle(JSON.parse((event as MessageEvent<string>).data)))
  on<LiveMonitor[]>('monitors', applyMonitorChanges)
  on('incidents', applyIncidentChange)
  on<LiveIncident>('incident', ({ incident_id }) => {
    // The page shows the alerts about the incident, too.
    for (const queryKey of [queryKeys.incident(incident_id), queryKeys.allAlerts]) {
      void queryClient.invalidateQueries({ queryKey })
    }
  })
  on<LiveMonitor>('check', (change) => applyMonitorChanges([change]))
  on<LiveVisitors>('visitors', applyVisitorCounts)
  on('maintenances', applyMaintenanceChange)
  on<LiveTraffic>('traffic', () => onTraffic?.())
  return source
}

/**
 * Keeps a stream open while the page is visible. Browsers allow few connections per server, and hidden tabs would use
 * them up. Returns a function that ends the subscription.
 */
function subscribe(options: LiveOptions): () => void {
  let source: EventSource | undefined
  let reconnectTimer: ReturnType<typeof setTimeout> | undefined
  let isReconnect = false
  let isEnded = false
  let stopWaitingForSignIn = () => {}
  const connect = () => {
    clearTimeout(reconnectTimer)
    source?.close()
    source = undefined
    if (isEnded) return
    if (document.visibilityState !== 'hidden') source = openStream({ ...options, isReconnect, onRejected })
    isReconnect = true
  }
  const onRejected = () => {
    api.get('api/session').then(connectSoon, (error: unknown) => {
      if (isUnauthenticated(error)) stopWaitingForSignIn = onConnectionChange(connectSoon)
      else connectSoon()
    })
  }
  const connectSoon = () => {
    stopWaitingForSignIn()
    clearTimeout(reconnectTimer)
    if (!isEnded) reconnectTimer = setTimeout(connect, RECONNECT_DELAY_MS)
  }
  connect()
  document.addEventListener('visibilitychange', connect)
  return () => {
    isEnded = true
    stopWaitingForSignIn()
    document.removeEventListener('visibilitychange', connect)
    clearTimeout(reconnectTimer)
    source?.close()
  }
}

export function useLive({ monitorId, incidentId, websiteId, onTraffic }: LiveOptions = {}): void {
  const latestOnTraffic = useRef(onTraffic)
  latestOnTraffic.current = onTraffic
  useEffect(
    () =>
      subscribe({
        ...(monitorId !== undefined && { monitorId }),
        ...(incidentId !== undefined && { incidentId }),
        ...(websiteId !== undefined && { websiteId }),
        onTraffic: () => latestOnTraffic.current?.(),
      }),
    [monitorId, incidentId, websiteId],
  )
}
