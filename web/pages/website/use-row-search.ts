/**
 * Searches and sorts the rows of a panel, one page at a time. For countries, regions and languages the server stores codes
 * but users read names, so the browser loads all rows, and searches and sorts the names.
 */
import type { PanelName, StatisticsListRow } from '../../../src/traffic/stats/schema.ts'
import { formatPanelValue } from './panel-labels.ts'
import { ROWS_PER_PAGE, type RowQuery, type TrafficSelection, useDetailedRows, useRowPage } from './queries.ts'
import { sortRows } from './row-columns.ts'

export interface RowSearchResult {
  rows: readonly StatisticsListRow[]
  total: number
  /** Position of the first row of this page, counted from 1; 0 if there are no rows. */
  first: number
  last: number
  /** Whether the first response hasn't arrived. */
  isPending: boolean
  isBusy: boolean
  error: unknown
  retry: () => void
}

const hasCodes = (name: PanelName) => name === 'country' || name === 'region' || name === 'language'

export function useRowSearch(id: number, selection: TrafficSelection, query: RowQuery): RowSearchResult {
  const isLocalSearch = hasCodes(query.name)
  const allRows = useDetailedRows(id, selection, query.name, isLocalSearch)
  const page = useRowPage(id, selection, query, !isLocalSearch)
  const request = isLocalSearch ? allRows : page
  const result = isLocalSearch ? searchByName(allRows.data ?? [], query) : toSearchResult(page.data)
  return {
    ...result,
    isPending: request.data === undefined,
    isBusy: request.isFetching,
    error: request.error,
    retry: () => void request.refetch(),
  }
}

function toSearchResult(page: ReturnType<typeof useRowPage>['data']) {
  const { data: rows, meta } = page ?? { data: [], meta: { total: 0, from: 0, to: 0 } }
  return { rows, total: meta.total, first: meta.from ?? 0, last: meta.to ?? 0 }
}

export function searchByName(allRows: readonly StatisticsListRow[], { name, search, page, sorting }: RowQuery) {
  const term = search.toLocaleLowerCase()
  const matches = ({ value }: StatisticsListRow) =>
    [value, formatPanelValue(name, value)].some((text) => text.toLocaleLowerCase().includes(term))
  const matchingRows = sortRows(name, term === '' ? allRows : allRows.filter(matches), sorting)
  const start = (page - 1) * ROWS_PER_PAGE
  const rows = matchingRows.slice(start, start + ROWS_PER_PAGE)
  return { rows, total: matchingRows.length, first: rows.length === 0 ? 0 : start + 1, last: start + rows.length }
}
