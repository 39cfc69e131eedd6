/** What a page shows, and the links to what else it could show. */
import { escapePattern } from '../stats/filters.ts'
import type { Period, PeriodName } from './period.ts'

export interface View {
  period: Period
  /** As in the API: `page:/blog*`. */
  filters: readonly string[]
}

/** As names and values, for links and for hidden fields. */
export function fieldsOf({ period, filters }: View): [string, string][] {
  const days: [string, string][] =
    period.name === undefined
      ? [
          ['from', period.from],
          ['to', period.to],
        ]
      : [['period', period.name]]
  return [...days, ...filterFields(filters)]
}

export const filterFields = (filters: readonly string[]) =>
  filters.map((filter): [string, string] => ['filter', filter])

const linkOf = (fields: [string, string][]) => `?${new URLSearchParams(fields)}`

export const linkToPeriod = (view: View, name: PeriodName) => linkOf([['period', name], ...filterFields(view.filters)])

export const linkToFilters = (view: View, filters: readonly string[]) => linkOf(fieldsOf({ ...view, filters }))

export const nameOfFilter = (filter: string) => filter.slice(0, filter.indexOf(':'))

/** Just this value, stars and all. One filter a name: another value takes its place. */
export function linkToFilter(view: View, name: string, value: string): string {
  const others = view.filters.filter((filter) => nameOfFilter(filter) !== name)
  return linkToFilters(view, [...others, `${name}:${escapePattern(value)}`])
}
