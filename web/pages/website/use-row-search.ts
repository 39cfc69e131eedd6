/** One page of a panel's values. Where people read names and the server keeps codes, the names are searched. */
import type { PanelName, StatisticsRow } from '../../../src/traffic/stats/schema.ts'
import { nameValue } from './panel-labels.ts'
import { type Part, PER_PAGE, useAllRows, useRowPage } from './queries.ts'

interface Question {
  name: PanelName
  search: string
  page: number
}

export interface FoundRows {
  rows: readonly StatisticsRow[]
  total: number
  /** Counted from 1; 0 where there is nothing. */
  first: number
  last: number
  isBusy: boolean
  error: unknown
  retry: () => void
}

const isCode = (name: PanelName) => name === 'country' || name === 'language'

export function useFoundRows(id: number, part: Part, question: Question): FoundRows {
  const isNamed = isCode(question.name)
  const all = useAllRows(id, part, question.name, isNamed)
  const page = useRowPage(id, part, question, !isNamed)
  const asked = isNamed ? all : page
  const found = isNamed ? searchNames(all.data ?? [], question) : pageOf(page.data)
  return { ...found, isBusy: asked.isFetching, error: asked.error, retry: () => void asked.refetch() }
}

function pageOf(page: ReturnType<typeof useRowPage>['data']) {
  const { data: rows, meta } = page ?? { data: [], meta: { total: 0, from: 0, to: 0 } }
  return { rows, total: meta.total, first: meta.from ?? 0, last: meta.to ?? 0 }
}

export function searchNames(all: readonly StatisticsRow[], { name, search, page }: Question) {
  const term = search.toLocaleLowerCase()
  const fits = ({ value }: StatisticsRow) =>
    [value, nameValue(name, value)].some((text) => text.toLocaleLowerCase().includes(term))
  const found = term === '' ? all : all.filter(fits)
  const start = (page - 1) * PER_PAGE
  const rows = found.slice(start, start + PER_PAGE)
  return { rows, total: found.length, first: rows.length === 0 ? 0 : start + 1, last: start + rows.length }
}
