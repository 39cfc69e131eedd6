/** The API requests of the website page. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import type { IncidentRecord } from '../../../src/incidents/schema.ts'
import { MAX_INCIDENT_PAGE_SIZE, MAX_PER_PAGE } from '../../../src/shared/limits.ts'
import { DAY_MS, MINUTE_MS } from '../../../src/shared/time.ts'
import type {
  PanelName,
  StatisticsOverview as Statistics,
  StatisticsListRow,
  StatisticsRow,
} from '../../../src/traffic/stats/schema.ts'
import { api, type ItemResponse, type ListResponse, type QueryValue, withQuery } from '../../lib/api.ts'
import { type OverviewMonitor, queryKeys } from '../../lib/queries.ts'
import type { DayRange } from './calendar.ts'
import { formatFilter } from './filters.ts'
import type { MonitorOutage } from './outages.ts'
import { parseRowsCsv } from './parse-rows-csv.ts'
import { DEFAULT_SORTING, type RowSorting, type RowSortKey } from './row-columns.ts'
import { selectInterval } from './slots.ts'
import { selectsSameWeekdays, type WebsiteView } from './view.ts'

export type { StatisticsOverview as Statistics } from '../../../src/traffic/stats/schema.ts'

/** The traffic that statistics are computed for. */
export type TrafficSelection = Pick<WebsiteView, 'from' | 'to' | 'filters'>

export type RowPage = ListResponse<
  StatisticsListRow,
  { total: number; from: number | null; to: number | null; last_page: number }
>

const toQueryParams = ({ from, to, filters }: TrafficSelection) => ({ from, to, filter: filters.map(formatFilter) })

export const buildPanelPath = (
  id: number,
  selection: TrafficSelection,
  query: {
    name: PanelName
    search?: string
    page?: number
    details?: true
    sort_by?: RowSortKey
    sort?: 'asc' | 'desc'
  },
) => withQuery(`api/v1/stats/${id}`, { ...toQueryParams(selection), ...query })

/** Visitors get no live updates, so their page polls while it is visible. */
const POLL_INTERVAL_MS = 30_000

export function useStatistics(
  id: number,
  view: WebsiteView,
  { isPolling, isEnabled }: { isPolling: boolean; isEnabled: boolean },
) {
  const params = {
    ...toQueryParams(view),
    interval: selectInterval(view, view.interval),
    // “All time” has no earlier period to compare with.
    ...(view.comparison !== 'off' &&
      view.period !== 'all' && {
        compare: view.comparison,
        ...(selectsSameWeekdays(view) && { match_weekday: true }),
      }),
  }
  return useQuery({
    queryKey: [...queryKeys.statistics(id), params],
    queryFn: ({ signal }) => getOverview(id, params, signal),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
    refetchInterval: isPolling ? POLL_INTERVAL_MS : false,
  })
}

const getOverview = async (id: number, params: Record<string, QueryValue>, signal: AbortSignal) =>
  (await api.get<ItemResponse<Statistics>>(withQuery(`api/v1/stats/${id}/overview`, params), signal)).data

/**
 * The first day with traffic, or null if there was none. Every statistics response contains this day, so the query
 * requests only the statistics of today.
 */
export function useFirstDay(id: number, today: string, isEnabled: boolean) {
  return useQuery({
    queryKey: queryKeys.firstDay(id),
    queryFn: async ({ signal }) => (await getOverview(id, { from: today, to: today }, signal)).website.first_day,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isEnabled,
  })
}

/** All visitors of the selected traffic. A visitor counts once a day, so the visitors of a range are the sum of its days. */
export function useVisitorTotal(id: number, selection: TrafficSelection, isEnabled: boolean) {
  const params = { ...toQueryParams(selection), name: 'visitors' }
  return useQuery({
    queryKey: [...queryKeys.statistics(id), 'visitors', params],
    queryFn: async ({ signal }) => {
      const { data } = await api.get<ListResponse<StatisticsRow>>(withQuery(`api/v1/stats/${id}`, params), signal)
      return data.reduce((sum, { count }) => sum + count, 0)
    },
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  })
}

export const ROWS_PER_PAGE = 25

export interface RowQuery {
  name: PanelName
  search: string
  page: number
  sorting: RowSorting
}

/** The path of the rows with details, as JSON or CSV. */
export const buildRowPath = (
  id: number,
  selection: TrafficSelection,
  { name, search, page, sorting }: Omit<RowQuery, 'page'> & { page?: number },
) =>
  buildPanelPath(id, selection, {
    name,
    ...(search !== '' && { search }),
    ...(page !== undefined && { page }),
    details: true,
    sort_by: sorting.key,
    sort: sorting.direction,
  })

export function useRowPage(id: number, selection: TrafficSelection, query: RowQuery, isEnabled: boolean) {
  return useQuery({
    queryKey: queryKeys.rowPage(id, toQueryParams(selection), query),
    queryFn: ({ signal }) =>
      api.get<RowPage>(`${buildRowPath(id, selection, query)}&per_page=${ROWS_PER_PAGE}`, signal),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  })
}

/** Fetches all rows of a panel with details. Only for panels with few rows, such as countries. */
export function useDetailedRows(id: number, selection: TrafficSelection, name: PanelName, isEnabled: boolean) {
  return useQuery({
    queryKey: queryKeys.rowPage(id, toQueryParams(selection), { name }),
    queryFn: async () => {
      const path = buildRowPath(id, selection, { name, search: '', sorting: DEFAULT_SORTING })
      return parseRowsCsv(await (await api.download(path, 'text/csv')).text())
    },
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
    // An ongoing outage costs more and more visits.
    refetchInterval: monitors.some(({ status }) => status === 'down') ? MINUTE_MS : false,
  })
}

function toOutage(monitorName: string, incident: IncidentRecord): MonitorOutage {
  const { id: incidentId, monitor_id: monitorId, cause, started_at: from, resolved_at: to } = incident
  const { impact, diagnosis } = incident
  return {
    monitorId,
    monitorName,
    incidentId,
    cause,
    from: Date.parse(from),
    to: to === null ? undefined : Date.parse(to),
    impact,
    diagnosis,
  }
}
