/** Queries of the monitor page. Keys contain the monitor ID, so that a status change refetches one monitor's data. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/preact-query'
import type { AlertRecord } from '../../../src/alerts/schema.ts'
import type { IncidentList } from '../../../src/incidents/schema.ts'
import type { CheckSeries } from '../../../src/results/schema.ts'
import { MAX_ALERT_PAGE_SIZE, MAX_INCIDENT_PAGE_SIZE } from '../../../src/shared/limits.ts'
import { api, type ListResponse, withQuery } from '../../lib/api.ts'
import { queryKeys } from '../../lib/queries.ts'

export type MonitorWindow = CheckSeries['meta']['window']
export type RecentCheck = CheckSeries['meta']['recent'][number]
export type Incident = IncidentList['data'][number]
export type { AlertRecord as Alert }

export const monitorWindows = ['24h', '30d', '6mo', '1y'] as const satisfies readonly MonitorWindow[]

/** Longer windows change slowly and are expensive to query. The 24-hour window is refetched after every check. */
const LONG_WINDOW_REFETCH_MS = 60_000

export function useChecks(monitorId: number, window: MonitorWindow) {
  return useQuery({
    queryKey: queryKeys.checksInWindow(monitorId, window),
    queryFn: ({ signal }) => api.get<CheckSeries>(withQuery(`api/monitors/${monitorId}/checks`, { window }), signal),
    placeholderData: keepPreviousData,
    refetchInterval: window === '24h' ? false : LONG_WINDOW_REFETCH_MS,
  })
}

/** Fetches as many incidents as one response can hold, because the chart shades all of them. */
export function useIncidents(monitorId: number, window: MonitorWindow) {
  return useInfiniteQuery({
    queryKey: [...queryKeys.incidents(monitorId), window],
    queryFn: ({ pageParam: page, signal }) =>
      api.get<IncidentList>(
        withQuery(`api/monitors/${monitorId}/incidents`, { window, page, pageSize: MAX_INCIDENT_PAGE_SIZE }),
        signal,
      ),
    initialPageParam: 1,
    getNextPageParam: ({ meta }) => (meta.page < meta.totalPages ? meta.page + 1 : undefined),
    placeholderData: keepPreviousData,
  })
}

/** How often alerts are refetched while one waits for its next delivery attempt. */
const PENDING_ALERT_REFETCH_MS = 2_000

/** The newest alerts of these incidents, newest first, up to the size of one response. */
export function useAlerts(monitorId: number, incidentIds: readonly number[]) {
  return useQuery({
    queryKey: [...queryKeys.alerts(monitorId), incidentIds],
    queryFn: ({ signal }) =>
      api.get<ListResponse<AlertRecord>>(
        withQuery(`api/monitors/${monitorId}/notifications/log`, {
          incident_id: incidentIds,
          pageSize: MAX_ALERT_PAGE_SIZE,
        }),
        signal,
      ),
    enabled: incidentIds.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.data.some((alert) => alert.state === 'waiting') ? PENDING_ALERT_REFETCH_MS : false,
  })
}
