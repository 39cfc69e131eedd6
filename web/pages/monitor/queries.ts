/** Queries of the monitor page. Keys contain the monitor ID, so that a status change refetches one monitor's data. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/preact-query'
import type { AlertRecord } from '../../../src/alerts/schema.ts'
import type { BeatList } from '../../../src/heartbeats/schema.ts'
import type { IncidentVisitsRecord } from '../../../src/impact/schema.ts'
import type { IncidentList } from '../../../src/incidents/schema.ts'
import type { CheckSeries } from '../../../src/results/schema.ts'
import type { UptimeRecord } from '../../../src/results/uptime-schema.ts'
import { MAX_ALERT_PAGE_SIZE, MAX_INCIDENT_PAGE_SIZE } from '../../../src/shared/limits.ts'
import type { MonitorType } from '../../../src/shared/monitors.ts'
import { MINUTE_MS } from '../../../src/shared/time.ts'
import { api, type ItemResponse, type ListResponse, withQuery } from '../../lib/api.ts'
import { browserTimeZone } from '../../lib/format.ts'
import { queryKeys } from '../../lib/queries.ts'
import { serverClock } from '../../lib/server-clock.ts'

export type ChartWindow = CheckSeries['meta']['window']
export type IncidentWindow = IncidentList['meta']['window']
export type Uptime = UptimeRecord
export type UptimePeriod = UptimeRecord['periods'][number]
export type RecentCheck = CheckSeries['meta']['recent'][number]
export type Incident = IncidentList['data'][number]
export type { AlertRecord as Alert }

/** The windows from short to long. */
export const incidentWindows = ['24h', '30d', '6mo', '1y'] as const satisfies readonly IncidentWindow[]
export const chartWindows = ['1h', ...incidentWindows] as const satisfies readonly ChartWindow[]

/** The incidents API has no window of one hour. */
export const toIncidentWindow = (window: ChartWindow): IncidentWindow => (window === '1h' ? '24h' : window)

/**
 * How often the last hour and the windows longer than 24 hours are refetched. Only the 24-hour window is refetched
 * after every check. Longer windows change slowly and are expensive to query. The response with the last hour is large
 * for a monitor that is checked every few seconds; see `mergeChecks`.
 */
const REFETCH_INTERVAL_MS = 60_000
const BEAT_REFETCH_INTERVAL_MS = 15_000

export function useChecks(monitorId: number, window: ChartWindow) {
  return useQuery({
    queryKey: queryKeys.checksInWindow(monitorId, window),
    queryFn: async ({ signal }) => {
      const series = await api.get<CheckSeries>(withQuery(`api/monitors/${monitorId}/checks`, { window }), signal)
      serverClock.synchronize(series.meta.to)
      return series
    },
    refetchInterval: window === '24h' ? false : REFETCH_INTERVAL_MS,
    // The chart of single checks looks different from the others. Showing the previous window until its data arrives
    // would only flicker.
    ...(window !== '1h' && { placeholderData: keepPreviousData }),
  })
}

/** All uptime figures of the page come from one response, so that they agree. */
export function useUptime(monitorId: number) {
  return useQuery({
    queryKey: queryKeys.uptime(monitorId),
    queryFn: async ({ signal }) => {
      const path = withQuery(`api/monitors/${monitorId}/uptime`, { time_zone: browserTimeZone })
      const { data } = await api.get<ItemResponse<UptimeRecord>>(path, signal)
      serverClock.synchronize(data.to)
      return data
    },
    refetchInterval: REFETCH_INTERVAL_MS,
  })
}

/** How often incidents are refetched while the impact of recent incidents changes. */
const IMPACT_REFETCH_MS = 30_000
/**
 * After the end of an incident, its impact still changes, because events can arrive late. Most late events arrive in
 * the first minutes.
 */
const LATE_EVENTS_MS = 10 * MINUTE_MS

const isImpactChanging = ({ resolved_at }: Incident) =>
  resolved_at === null || Date.parse(resolved_at) > serverClock.now - LATE_EVENTS_MS

/** Fetches as many incidents as one response can hold, because the chart shades all of them. */
export function useIncidents(monitorId: number, window: IncidentWindow, enabled = true) {
  return useInfiniteQuery({
    enabled,
    queryKey: [...queryKeys.incidents(monitorId), window],
    queryFn: async ({ pageParam: page, signal }) => {
      const query = { window, page, pageSize: MAX_INCIDENT_PAGE_SIZE }
      const list = await api.get<IncidentList>(withQuery(`api/monitors/${monitorId}/incidents`, query), signal)
      serverClock.synchronize(list.meta.to)
      return list
    },
    initialPageParam: 1,
    getNextPageParam: ({ meta }) => (meta.page < meta.totalPages ? meta.page + 1 : undefined),
    placeholderData: keepPreviousData,
    // The server measures the impact of a recent incident repeatedly.
    refetchInterval: ({ state }) => (state.data?.pages[0]?.data.some(isImpactChanging) ? IMPACT_REFETCH_MS : false),
  })
}

/** How often the visits around an ongoing incident are refetched. */
const VISITS_REFETCH_INTERVAL_MS = 60_000

/** The visits before, during and after an incident, in slots of at least five minutes. */
export function useIncidentVisits({ id, monitor_id, status }: Pick<Incident, 'id' | 'monitor_id' | 'status'>) {
  return useQuery({
    queryKey: [...queryKeys.incidents(monitor_id), 'visits', id],
    queryFn: async ({ signal }) =>
      (await api.get<ItemResponse<IncidentVisitsRecord>>(`api/monitors/${monitor_id}/incidents/${id}/visits`, signal))
        .data,
    refetchInterval: status === 'open' ? VISITS_REFETCH_INTERVAL_MS : false,
  })
}

/**
 * The latest beats of a heartbeat. Refetched regularly, because live updates announce only checks, and the start of a
 * job is not a check.
 */
export function useBeats({ id, type }: { id: number; type: MonitorType }) {
  return useQuery({
    queryKey: queryKeys.beats(id),
    queryFn: ({ signal }) => api.get<BeatList>(`api/monitors/${id}/beats`, signal),
    enabled: type === 'heartbeat',
    refetchInterval: BEAT_REFETCH_INTERVAL_MS,
  })
}

/** How often alerts are refetched while one waits for its next delivery attempt. */
const PENDING_ALERT_REFETCH_MS = 2_000

/**
 * Fetches the newest alerts of these incidents, or of the whole monitor if no ids are given. They are sorted newest
 * first, and limited to one response.
 */
export function useAlerts(monitorId: number, incidentIds?: readonly number[]) {
  return useQuery({
    queryKey: [...queryKeys.alerts(monitorId), incidentIds ?? 'all'],
    queryFn: ({ signal }) =>
      api.get<ListResponse<AlertRecord>>(
        withQuery(`api/monitors/${monitorId}/notifications/log`, {
          incident_id: incidentIds,
          pageSize: MAX_ALERT_PAGE_SIZE,
        }),
        signal,
      ),
    enabled: incidentIds === undefined || incidentIds.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.data.some((alert) => alert.state === 'waiting') ? PENDING_ALERT_REFETCH_MS : false,
  })
}
