/** What the page of a monitor asks for. All of it is kept by monitor, so that a change can ask for the right parts again. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/preact-query'
import type { AlertRecord } from '../../../src/alerts/schema.ts'
import type { IncidentList } from '../../../src/incidents/schema.ts'
import type { CheckSeries } from '../../../src/results/schema.ts'
import { MAX_ALERT_PAGE_SIZE, MAX_INCIDENT_PAGE_SIZE } from '../../../src/shared/limits.ts'
import { api, type ListResponse, withQuery } from '../../lib/api.ts'
import { queryKeys } from '../../lib/queries.ts'

export type WindowName = CheckSeries['meta']['window']
export type Check = CheckSeries['meta']['recent'][number]
export type Incident = IncidentList['data'][number]
export type { AlertRecord as Alert }

export const windows = ['24h', '30d', '6mo', '1y'] as const satisfies readonly WindowName[]

/** Of a day every check can be seen; longer windows change slowly, and are long to read. */
const SLOW_MS = 60_000

export function useChecks(id: number, window: WindowName) {
  return useQuery({
    queryKey: queryKeys.checksOf(id, window),
    queryFn: ({ signal }) => api.get<CheckSeries>(withQuery(`api/monitors/${id}/checks`, { window }), signal),
    placeholderData: keepPreviousData,
    refetchInterval: window === '24h' ? false : SLOW_MS,
  })
}

export function useIncidents(id: number, window: WindowName) {
  return useInfiniteQuery({
    queryKey: [...queryKeys.incidents(id), window],
    queryFn: ({ pageParam, signal }) =>
      api.get<IncidentList>(
        withQuery(`api/monitors/${id}/incidents`, { window, page: pageParam, pageSize: MAX_INCIDENT_PAGE_SIZE }),
        signal,
      ),
    initialPageParam: 1,
    getNextPageParam: ({ meta }) => (meta.page < meta.totalPages ? meta.page + 1 : undefined),
    placeholderData: keepPreviousData,
  })
}

/** While one waits for its next attempt. */
const WAITING_MS = 2_000

/** What was said about these incidents, newest first; of very many messages only the newest. */
export function useSent(id: number, incidentIds: readonly number[]) {
  return useQuery({
    queryKey: [...queryKeys.sent(id), incidentIds],
    queryFn: ({ signal }) =>
      api.get<ListResponse<AlertRecord>>(
        withQuery(`api/monitors/${id}/notifications/log`, { incident_id: incidentIds, pageSize: MAX_ALERT_PAGE_SIZE }),
        signal,
      ),
    enabled: incidentIds.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some((alert) => alert.state === 'waiting') ? WAITING_MS : false),
  })
}
