/** From counts by number to rows by name. */
import { foldCase } from '../../lib/fold-case.ts'
import type { Queries } from '../../storage/client.ts'
import { continentOf } from '../model/continents.ts'
import { type Dimension, kindOfValue, panelDimensions } from '../model/dimensions.ts'
import type { ReadableCounts } from '../packing/count-table.ts'
import { readValues, readValuesById } from './counts-store.ts'
import type { DateRange } from './figures.ts'
import type { StatisticsFilter } from './filters.ts'
import { findLargestCounts, rankCounts } from './ranking.ts'
import type { PanelName, StatisticsOverview, StatisticsRow } from './schema.ts'

export interface PanelQuery extends DateRange {
  name: PanelName
  search: string
  sortBy: 'count' | 'value'
  direction: 'asc' | 'desc'
  limit: number
  offset: number
  filters: readonly StatisticsFilter[]
}

interface Page {
  rows: StatisticsRow[]
  total: number
}

const PANEL_ROWS = 10

/** One page of a panel, from the counts of what it is made of. */
export async function readPanelPage(
  q: Queries,
  websiteId: number,
  counts: ReadableCounts,
  question: PanelQuery,
): Promise<Page> {
  const { name, search, sortBy, direction, limit, offset } = question
  if (name === 'continent') return pageOf(await continents(q, websiteId, counts), question)
  const ranked = rankCounts(counts)
  if (search === '' && sortBy === 'count' && direction === 'desc') {
    const rows = await nameRows(q, websiteId, ranked.slice(offset, offset + limit))
    return { rows, total: ranked.length }
  }
  const names = await readValues(q, websiteId, kindOfValue(name))
  return pageOf(
    ranked.map(({ id, count }) => ({ value: names.get(id) ?? '', count })),
    question,
  )
}

async function nameRows(q: Queries, websiteId: number, counted: { id: number; count: number }[]) {
  const names = await readValuesById(
    q,
    websiteId,
    counted.map(({ id }) => id),
  )
  return counted.map(({ id, count }) => ({ value: names.get(id) ?? '', count }))
}

/** The ten largest of every panel; their names are looked up all at once. */
export async function readTopRows(
  q: Queries,
  websiteId: number,
  counts: ReadonlyMap<Dimension, ReadableCounts>,
): Promise<StatisticsOverview['panels']> {
  const tops = panelDimensions.map((name) => ({
    name,
    top: findLargestCounts(counts.get(name) ?? new Map(), PANEL_ROWS),
  }))
  const names = await readValuesById(q, websiteId, [...new Set(tops.flatMap(({ top }) => top.map(({ id }) => id)))])
  const rowsOf = tops.map(({ name, top }): [PanelName, StatisticsRow[]] => [
    name,
    top.map(({ id, count }) => ({ value: names.get(id) ?? '', count })),
  ])
  const byContinent = await continents(q, websiteId, counts.get('country') ?? new Map())
  return Object.fromEntries([...rowsOf, ['continent', byContinent.sort(byCount)]]) as StatisticsOverview['panels']
}

/** Somebody is in one country a day, so countries add up to continents. */
async function continents(q: Queries, websiteId: number, counts: ReadableCounts): Promise<StatisticsRow[]> {
  const countries = rankCounts(counts)
  const names = await readValuesById(
    q,
    websiteId,
    countries.map(({ id }) => id),
  )
  const found = new Map<string, number>()
  for (const { id, count } of countries) {
    const continent = continentOf(names.get(id) ?? '')
    if (continent !== undefined) found.set(continent, (found.get(continent) ?? 0) + count)
  }
  return [...found].map(([value, count]) => ({ value, count }))
}

function pageOf(rows: readonly StatisticsRow[], { search, sortBy, direction, limit, offset }: PanelQuery) {
  const term = foldCase(search)
  const found = term === '' ? [...rows] : rows.filter(({ value }) => foldCase(value).includes(term))
  found.sort(sortBy === 'count' ? byCount : byValue)
  if (direction === (sortBy === 'count' ? 'asc' : 'desc')) found.reverse()
  return { rows: found.slice(offset, offset + limit), total: found.length }
}

const byCount = (one: StatisticsRow, other: StatisticsRow) => other.count - one.count || byValue(one, other)
const byValue = (one: StatisticsRow, other: StatisticsRow) => (one.value < other.value ? -1 : 1)
