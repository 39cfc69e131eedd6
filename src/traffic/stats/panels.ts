/** The rows of panels: counts by value id, ranked, with the values that the ids stand for. */
import { foldCase } from '../../lib/text.ts'
import type { Queries } from '../../storage/transaction.ts'
import { findContinent } from '../model/continents.ts'
import type { ReadableCounts } from '../model/count-table.ts'
import { type Dimension, dimensionNames } from '../model/dimensions.ts'
import type { DateRange } from './figures.ts'
import type { StatisticsFilter } from './filters.ts'
import type { FindRowDetails } from './panel-details.ts'
import type { PanelSortKey } from './query.ts'
import type { PanelName, RowDetailName, StatisticsListRow, StatisticsOverview, StatisticsRow } from './schema.ts'
import { readValuesById, readValuesInOrder } from './store.ts'

export interface PanelQuery extends DateRange {
  name: PanelName
  search: string
  sortBy: PanelSortKey
  direction: 'asc' | 'desc'
  /** Whether each row has visitors, visits, page views and averages beside its count. */
  hasDetails: boolean
  filters: readonly StatisticsFilter[]
}

export interface PanelPageQuery extends PanelQuery {
  limit: number
  offset: number
}

interface PanelPage {
  rows: StatisticsListRow[]
  total: number
}

/** The counts per value of the panel's dimension. The continents panel uses the dimension country. */
export interface PanelData {
  counts: ReadableCounts
  /** Undefined if the rows have no details. */
  findDetails: FindRowDetails | undefined
}

const TOP_ROWS_PER_PANEL = 10

export async function readPanelPage(
  q: Queries,
  websiteId: number,
  data: PanelData,
  query: PanelPageQuery,
): Promise<PanelPage> {
  if (query.name === 'continent') return selectPage(await readContinentRows(q, websiteId, data), query)
  const rankedValues = await rankPanelValues(q, websiteId, data, { ...query, name: query.name })
  const page = rankedValues.slice(query.offset, query.offset + query.limit)
  const values = await readValuesById(q, websiteId, listIds(page))
  return { rows: toListRows(page, values, data.findDetails), total: rankedValues.length }
}

type RankingQuery = Pick<PanelQuery, 'search' | 'sortBy' | 'direction'> & { name: Dimension }

/** Returns the ids and counts of the values that match the search, in the order of the query. Leaves out their texts, which could take much memory. */
export async function rankPanelValues(
  q: Queries,
  websiteId: number,
  { counts, findDetails }: PanelData,
  { name, search, sortBy, direction }: RankingQuery,
): Promise<RankedValue[]> {
  const isByDetail = sortBy !== 'count' && sortBy !== 'value'
  if (search === '' && (isByDetail || (sortBy === 'count' && direction === 'desc'))) {
    const rankedValues = rankCounts(counts)
    return isByDetail ? sortByDetail(rankedValues, sortBy, direction, findDetails) : rankedValues
  }
  const term = foldCase(search)
  const rankedValues: RankedValue[] = []
  for await (const { id, value } of readValuesInOrder(q, websiteId, name)) {
    const count = counts.get(id) ?? 0
    if (count > 0 && (term === '' || foldCase(value).includes(term))) rankedValues.push({ id, count })
  }
  // Sorting is stable, so equal counts stay in the order of their values.
  if (sortBy !== 'value') rankedValues.sort((one, other) => other.count - one.count)
  if (isByDetail) return sortByDetail(rankedValues, sortBy, direction, findDetails)
  return direction === (sortBy === 'count' ? 'asc' : 'desc') ? rankedValues.reverse() : rankedValues
}

/** Rows with equal details stay in their order. Rows whose detail isn't known come last in both directions. */
function sortByDetail(
  rankedValues: readonly RankedValue[],
  name: RowDetailName,
  direction: 'asc' | 'desc',
  findDetails: FindRowDetails | undefined,
): RankedValue[] {
  const sign = direction === 'asc' ? 1 : -1
  return rankedValues
    .map((rankedValue) => ({ rankedValue, detail: findDetails?.([rankedValue.id], rankedValue.count)[name] ?? null }))
    .sort((one, other) => compareDetails(one.detail, other.detail, sign))
    .map(({ rankedValue }) => rankedValue)
}

function compareDetails(one: number | null, other: number | null, sign: number): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  return sign * (one - other)
}

const listIds = (rankedValues: readonly RankedValue[]) => rankedValues.map(({ id }) => id)

function toRows(rankedValues: readonly RankedValue[], values: ReadonlyMap<number, string>): StatisticsRow[] {
  return rankedValues.map(({ id, count }) => ({ value: values.get(id) ?? '', count }))
}

function toListRows(
  rankedValues: readonly RankedValue[],
  values: ReadonlyMap<number, string>,
  findDetails: FindRowDetails | undefined,
): StatisticsListRow[] {
  if (findDetails === undefined) return toRows(rankedValues, values)
  return rankedValues.map(({ id, count }) => ({ value: values.get(id) ?? '', count, ...findDetails([id], count) }))
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
  const [values, continents] = await Promise.all([
    readValuesById(q, websiteId, [...ids]),
    readContinentRows(q, websiteId, { counts: countsOf('country'), findDetails: undefined }),
  ])
  const panels = topValuesByPanel.map(({ name, topValues }): [PanelName, StatisticsRow[]] => [
    name,
    toRows(topValues, values),
  ])
  return Object.fromEntries([...panels, ['continent', continents.sort(compareCounts)]]) as StatisticsOverview['panels']
}

/** Countries can be summed up by continent, because a visitor counts for one country a day. */
async function readContinentRows(
  q: Queries,
  websiteId: number,
  { counts, findDetails }: PanelData,
): Promise<StatisticsListRow[]> {
  const countries = rankCounts(counts)
  const codes = await readValuesById(q, websiteId, listIds(countries))
  const countriesByContinent = Map.groupBy(countries, ({ id }) => findContinent(codes.get(id) ?? ''))
  return [...countriesByContinent].flatMap(([continent, members]) => {
    if (continent === undefined) return []
    const count = members.reduce((sum, member) => sum + member.count, 0)
    return [{ value: continent, count, ...findDetails?.(listIds(members), count) }]
  })
}

function selectPage(
  rows: readonly StatisticsListRow[],
  { search, sortBy, direction, limit, offset }: PanelPageQuery,
): PanelPage {
  const term = foldCase(search)
  const matchingRows = term === '' ? [...rows] : rows.filter(({ value }) => foldCase(value).includes(term))
  matchingRows.sort(sortBy === 'value' ? compareValues : compareCounts)
  if (sortBy !== 'count' && sortBy !== 'value') {
    const sign = direction === 'asc' ? 1 : -1
    matchingRows.sort((one, other) => compareDetails(one[sortBy] ?? null, other[sortBy] ?? null, sign))
  } else if (direction === (sortBy === 'count' ? 'asc' : 'desc')) {
    // compareCounts sorts in descending order, compareValues in ascending order.
    matchingRows.reverse()
  }
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

/**
 * All rows of a panel, page by page. Between two pages, an export takes 12 bytes per row and no connection to the database.
 * With details, it also keeps the totals of all rows.
 */
export interface PanelExport {
  total: number
  pages: Iterable<StatisticsListRow[]> | AsyncIterable<StatisticsListRow[]>
}

/** Values never change, so the rows are those of the snapshot that was ranked, no matter when their texts are read. */
export function createPanelExport(
  rankedValues: readonly RankedValue[],
  findDetails: FindRowDetails | undefined,
  readValues: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>,
): PanelExport {
  const ids = Int32Array.from(rankedValues, ({ id }) => id)
  const counts = Float64Array.from(rankedValues, ({ count }) => count)
  async function* readPages(): AsyncGenerator<StatisticsListRow[]> {
    for (let start = 0; start < ids.length; start += ROWS_PER_EXPORTED_PAGE) {
      const pageIds = [...ids.subarray(start, start + ROWS_PER_EXPORTED_PAGE)]
      const page = pageIds.map((id, index) => ({ id, count: counts[start + index] as number }))
      yield toListRows(page, await readValues(pageIds), findDetails)
    }
  }
  return { total: ids.length, pages: readPages() }
}
