/** What somebody looks at, kept in the address: it can be sent to somebody else, and the way back works. */
import { useMemo } from 'preact/hooks'
import { useSearchParams } from 'wouter-preact'
import { type Filter, filterText, readFilters } from './filters.ts'
import { chooseDays, type DayRange, daysOf, isPeriod, type PeriodName, usualPeriod } from './period.ts'

export interface View extends DayRange {
  /** undefined: days that somebody chose. */
  period: PeriodName | undefined
  isCompared: boolean
  filters: readonly Filter[]
}

/** Never refuses: what cannot be read becomes what is usual. */
export function readView(params: URLSearchParams, today: string): View {
  const period = params.get('period') ?? ''
  const [from, to] = [params.get('from') ?? '', params.get('to') ?? '']
  const chosen = isPeriod(period) ? undefined : chooseDays(from || to, to || today, today)
  const name = chosen === undefined ? (isPeriod(period) ? period : usualPeriod) : undefined
  return {
    period: name,
    ...(chosen ?? daysOf(name ?? usualPeriod, today)),
    isCompared: params.get('compare') === 'previous',
    filters: readFilters(params.getAll('filter')),
  }
}

export function writeView({ period, from, to, isCompared, filters }: View): URLSearchParams {
  const params = new URLSearchParams()
  if (period === undefined) {
    params.set('from', from)
    params.set('to', to)
  } else if (period !== usualPeriod) params.set('period', period)
  if (isCompared) params.set('compare', 'previous')
  for (const filter of filters) params.append('filter', filterText(filter))
  return params
}

export type ChangeView = (change: Partial<View>) => void

export function useView(today: string): [View, ChangeView] {
  const [params, setParams] = useSearchParams()
  const view = useMemo(() => readView(params, today), [params, today])
  const change: ChangeView = (changed) => setParams(writeView({ ...view, ...changed }))
  return [view, change]
}
