/** The columns of the dialog that lists all rows of a panel, and in which order it lists them. */
import type { PanelName, RowDetailName, StatisticsListRow } from '../../../src/traffic/stats/schema.ts'
import { userLanguages } from '../../lib/languages.ts'
import { figures } from './metrics.ts'
import { formatPanelValue, panelLabels } from './panel-labels.ts'

/** What the rows can be sorted by, as the API names it. */
export type RowSortKey = 'value' | 'count' | RowDetailName

export interface RowSorting {
  key: RowSortKey
  direction: 'asc' | 'desc'
}

/** The order of the panel itself. */
export const DEFAULT_SORTING: RowSorting = { key: 'count', direction: 'desc' }

export interface RowColumn {
  key: Exclude<RowSortKey, 'value'>
  label: string
  format: (value: number) => string
}

const detailNames = ['visitors', 'pageviews', 'bounce_rate', 'visit_duration'] as const

/** The count of a row is one of its figures, or the number of events. It is known even if details are not. */
export function listRowColumns(name: PanelName): RowColumn[] {
  const { metricLabel } = panelLabels[name]
  const columns = detailNames.map((key): RowColumn => {
    const { label, format } = figures[key]
    return { key: label === metricLabel ? 'count' : key, label, format }
  })
  const { label, format } = figures.events
  return name === 'event' ? [{ key: 'count', label, format }, ...columns] : columns
}

/** The first click on a column lists large numbers first, but values from A to Z. The next click reverses the order. */
export function toggleSorting({ key, direction }: RowSorting, clickedKey: RowSortKey): RowSorting {
  if (key === clickedKey) return { key, direction: direction === 'asc' ? 'desc' : 'asc' }
  return { key: clickedKey, direction: clickedKey === 'value' ? 'asc' : 'desc' }
}

/** Sorts as the server does, except that values are compared by the names that users read. Unknown details come last. */
export function sortRows(
  name: PanelName,
  rows: readonly StatisticsListRow[],
  { key, direction }: RowSorting,
): StatisticsListRow[] {
  const sign = direction === 'asc' ? 1 : -1
  if (key === 'value') {
    const collator = new Intl.Collator(userLanguages)
    const compareNames = (one: string, other: string) =>
      collator.compare(formatPanelValue(name, one), formatPanelValue(name, other))
    return rows.toSorted((one, other) => sign * compareNames(one.value, other.value))
  }
  return rows.toSorted((one, other) => {
    const [first, second] = [one[key] ?? null, other[key] ?? null]
    if (first === null || second === null) return Number(first === null) - Number(second === null)
    return sign * (first - second) || other.count - one.count
  })
}

/** Explains the dashes in the columns. */
export function explainMissingDetails(name: PanelName, rows: readonly StatisticsListRow[]): string | undefined {
  if (rows.some(({ visits }) => visits === null)) {
    return 'Values with a dash are unknown: some visits of this period are stored only as daily totals, because they were imported or are too old.'
  }
  if (name === 'event') return 'Events have no bounce rate, because hardly any visit with an event is a bounce.'
  return undefined
}
