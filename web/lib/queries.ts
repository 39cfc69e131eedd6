/** The query client, its keys, and queries that several pages use. */
import { QueryClient, useQuery } from '@tanstack/preact-query'
import type { MonitorRecord } from '../../src/monitors/schema.ts'
import type { Overview } from '../../src/overview/schema.ts'
import type { WebsiteRecord } from '../../src/websites/schema.ts'
import { ApiProblem, api, type ItemResponse, withQuery } from './api.ts'
import { browserTimeZone } from './format.ts'

export type { Overview } from '../../src/overview/schema.ts'
export type OverviewWebsite = Overview['websites'][number]
export type OverviewMonitor = Overview['monitors'][number]

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A rejected request fails again, but an unreachable server or a server error may recover.
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiProblem && (error.status === 0 || error.status >= 500),
    },
  },
})

/** All query keys in one place, so that no two collide. Invalidating a key also invalidates the keys that start with it. */
export const queryKeys = {
  overview: ['overview'] as const,
  monitor: (id: number) => ['monitor', id] as const,
  checks: (monitorId: number) => ['checks', monitorId] as const,
  checksInWindow: (monitorId: number, window: string) => [...queryKeys.checks(monitorId), window] as const,
  incidents: (monitorId: number) => ['incidents', monitorId] as const,
  alerts: (monitorId: number) => ['alerts', monitorId] as const,
  assignments: (monitorId: number) => ['assignments', monitorId] as const,
  website: (id: number) => ['website', id] as const,
  dropped: (websiteId: number) => [...queryKeys.website(websiteId), 'dropped'] as const,
  exclusions: (websiteId: number, lines: string) => [...queryKeys.website(websiteId), 'exclusions', lines] as const,
  statistics: (websiteId: number) => ['statistics', websiteId] as const,
  series: (websiteId: number, name: string, selection: object) => ['series', websiteId, name, selection] as const,
  rowPage: (websiteId: number, selection: object, query: object) => ['row-page', websiteId, selection, query] as const,
  allRows: (websiteId: number, selection: object, name: string) => ['all-rows', websiteId, selection, name] as const,
  outages: (window: string | undefined, monitors: readonly object[]) => ['outages', window, monitors] as const,
  providers: ['providers'] as const,
  providerList: ['providers', 'list'] as const,
  provider: (id: number) => ['providers', id] as const,
  providerMonitors: (id: number) => [...queryKeys.provider(id), 'monitors'] as const,
  providerMonitorCount: (id: number) => [...queryKeys.provider(id), 'monitors', 'count'] as const,
  apiKeys: ['api-keys'] as const,
  users: ['users'] as const,
}

/** A summary of every website and monitor, shown on the overview, in the monitor list and in search. */
export function useOverview() {
  return useQuery({
    queryKey: queryKeys.overview,
    queryFn: async ({ signal }) =>
      (await api.get<ItemResponse<Overview>>(withQuery('api/overview', { time_zone: browserTimeZone }), signal)).data,
  })
}

/** Changes the cached overview. Keeps its timestamp, so that the next refetch happens as scheduled. */
export function updateCachedOverview(change: (overview: Overview) => Overview): void {
  const updatedAt = queryClient.getQueryState(queryKeys.overview)?.dataUpdatedAt
  queryClient.setQueryData<Overview>(
    queryKeys.overview,
    (overview) => overview && change(overview),
    updatedAt === undefined ? {} : { updatedAt },
  )
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
