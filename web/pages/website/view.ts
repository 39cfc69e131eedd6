/** What the website page shows. The URL holds it, so that users can share views and go back. */
import { useMemo } from 'preact/hooks'
import { useSearchParams } from 'wouter-preact'
import { countDays, type DayRange } from './calendar.ts'
import { formatFilter, parseUrlFilters, type TrafficFilter } from './filters.ts'
import { DEFAULT_METRIC, isMetricName, type MetricName } from './metrics.ts'
import { DEFAULT_PERIOD, getPeriodDays, isPeriodName, type SelectedPeriod, toDayRange } from './period.ts'
import { type ChartInterval, isChartInterval } from './slots.ts'

export const comparisonLabels = { off: 'No comparison', previous: 'Previous period', year: 'Year over year' } as const
export type ComparisonName = keyof typeof comparisonLabels
const DEFAULT_COMPARISON: ComparisonName = 'previous'

const isComparisonName = (text: string): text is ComparisonName => Object.hasOwn(comparisonLabels, text)

export interface WebsiteView extends SelectedPeriod {
  metric: MetricName
  /** undefined for the default of the range. */
  interval: ChartInterval | undefined
  comparison: ComparisonName
  /** Whether Mondays are compared with Mondays. undefined for the default of the range. */
  matchesWeekday: boolean | undefined
  filters: readonly TrafficFilter[]
}

const parseSwitch = (text: string) => (text === 'true' ? true : text === 'false' ? false : undefined)

/** In longer ranges, all weekdays are about equally frequent, and people expect to compare whole months. */
const MAX_WEEKDAY_DAYS = 90

export const matchesWeekdayByDefault = (range: DayRange) => countDays(range) <= MAX_WEEKDAY_DAYS

/** Whether the earlier period starts on the same weekday, so that Mondays are compared with Mondays. */
export const selectsSameWeekdays = (view: WebsiteView): boolean => view.matchesWeekday ?? matchesWeekdayByDefault(view)

/** Replaces invalid parameters with their defaults. `firstDay` is where “All time” starts, if it is known yet. */
export function parseWebsiteView(params: URLSearchParams, today: string, firstDay?: string): WebsiteView {
  const get = (name: string) => params.get(name) ?? ''
  const [period, from, to] = [get('period'), get('from'), get('to')]
  const customRange = isPeriodName(period) ? undefined : toDayRange(from || to, to || today, today)
  const periodName = customRange === undefined ? (isPeriodName(period) ? period : DEFAULT_PERIOD) : undefined
  const [metric, interval, comparison] = [get('metric'), get('interval'), get('compare')]
  return {
    period: periodName,
    ...(customRange ?? getPeriodDays(periodName ?? DEFAULT_PERIOD, today, firstDay)),
    metric: isMetricName(metric) ? metric : DEFAULT_METRIC,
    interval: isChartInterval(interval) ? interval : undefined,
    comparison: isComparisonName(comparison) ? comparison : DEFAULT_COMPARISON,
    matchesWeekday: parseSwitch(get('match_weekday')),
    filters: parseUrlFilters(params.getAll('filter')),
  }
}

export function formatWebsiteView(view: WebsiteView): URLSearchParams {
  const params = new URLSearchParams()
  if (view.period === undefined) {
    params.set('from', view.from)
    params.set('to', view.to)
  } else if (view.period !== DEFAULT_PERIOD) params.set('period', view.period)
  if (view.metric !== DEFAULT_METRIC) params.set('metric', view.metric)
  if (view.interval !== undefined) params.set('interval', view.interval)
  if (view.comparison !== DEFAULT_COMPARISON) params.set('compare', view.comparison)
  if (view.matchesWeekday !== undefined) params.set('match_weekday', `${view.matchesWeekday}`)
  for (const filter of view.filters) params.append('filter', formatFilter(filter))
  return params
}

/** Choosing another period also discards the zoom history, unless `zoomState` replaces it. */
export type ChangeView = (changes: Partial<WebsiteView>, zoomState?: ZoomState) => void

/** `firstDay` is the first day with traffic, if it is known. */
export function useWebsiteView(today: string, firstDay: string | undefined): [WebsiteView, ChangeView] {
  const [params, setParams] = useSearchParams()
  const view = useMemo(() => parseWebsiteView(params, today, firstDay), [params, today, firstDay])
  const changeView: ChangeView = (changes, zoomState) => {
    const state = zoomState ?? ('period' in changes ? { zoomedViews: [] } : readZoomState())
    setParams(formatWebsiteView({ ...view, ...changes }), { state })
  }
  return [view, changeView]
}

// Zooming into a part of the chart. The browser's history stores the views from before each zoom, so that the user can zoom out
// even after changing something else or reloading the page.

type ZoomedView = Pick<WebsiteView, 'period' | 'from' | 'to' | 'interval'>

interface ZoomState {
  /** The views from before each zoom, outermost first. */
  zoomedViews: readonly ZoomedView[]
}

const readZoomState = (): ZoomState => ({
  zoomedViews: (history.state as Partial<ZoomState> | null)?.zoomedViews ?? [],
})

export const canZoomOut = () => readZoomState().zoomedViews.length > 0

export function zoomIn({ period, from, to, interval }: WebsiteView, range: DayRange, changeView: ChangeView): void {
  const zoomedViews = [...readZoomState().zoomedViews, { period, from, to, interval }]
  changeView({ period: undefined, interval: undefined, ...range }, { zoomedViews })
}

export function zoomOut(changeView: ChangeView): void {
  const { zoomedViews } = readZoomState()
  const view = zoomedViews.at(-1)
  if (view !== undefined) changeView(view, { zoomedViews: zoomedViews.slice(0, -1) })
}
