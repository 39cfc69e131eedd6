/**
 * Searches the rows of a panel, one page at a time. For countries, regions and languages the server stores codes but users read
 * names, so the browser loads all rows and searches the names.
 */
import type { PanelName, StatisticsRow } from '../../../src/traffic/stats/schema.ts'
import { formatPanelValue } from './panel-labels.ts'
import { ROWS_PER_PAGE, type TrafficSelection, useAllRows, useRowPage } from './queries.ts'

interface RowQuery {
  name: PanelName
  search: string
  page: number
}

export interface RowSearchResult {
  rows: readonly StatisticsRow[]
  total: number
  /** Position of the first row of this page, counted from 1; 0 if there are no rows. */
  first: number
  last: number
  isBusy: boolean
  error: unknown
  retry: () => void
}

const hasCodes = (name: PanelName) => name === 'country' || name === 'region' || name === 'language'

export function useRowSearch(id: number, selection: TrafficSelection, query: RowQuery): RowSearchResult {
  const isLocalSearch = hasCodes(query.name)
  const allRows = useAllRows(id, selection, query.name, isLocalSearch)
  const page = useRowPage(id, selection, query, !isLocalSearch)
  const request = isLocalSearch ? allRows : page
  const result = isLocalSearch ? searchByName(allRows.data ?? [], query) : toSearchResult(page.data)
  return { ...result, isBusy: request.isFetching, error: request.error, retry: () => void request.refetch() }
}

function toSearchResult(page: ReturnType<typeof useRowPage>['data']) {
  const { data: rows, meta } = page ?? { data: [], meta: { total: 0, from: 0, to: 0 } }
  return { rows, total: meta.total, first: meta.from ?? 0, last: meta.to ?? 0 }
}

export function searchByName(allRows: readonly StatisticsRow[], { name, search, page }: RowQuery) {
  const term = search.toLocaleLowerCase()
  const matches = ({ value }: StatisticsRow) =>
    [value, formatPanelValue(name, value)].some((text) => text.toLocaleLowerCase().includes(term))
  const matchingRows = term === '' ? allRows : allRows.filter(matches)
  const start = (page - 1) * ROWS_PER_PAGE
  const rows = matchingRows.slice(start, start + ROWS_PER_PAGE)
  return { rows, total: matchingRows.length, first: rows.length === 0 ? 0 : start + 1, last: start + rows.length }
}
