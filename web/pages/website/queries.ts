/** What the page of a website asks for. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import type { IncidentRecord } from '../../../src/incidents/schema.ts'
import type { PanelName, Overview as Statistics, StatisticsRow } from '../../../src/traffic/stats/schema.ts'
import { api, type ListResponse, type ItemResponse, withQuery } from '../../lib/api.ts'
import { queryKeys, type OverviewMonitor } from '../../lib/queries.ts'
import { filterText } from './filters.ts'
import type { Outage } from './outages.ts'
import type { DayRange } from './period.ts'
import type { View } from './view.ts'

export type { Overview as Statistics } from '../../../src/traffic/stats/schema.ts'

/** What a part of the traffic is picked by. */
export type Part = Pick<View, 'from' | 'to' | 'filters'>

export type RowPage = ListResponse<StatisticsRow, { total: number; from: number | null; to: number | null; last_page: number }>

const queryOf = ({ from, to, filters }: Part) => ({ from, to, filter: filters.map(filterText) })

export const panelPath = (id: number, part: Part, more: { name: PanelName; search?: string; page?: number }) =>
  withQuery(`api/v1/stats/${id}`, { ...queryOf(part), ...more })

/** Those who may not hear of changes ask again by themselves; nobody does while the page is not seen. */
const AGAIN_MS = 30_000

export function useStatistics(id: number, part: Part, { isPolling, isOn }: { isPolling: boolean; isOn: boolean }) {
  return useQuery({
    queryKey: [...queryKeys.statistics(id), queryOf(part)],
    queryFn: async ({ signal }) => {
      const path = withQuery(`api/v1/stats/${id}/overview`, { ...queryOf(part), compare: 'previous' })
      return (await api.get<ItemResponse<Statistics>>(path, signal)).data
    },
    placeholderData: keepPreviousData,
    enabled: isOn,
    refetchInterval: isPolling ? AGAIN_MS : false,
  })
}

export type Metric = 'visitors' | 'pageviews'

/** The days before, for the line beside the line. */
export function useEarlierSeries(
  id: number,
  {
    previous,
    series: { unit },
    filters,
    metric,
  }: Pick<Statistics, 'previous' | 'series'> & {
    filters: View['filters']
    metric: Metric
  },
  isOn: boolean,
) {
  const part: Part = { from: previous?.from ?? '', to: previous?.to ?? '', filters }
  const name = unit === 'hour' ? (`${metric}_hours` as const) : metric
  return useQuery({
    queryKey: queryKeys.series(id, name, queryOf(part)),
    queryFn: async ({ signal }) => {
      const path = withQuery(`api/v1/stats/${id}`, { ...queryOf(part), name })
      return (await api.get<ListResponse<StatisticsRow>>(path, signal)).data.map(({ count }) => count)
    },
    enabled: isOn && previous !== null,
  })
}

export const PER_PAGE = 25

export function useRowPage(
  id: number,
  part: Part,
  question: { name: PanelName; search: string; page: number },
  isOn: boolean,
) {
  return useQuery({
    queryKey: queryKeys.rowPage(id, queryOf(part), question),
    queryFn: ({ signal }) => api.get<RowPage>(`${panelPath(id, part, question)}&per_page=${PER_PAGE}`, signal),
    placeholderData: keepPreviousData,
    enabled: isOn,
  })
}

/** Of a panel that cannot have many. */
export function useAllRows(id: number, part: Part, name: PanelName, isOn = true) {
  return useQuery({
    queryKey: queryKeys.allRows(id, queryOf(part), name),
    queryFn: async ({ signal }) => {
      const ask = (page: number) => api.get<RowPage>(`${panelPath(id, part, { name, page })}&per_page=100`, signal)
      const first = await ask(1)
      const others = Array.from({ length: first.meta.last_page - 1 }, (_, index) => ask(index + 2))
      return [first, ...(await Promise.all(others))].flatMap(({ data }) => data)
    },
    placeholderData: keepPreviousData,
    enabled: isOn,
  })
}

const DAY_MS = 86_400_000
/** Newest first; whoever has more of them sees the older ones on the page of the monitor. */
const INCIDENTS_MOST = 1_000
const MONITORS_MOST = 20

/** undefined: longer ago than incidents can be asked for. A day more than it seems, for clocks that are ahead of ours. */
function windowFor({ from }: DayRange): '30d' | '6mo' | '1y' | undefined {
  const days = (Date.now() - Date.parse(from)) / DAY_MS
  if (days <= 29) return '30d'
  if (days <= 180) return '6mo'
  return days <= 366 ? '1y' : undefined
}

export function useOutages(monitors: readonly OverviewMonitor[], range: DayRange) {
  const window = windowFor(range)
  // A change of a status is a beginning or an end.
  const asked = monitors
    .slice(0, MONITORS_MOST)
    .map(({ id, friendly_name: name, status_changed_at: at }) => ({ id, name, at }))
  return useQuery({
    queryKey: queryKeys.outages(window, asked),
    queryFn: async ({ signal }) => {
      const found = await Promise.all(
        asked.map(async ({ id, name }) => {
          const path = withQuery(`api/monitors/${id}/incidents`, { window, pageSize: INCIDENTS_MOST })
          const { data } = await api.get<ListResponse<IncidentRecord>>(path, signal)
          return data.map((incident) => outageOf(name, incident))
        }),
      )
      return found.flat()
    },
    placeholderData: keepPreviousData,
    enabled: window !== undefined && asked.length > 0,
  })
}

function outageOf(name: string, { started_at: from, resolved_at: to }: IncidentRecord): Outage {
  return { name, from: Date.parse(from), to: to === null ? undefined : Date.parse(to) }
}
