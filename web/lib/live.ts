/** Changes as the server tells them, put into what has been asked for already. */
import { useEffect, useRef } from 'preact/hooks'
import { api, isUnauthenticated, withQuery } from './api.ts'
import { markDisconnected, markConnected, onConnectionChange } from './connection.ts'
import { updateCachedOverview, queryKeys, type Overview, type OverviewMonitor, queryClient } from './queries.ts'

export type LiveMonitor = Pick<
  OverviewMonitor,
  'id' | 'status' | 'status_changed_at' | 'last_checked_at' | 'last_response_ms' | 'last_error'
>

interface Wanted {
  /** Of this one every check. */
  monitor?: number
  /** Of this one whenever something was counted. */
  website?: number
  onTraffic?: () => void
}

/** Told while an overview was on its way, which may be older than this. */
const heard = new Map<number, LiveMonitor>()

queryClient.getQueryCache().subscribe((event) => {
  if (heard.size === 0 || event.type !== 'updated' || event.action.type !== 'success' || event.action.manual) return
  if (event.query.queryKey[0] !== queryKeys.overview[0]) return
  updateCachedOverview((overview) => ({
    ...overview,
    monitors: overview.monitors.map((monitor) => {
      const change = heard.get(monitor.id)
      return change && change.status_changed_at > monitor.status_changed_at ? { ...monitor, ...change } : monitor
    }),
  }))
  heard.clear()
})

function takeMonitors(changed: readonly LiveMonitor[]): void {
  const byId = new Map(changed.map((monitor) => [monitor.id, monitor]))
  if (queryClient.isFetching({ queryKey: queryKeys.overview }) > 0) for (const one of changed) heard.set(one.id, one)
  const overview = queryClient.getQueryData<Overview>(queryKeys.overview)
  // Thousands may change at once.
  const known = new Set(overview?.monitors.map(({ id }) => id))
  if (overview !== undefined && changed.some(({ id }) => !known.has(id))) {
    void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
  }
  updateCachedOverview((overview) => ({
    ...overview,
    monitors: overview.monitors.map((monitor) => {
      const change = byId.get(monitor.id)
      return change === undefined ? monitor : { ...monitor, ...change }
    }),
  }))
  for (const { id } of changed) void queryClient.invalidateQueries({ queryKey: queryKeys.monitor(id) })
}

function takeVisitors(now: Readonly<Record<string, number>>): void {
  updateCachedOverview((overview) => ({
    ...overview,
    websites: overview.websites.map((website) => {
      const count = now[website.id]
      if (count === undefined) return website
      return { ...website, visitors_now: count, has_traffic: website.has_traffic || count > 0 }
    }),
  }))
}

/** A browser connects again by itself unless it was refused; then we do, and notice where nobody is signed in any more. */
const AGAIN_MS = 5_000
const AWAY_MS = 5_000

interface Connection extends Wanted {
  /** Whether somebody listened before, and may have missed something. */
  isAgain: boolean
  onRefused: () => void
}

function open({ monitor, website, onTraffic, isAgain, onRefused }: Connection): EventSource {
  const source = new EventSource(new URL(withQuery('api/live', { monitor, website }), document.baseURI))
  let wasOpen = isAgain
  source.onopen = () => {
    markConnected()
    // Whatever happened while nobody listened is asked for.
    if (wasOpen) void queryClient.invalidateQueries()
    wasOpen = true
  }
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) onRefused()
    // It is tried again by itself. A restart is quick and nothing to speak of.
    else setTimeout(() => source.readyState === EventSource.CONNECTING && markDisconnected(), AWAY_MS)
  }
  const on = <T>(name: string, take: (data: T) => void) =>
    source.addEventListener(name, (event) => take(JSON.parse((event as MessageEvent<string>).data)))
  on<LiveMonitor[]>('monitors', takeMonitors)
  on<LiveMonitor>('check', (one) => takeMonitors([one]))
  on<Record<string, number>>('visitors', takeVisitors)
  on<{ website_id: number }>('traffic', () => onTraffic?.())
  return source
}

/** Only while the page is seen: a browser has few connections to a server, and many tabs would take them all. */
function follow(wanted: Wanted): () => void {
  let source: EventSource | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let isAgain = false
  let isOver = false
  let letGo = () => {}
  const connect = () => {
    clearTimeout(again)
    source?.close()
    source = undefined
    if (isOver) return
    if (document.visibilityState !== 'hidden') source = open({ ...wanted, isAgain, onRefused })
    isAgain = true
  }
  const onRefused = () => {
    api.get('api/session').then(connectSoon, (error: unknown) => {
      if (isUnauthenticated(error)) letGo = onConnectionChange(connectSoon)
      else connectSoon()
    })
  }
  const connectSoon = () => {
    letGo()
    clearTimeout(again)
    if (!isOver) again = setTimeout(connect, AGAIN_MS)
  }
  connect()
  document.addEventListener('visibilitychange', connect)
  return () => {
    isOver = true
    letGo()
    document.removeEventListener('visibilitychange', connect)
    clearTimeout(again)
    source?.close()
  }
}

export function useLive({ monitor, website, onTraffic }: Wanted = {}): void {
  const latest = useRef(onTraffic)
  latest.current = onTraffic
  useEffect(
    () =>
      follow({
        ...(monitor !== undefined && { monitor }),
        ...(website !== undefined && { website }),
        onTraffic: () => latest.current?.(),
      }),
    [monitor, website],
  )
}
