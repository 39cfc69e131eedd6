/** All rows of a panel, page by page. Between two pages, an export takes 12 bytes per row and no connection to the database. */
import { toRows } from './panels.ts'
import type { RankedValue } from './ranking.ts'
import type { StatisticsRow } from './schema.ts'

const ROWS_PER_PAGE = 500

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
  for (let start = 0; start < ids.length; start += ROWS_PER_PAGE) {
    const pageIds = [...ids.subarray(start, start + ROWS_PER_PAGE)]
    const page = pageIds.map((id, index) => ({ id, count: counts[start + index] as number }))
    yield toRows(page, await readValues(pageIds))
  }
}
