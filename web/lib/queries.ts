/** The query client, its keys, and queries that several pages use. */
import { QueryClient, queryOptions, useQuery } from '@tanstack/preact-query'
import { useEffect, useState } from 'preact/hooks'
import type { MonitorRecord } from '../../src/monitors/schema.ts'
import type { Overview as OverviewData } from '../../src/overview/schema.ts'
import type { WebsiteRecord } from '../../src/websites/schema.ts'
import { afterPaint } from './after-paint.ts'
import { ApiProblem, api, type ItemResponse, withQuery } from './api.ts'
import { getFirstOverviewPath } from './first-overview-path.ts'
import { browserTimeZone } from './format.ts'
import { decodeOverview, isGenerating, type Overview } from './overview.ts'
import { serverClock } from './server-clock.ts'

export type { Overview, OverviewMonitor, OverviewWebsite } from './overview.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A rejected request would fail again, but an unreachable server or a server error may recover.
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiProblem && (error.status === 0 || error.status >= 500),
    },
  },
})

/** All query keys in one place, so that no two collide. Invalidating a key also invalidates the keys that start with it. */
export const queryKeys = {
  overview: ['overview'] as const,
  /** The top of the overview. See `useOverviewInTwoSteps`. */
  firstOverview: ['overview', 'first'] as const,
  monitors: ['monitor'] as const,
  monitor: (id: number) => ['monitor', id] as const,
  checks: (monitorId: number) => ['checks', monitorId] as const,
  checksInWindow: (monitorId: number, window: string) => [...queryKeys.checks(monitorId), window] as const,
  uptime: (monitorId: number) => ['uptime', monitorId] as const,
  beats: (monitorId: number) => ['beats', monitorId] as const,
  monitorIncidents: ['incidents'] as const,
  incidents: (monitorId: number) => [...queryKeys.monitorIncidents, monitorId] as const,
  /** Incidents of all monitors. The keys of one monitor's incidents are separate, because its page shows them for a window of time. */
  incidentLists: ['all-incidents', 'list'] as const,
  incidentList: (query: object) => [...queryKeys.incidentLists, query] as const,
  allIncidents: ['all-incidents'] as const,
  incident: (id: number) => ['all-incidents', id] as const,
  allAlerts: ['alerts'] as const,
  alerts: (monitorId: number) => [...queryKeys.allAlerts, monitorId] as const,
  assignments: (monitorId: number) => ['assignments', monitorId] as const,
  website: (id: number) => ['website', id] as const,
  arrivals: (websiteId: number) => [...queryKeys.website(websiteId), 'arrivals'] as const,
  registrableDomain: (websiteId: number) => [...queryKeys.website(websiteId), 'registrable-domain'] as const,
  silenceReplay: (websiteId: number, settings: object) =>
    [...queryKeys.website(websiteId), 'silence-replay', settings] as const,
  trafficMonitor: (websiteId: number) => [...queryKeys.website(websiteId), 'traffic-monitor'] as const,
  dropped: (websiteId: number) => [...queryKeys.website(websiteId), 'dropped'] as const,
  exclusions: (websiteId: number, lines: string) => [...queryKeys.website(websiteId), 'exclusions', lines] as const,
  statistics: (websiteId: number) => ['statistics', websiteId] as const,
  firstDay: (websiteId: number) => ['first-day', websiteId] as const,
  rowPage: (websiteId: number, selection: object, query: object) => ['row-page', websiteId, selection, query] as const,
  allRows: (websiteId: number, selection: object, name: string) => ['all-rows', websiteId, selection, name] as const,
  outages: (window: string | undefined, monitors: readonly object[]) => ['outages', window, monitors] as const,
  outageSum: (websiteId: number, range: object, monitors: readonly object[]) =>
    ['outage-sum', websiteId, range, monitors] as const,
  channels: ['channels'] as const,
  channelList: ['channels', 'list'] as const,
  channel: (id: number) => ['channels', id] as const,
  channelMonitors: (id: number) => [...queryKeys.channel(id), 'monitors'] as const,
  channelMonitorCount: (id: number) => [...queryKeys.channel(id), 'monitors', 'count'] as const,
  maintenances: ['maintenances'] as const,
  maintenanceList: (state: string) => ['maintenances', 'list', state] as const,
  maintenance: (id: number) => ['maintenances', id] as const,
  statusPages: ['status-pages'] as const,
  statusPageList: ['status-pages', 'list'] as const,
  statusPage: (id: number) => ['status-pages', id] as const,
  // Posts list the incidents that they are about, so they are refetched together.
  statusPosts: (pageId: number) => ['all-incidents', 'posts', pageId] as const,
  statusPostList: (pageId: number, state: string) => [...queryKeys.statusPosts(pageId), 'list', state] as const,
  statusPost: (pageId: number, postId: number) => [...queryKeys.statusPosts(pageId), postId] as const,
  postTemplates: ['post-templates'] as const,
  statusSubscribers: (pageId: number) => ['status-subscribers', pageId] as const,
  account: ['account'] as const,
  security: ['security'] as const,
  sessions: ['sessions'] as const,
  identity: ['identity'] as const,
  signInMethods: ['sign-in-methods'] as const,
  invitation: (token: string) => ['invitation', token] as const,
  audit: (query: object) => ['audit', query] as const,
  team: ['team'] as const,
  invitations: ['team', 'invitations'] as const,
  members: ['team', 'members'] as const,
  apiKeys: ['api-keys'] as const,
  users: ['users'] as const,
  serverProblems: ['server-problems'] as const,
  serverSettings: ['server-settings'] as const,
  goLive: ['server-settings', 'go-live'] as const,
  privateTarget: (host: string) => ['server-settings', 'private-target', host] as const,
}

const overviewPath = withQuery('api/overview', { time_zone: browserTimeZone })

async function fetchOverview(path: string, signal: AbortSignal): Promise<Overview> {
  const { data } = await api.get<ItemResponse<OverviewData>>(path, signal)
  serverClock.synchronize(new Date(data.now).toISOString())
  return decodeOverview(data)
}

/** While visits of the sample shop are being generated, maybe in another tab, the overview is fetched this often. */
const GENERATING_REFETCH_MS = 3_000

export const overviewQuery = queryOptions({
  queryKey: queryKeys.overview,
  queryFn: ({ signal }) => fetchOverview(overviewPath, signal),
  refetchInterval: ({ state }) => (state.data?.websites.some(isGenerating) ? GENERATING_REFETCH_MS : false),
})

/** Reads a summary of every website and monitor. Many pages and forms use it, and they share one cached response. */
export const useOverview = (options: { staleTime?: number } = {}) => useQuery({ ...overviewQuery, ...options })

const countUnacknowledged = ({ monitors }: Overview) =>
  monitors.filter(({ status, acknowledged_at }) => status === 'down' && acknowledged_at === null).length

/** How many ongoing incidents nobody has acknowledged. Sends no request: undefined until another component fetches the overview. */
export const useUnacknowledgedCount = (): number | undefined =>
  useQuery({ ...overviewQuery, enabled: false, select: countUnacknowledged }).data

/** The request for all rows starts this long after the first rows are painted, so that it doesn't compete with painting for the CPU. */
const FULL_REQUEST_DELAY_MS = 100

/**
 * Like `useOverview`, but first fetches only the rows at the top, so that a page with thousands of rows is painted early. Until
 * the others arrive, `is_complete` of the data is false.
 */
export function useOverviewInTwoSteps() {
  const isCached = queryClient.getQueryData(queryKeys.overview) !== undefined
  const first = useQuery({
    queryKey: queryKeys.firstOverview,
    queryFn: async ({ signal }) => {
      const overview = await fetchOverview(getFirstOverviewPath(), signal)
      if (overview.is_complete) queryClient.setQueryData(queryKeys.overview, overview)
      return overview
    },
    enabled: !isCached,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const [isFullRequestDue, setFullRequestDue] = useState(false)
  const isDelayed = first.data?.is_complete === false && !isFullRequestDue
  useEffect(() => {
    if (!isDelayed) return
    return afterPaint(() => setFullRequestDue(true), FULL_REQUEST_DELAY_MS)
  }, [isDelayed])
  const full = useQuery({ ...overviewQuery, enabled: isCached || isFullRequestDue })
  const refetch = first.data === undefined && !isCached ? first.refetch : full.refetch
  return { data: full.data ?? first.data, error: full.error ?? first.error, refetch }
}

/** Changes the cached overview. Keeps its timestamp, so that the next refetch happens as scheduled. */
export function updateCachedOverview(change: (overview: Overview) => Overview): void {
  for (const queryKey of [queryKeys.overview, queryKeys.firstOverview]) {
    const updatedAt = queryClient.getQueryState(queryKey)?.dataUpdatedAt
    queryClient.setQueryData<Overview>(
      queryKey,
      (overview) => overview && change(overview),
      updatedAt === undefined ? {} : { updatedAt },
    )
  }
}

export function useMonitor(id: number) {
  return useQuery({
    queryKey: queryKeys.monitor(id),
    queryFn: async ({ signal }) => (await api.get<ItemResponse<MonitorRecord>>(`api/monitors/${id}`, signal)).data,
  })
}

export function useWebsite(id: number) {
  return useQuery({
    queryKey: queryKeys.website(id),
    queryFn: async ({ signal }) => (await api.get<ItemResponse<WebsiteRecord>>(`api/v1/websites/${id}`, signal)).data,
  })
}
