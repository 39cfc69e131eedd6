/** The rows of panels: counts by value id, ranked, with the values that the ids stand for. */
import { foldCase } from '../../lib/text.ts'
import type { Queries } from '../../storage/transaction.ts'
import { findContinent } from '../model/continents.ts'
import { type Dimension, dimensionNames } from '../model/dimensions.ts'
import type { ReadableCounts } from '../packing/count-table.ts'
import type { DateRange } from './figures.ts'
import type { StatisticsFilter } from './filters.ts'
import type { PanelName, StatisticsOverview, StatisticsRow } from './schema.ts'
import { readValuesById, readValuesInOrder } from './store.ts'

export interface PanelQuery extends DateRange {
  name: PanelName
  search: string
  sortBy: 'count' | 'value'
  direction: 'asc' | 'desc'
  filters: readonly StatisticsFilter[]
}

export interface PanelPageQuery extends PanelQuery {
  limit: number
  offset: number
}

interface PanelPage {
  rows: StatisticsRow[]
  total: number
}

const TOP_ROWS_PER_PANEL = 10

/** `counts` has the counts per value of the panel's dimension. The continents panel uses the dimension country. */
export async function readPanelPage(
  q: Queries,
  websiteId: number,
  counts: ReadableCounts,
  query: PanelPageQuery,
): Promise<PanelPage> {
  if (query.name === 'continent') return selectPage(await readContinentRows(q, websiteId, counts), query)
  const rankedValues = await rankPanelValues(q, websiteId, counts, { ...query, name: query.name })
  const rows = await readRows(q, websiteId, rankedValues.slice(query.offset, query.offset + query.limit))
  return { rows, total: rankedValues.length }
}

type RankingQuery = Pick<PanelQuery, 'search' | 'sortBy' | 'direction'> & { name: Dimension }

/** Returns the ids and counts of the values that match the search, in the order of the query. Leaves out their texts, which could take much memory. */
export async function rankPanelValues(
  q: Queries,
  websiteId: number,
  counts: ReadableCounts,
  { name, search, sortBy, direction }: RankingQuery,
): Promise<RankedValue[]> {
  if (search === '' && sortBy === 'count' && direction === 'desc') return rankCounts(counts)
  const term = foldCase(search)
  const rankedValues: RankedValue[] = []
  for await (const { id, value } of readValuesInOrder(q, websiteId, name)) {
    const count = counts.get(id) ?? 0
    if (count > 0 && (term === '' || foldCase(value).includes(term))) rankedValues.push({ id, count })
  }
  // Sorting is stable, so equal counts stay in the order of their values.
  if (sortBy === 'count') rankedValues.sort((one, other) => other.count - one.count)
  return direction === (sortBy === 'count' ? 'asc' : 'desc') ? rankedValues.reverse() : rankedValues
}

async function readRows(q: Queries, websiteId: number, rankedValues: readonly RankedValue[]): Promise<StatisticsRow[]> {
  const ids = rankedValues.map(({ id }) => id)
  return toRows(rankedValues, await readValuesById(q, websiteId, ids))
}

function toRows(rankedValues: readonly RankedValue[], values: ReadonlyMap<number, string>): StatisticsRow[] {
  return rankedValues.map(({ id, count }) => ({ value: values.get(id) ?? '', count }))
}

/** Reads the rows with the largest counts of every panel. One query reads the values of all these rows. */
export async function readTopRows(
  q: Queries,
  websiteId: number,
  counts: ReadonlyMap<Dimension, ReadableCounts>,
): Promise<StatisticsOverview['panels']> {
  const countsOf = (name: Dimension) => counts.get(name) ?? new Map()
  const topValuesByPanel = dimensionNames.map((name) => ({
    name,
    topValues: findLargestCounts(countsOf(name), TOP_ROWS_PER_PANEL),
  }))
  const ids = new Set(topValuesByPanel.flatMap(({ topValues }) => topValues.map(({ id }) => id)))
  const values = await readValuesById(q, websiteId, [...ids])
  const panels = topValuesByPanel.map(({ name, topValues }): [PanelName, StatisticsRow[]] => [
    name,
    toRows(topValues, values),
  ])
  const continents = await readContinentRows(q, websiteId, countsOf('country'))
  return Object.fromEntries([...panels, ['continent', continents.sort(compareCounts)]]) as StatisticsOverview['panels']
}

/** Countries can be summed up by continent, because a visitor counts for one country a day. */
async function readContinentRows(
  q: Queries,
  websiteId: number,
  countryCounts: ReadableCounts,
): Promise<StatisticsRow[]> {
  const sums = new Map<string, number>()
  for (const { value: country, count } of await readRows(q, websiteId, rankCounts(countryCounts))) {
    const continent = findContinent(country)
    if (continent !== undefined) sums.set(continent, (sums.get(continent) ?? 0) + count)
  }
  return [...sums].map(([value, count]) => ({ value, count }))
}

function selectPage(
  rows: readonly StatisticsRow[],
  { search, sortBy, direction, limit, offset }: PanelPageQuery,
): PanelPage {
  const term = foldCase(search)
  const matchingRows = term === '' ? [...rows] : rows.filter(({ value }) => foldCase(value).includes(term))
  matchingRows.sort(sortBy === 'count' ? compareCounts : compareValues)
  // compareCounts sorts in descending order, compareValues in ascending order.
  if (direction === (sortBy === 'count' ? 'asc' : 'desc')) matchingRows.reverse()
  return { rows: matchingRows.slice(offset, offset + limit), total: matchingRows.length }
}

const compareCounts = (one: StatisticsRow, other: StatisticsRow) => other.count - one.count || compareValues(one, other)
const compareValues = (one: StatisticsRow, other: StatisticsRow) => (one.value < other.value ? -1 : 1)

export interface RankedValue {
  id: number
  count: number
}

/** Largest count first. Of values with equal counts, the one that was stored first has the smaller id and comes first. */
const compareRanks = (one: RankedValue, other: RankedValue) => other.count - one.count || one.id - other.id

export function rankCounts(counts: ReadableCounts): RankedValue[] {
  const rankedValues: RankedValue[] = []
  counts.forEach((count, id) => {
    if (count > 0) rankedValues.push({ id, count })
  })
  return rankedValues.sort(compareRanks)
}

/** Returns the first `limit` values of `rankCounts` without sorting all values. */
export function findLargestCounts(counts: ReadableCounts, limit: number): RankedValue[] {
  const candidates: RankedValue[] = []
  // Counts at or below this can no longer make the top list.
  let maxIgnoredCount = 0
  counts.forEach((count, id) => {
    if (count <= maxIgnoredCount) return
    candidates.push({ id, count })
    if (candidates.length < limit * 8) return
    candidates.sort(compareRanks).length = limit
    maxIgnoredCount = (candidates[limit - 1] as RankedValue).count - 1
  })
  return candidates.sort(compareRanks).slice(0, limit)
}

const ROWS_PER_EXPORTED_PAGE = 500

/** All rows of a panel, page by page. Between two pages, an export takes 12 bytes per row and no connection to the database. */
export interface PanelExport {
  total: number
  pages: Iterable<StatisticsRow[]> | AsyncIterable<StatisticsRow[]>
}

/** Values never change, so the rows are those of the snapshot that was ranked, no matter when their texts are read. */
export function createPanelExport(
  rankedValues: readonly RankedValue[],
  readValues: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>,
): PanelExport {
  const ids = Int32Array.from(rankedValues, ({ id }) => id)
  const counts = Float64Array.from(rankedValues, ({ count }) => count)
  return { total: ids.length, pages: readPages(ids, counts, readValues) }
}

async function* readPages(
  ids: Int32Array,
  counts: Float64Array,
  readValues: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>,
): AsyncGenerator<StatisticsRow[]> {
  for (let start = 0; start < ids.length; start += ROWS_PER_EXPORTED_PAGE) {
    const pageIds = [...ids.subarray(start, start + ROWS_PER_EXPORTED_PAGE)]
    const page = pageIds.map((id, index) => ({ id, count: counts[start + index] as number }))
    yield toRows(page, await readValues(pageIds))
  }
}
