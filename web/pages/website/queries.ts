/** The API requests of the website page. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import type { IncidentRecord } from '../../../src/incidents/schema.ts'
import { MAX_INCIDENT_PAGE_SIZE, MAX_PER_PAGE } from '../../../src/shared/limits.ts'
import { DAY_MS } from '../../../src/shared/time.ts'
import type { PanelName, StatisticsOverview as Statistics, StatisticsRow } from '../../../src/traffic/stats/schema.ts'
import { api, type ItemResponse, type ListResponse, withQuery } from '../../lib/api.ts'
import { type OverviewMonitor, queryKeys } from '../../lib/queries.ts'
import { formatFilter } from './filters.ts'
import type { MonitorOutage } from './outages.ts'
import type { DayRange } from './period.ts'
import type { WebsiteView } from './view.ts'

export type { StatisticsOverview as Statistics } from '../../../src/traffic/stats/schema.ts'

/** The traffic that statistics are computed for. */
export type TrafficSelection = Pick<WebsiteView, 'from' | 'to' | 'filters'>

export type RowPage = ListResponse<
  StatisticsRow,
  { total: number; from: number | null; to: number | null; last_page: number }
>

const toQueryParams = ({ from, to, filters }: TrafficSelection) => ({ from, to, filter: filters.map(formatFilter) })

export const buildPanelPath = (
  id: number,
  selection: TrafficSelection,
  query: { name: PanelName; search?: string; page?: number },
) => withQuery(`api/v1/stats/${id}`, { ...toQueryParams(selection), ...query })

/** Guests get no live updates, so their page polls while it is visible. */
const POLL_INTERVAL_MS = 30_000

export function useStatistics(
  id: number,
  selection: TrafficSelection,
  { isPolling, isEnabled }: { isPolling: boolean; isEnabled: boolean },
) {
  return useQuery({
    queryKey: [...queryKeys.statistics(id), toQueryParams(selection)],
    queryFn: async ({ signal }) => {
      const path = withQuery(`api/v1/stats/${id}/overview`, { ...toQueryParams(selection), compare: 'previous' })
      return (await api.get<ItemResponse<Statistics>>(path, signal)).data
    },
    placeholderData: keepPreviousData,
    enabled: isEnabled,
    refetchInterval: isPolling ? POLL_INTERVAL_MS : false,
  })
}

export type Metric = 'visitors' | 'pageviews'

/** The previous period, drawn as a second line of the chart. */
export function usePreviousSeries(
  id: number,
  {
    previous,
    series: { unit },
    filters,
    metric,
  }: Pick<Statistics, 'previous' | 'series'> & {
    filters: WebsiteView['filters']
    metric: Metric
  },
  isEnabled: boolean,
) {
  const selection: TrafficSelection = { from: previous?.from ?? '', to: previous?.to ?? '', filters }
  const name = unit === 'hour' ? (`${metric}_hours` as const) : metric
  return useQuery({
    queryKey: queryKeys.series(id, name, toQueryParams(selection)),
    queryFn: async ({ signal }) => {
      const path = withQuery(`api/v1/stats/${id}`, { ...toQueryParams(selection), name })
      return (await api.get<ListResponse<StatisticsRow>>(path, signal)).data.map(({ count }) => count)
    },
    enabled: isEnabled && previous !== null,
  })
}

export const ROWS_PER_PAGE = 25

export function useRowPage(
  id: number,
  selection: TrafficSelection,
  query: { name: PanelName; search: string; page: number },
  isEnabled: boolean,
) {
  return useQuery({
    queryKey: queryKeys.rowPage(id, toQueryParams(selection), query),
    queryFn: ({ signal }) =>
      api.get<RowPage>(`${buildPanelPath(id, selection, query)}&per_page=${ROWS_PER_PAGE}`, signal),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  })
}

/** Fetches all rows of a panel. Only for panels with few rows, such as countries. */
export function useAllRows(id: number, selection: TrafficSelection, name: PanelName, isEnabled = true) {
  return useQuery({
    queryKey: queryKeys.allRows(id, toQueryParams(selection), name),
    queryFn: async ({ signal }) => {
      const getPage = (page: number) =>
        api.get<RowPage>(`${buildPanelPath(id, selection, { name, page })}&per_page=${MAX_PER_PAGE}`, signal)
      const first = await getPage(1)
      const others = Array.from({ length: first.meta.last_page - 1 }, (_, index) => getPage(index + 2))
      return [first, ...(await Promise.all(others))].flatMap(({ data }) => data)
    },
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  })
}

/** Each monitor takes one request, so the chart shows the outages of at most this many monitors. */
const MAX_MONITORS_WITH_OUTAGES = 20

/**
 * Returns the shortest window of the incidents API that covers the range. In time zones ahead of UTC, the first day starts
 * before `Date.parse(from)`, so `30d` and `6mo` must be a day longer than the range. `1y` is returned even if it lacks the
 * first day. For still longer ranges, no window is long enough.
 */
function chooseIncidentWindow({ from }: DayRange): '30d' | '6mo' | '1y' | undefined {
  const days = (Date.now() - Date.parse(from)) / DAY_MS
  if (days <= 29) return '30d'
  if (days <= 180) return '6mo'
  return days <= 366 ? '1y' : undefined
}

export function useOutages(monitors: readonly OverviewMonitor[], range: DayRange) {
  const window = chooseIncidentWindow(range)
  // `at` changes when an incident starts or ends. As part of the query key, it causes a refetch of the outages.
  const queriedMonitors = monitors
    .slice(0, MAX_MONITORS_WITH_OUTAGES)
    .map(({ id, friendly_name: name, status_changed_at: at }) => ({ id, name, at }))
  return useQuery({
    queryKey: queryKeys.outages(window, queriedMonitors),
    queryFn: async ({ signal }) => {
      const outages = await Promise.all(
        queriedMonitors.map(async ({ id, name }) => {
          const path = withQuery(`api/monitors/${id}/incidents`, { window, pageSize: MAX_INCIDENT_PAGE_SIZE })
          const { data } = await api.get<ListResponse<IncidentRecord>>(path, signal)
          return data.map((incident) => toOutage(name, incident))
        }),
      )
      return outages.flat()
    },
    placeholderData: keepPreviousData,
    enabled: window !== undefined && queriedMonitors.length > 0,
  })
}

function toOutage(monitorName: string, { started_at: from, resolved_at: to }: IncidentRecord): MonitorOutage {
  return { monitorName, from: Date.parse(from), to: to === null ? undefined : Date.parse(to) }
}
