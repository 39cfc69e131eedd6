/** Period, comparison and filters of the website page. The URL holds them, so that users can share views and go back. */
import { useMemo } from 'preact/hooks'
import { useSearchParams } from 'wouter-preact'
import { formatFilter, parseUrlFilters, type TrafficFilter } from './filters.ts'
import { type DayRange, DEFAULT_PERIOD, getPeriodDays, isPeriodName, type PeriodName, toDayRange } from './period.ts'

export interface WebsiteView extends DayRange {
  /** undefined for a custom range. */
  period: PeriodName | undefined
  /** Whether the previous period is shown too. */
  isCompared: boolean
  filters: readonly TrafficFilter[]
}

/** Replaces invalid parameters with their defaults. */
export function parseWebsiteView(params: URLSearchParams, today: string): WebsiteView {
  const period = params.get('period') ?? ''
  const [from, to] = [params.get('from') ?? '', params.get('to') ?? '']
  const customRange = isPeriodName(period) ? undefined : toDayRange(from || to, to || today, today)
  const periodName = customRange === undefined ? (isPeriodName(period) ? period : DEFAULT_PERIOD) : undefined
  return {
    period: periodName,
    ...(customRange ?? getPeriodDays(periodName ?? DEFAULT_PERIOD, today)),
    isCompared: params.get('compare') === 'previous',
    filters: parseUrlFilters(params.getAll('filter')),
  }
}

export function formatWebsiteView({ period, from, to, isCompared, filters }: WebsiteView): URLSearchParams {
  const params = new URLSearchParams()
  if (period === undefined) {
    params.set('from', from)
    params.set('to', to)
  } else if (period !== DEFAULT_PERIOD) params.set('period', period)
  if (isCompared) params.set('compare', 'previous')
  for (const filter of filters) params.append('filter', formatFilter(filter))
  return params
}

export type ChangeView = (changes: Partial<WebsiteView>) => void

export function useWebsiteView(today: string): [WebsiteView, ChangeView] {
  const [params, setParams] = useSearchParams()
  const view = useMemo(() => parseWebsiteView(params, today), [params, today])
  const changeView: ChangeView = (changes) => setParams(formatWebsiteView({ ...view, ...changes }))
  return [view, changeView]
}
