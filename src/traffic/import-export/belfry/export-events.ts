/** Writes a website's events as CSV. Never holds more than a small part of them in memory. */
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { formatCsvLine } from '../../../lib/csv.ts'
import type { Queries, TransactionQueries } from '../../../storage/transaction.ts'
import { type EventKind, eventKinds } from '../../model/event.ts'
import { readValuesById, type WebsiteDays } from '../../stats/store.ts'
import { preferBulkReads } from '../store.ts'
import { eventColumns } from './columns.ts'
import { type ExportedEvent, exportedDimensions } from './export-store.ts'
import { readExportedEvents } from './read-events.ts'

const ROWS_PER_FETCH = 5_000
/** The values are pages, sources, countries and so on. This many take about 20 MB. */
const MAX_CACHED_VALUES = 100_000

const kindNames = new Map(Object.entries(eventKinds).map(([name, number]) => [number as number, name as EventKind]))

export interface ChunkCounts {
  eventCount: number
  /** How many events the daily totals count: page views and custom events, but no engagements. */
  countedEventCount: number
  bytes: number
}

/** Yields the CSV file in chunks. The first chunk is its header. `q` must be a transaction that reads one snapshot. */
export async function* exportEvents(
  q: TransactionQueries,
  days: WebsiteDays,
  onChunk: (counts: ChunkCounts) => void,
): AsyncGenerator<Buffer> {
  const encodeAndReportChunk = (text: string, rows: readonly ExportedEvent[]) => {
    const bytes = Buffer.from(text)
    const countedEventCount = rows.filter(({ kind }) => kind !== eventKinds.engagement).length
    onChunk({ eventCount: rows.length, countedEventCount, bytes: bytes.length })
    return bytes
  }
  yield encodeAndReportChunk(formatCsvLine(eventColumns), [])
  await preferBulkReads(q)
  const cache = new ValueCache(q, days.websiteId)
  for await (const rows of readExportedEvents(q, days, ROWS_PER_FETCH)) {
    const getValueById = await cache.load(rows)
    yield encodeAndReportChunk(rows.map((row) => formatEvent(row, getValueById)).join(''), rows)
  }
}

/** Returns an empty text for null, which stands for an unknown value. */
type GetValueById = (id: number | null) => string

/** In the order of `eventColumns`. */
function formatEvent(row: ExportedEvent, getValueById: GetValueById): string {
  return formatCsvLine([
    new Date(row.at_ms).toISOString(),
    kindNames.get(row.kind) ?? '',
    row.visitor ?? '',
    row.visit_id ?? '',
    getValueById(row.page),
    getValueById(row.name),
    row.props ?? '',
    row.engaged_ms ?? '',
    row.is_passive ? 'true' : '',
    ...exportedDimensions.map((name) => getValueById(row[name])),
    row.day,
    row.hour,
  ])
}

class ValueCache {
  readonly #q: Queries
  readonly #websiteId: number
  readonly #values = new BoundedMap<number, string>(MAX_CACHED_VALUES)

  constructor(q: Queries, websiteId: number) {
    this.#q = q
    this.#websiteId = websiteId
  }

  /** Returns a lookup function that has every value used in `rows`, even if the cache evicts some of those values in the meantime. */
  async load(rows: readonly ExportedEvent[]): Promise<GetValueById> {
    const ids = new Set(rows.flatMap((row) => [row.page, row.name, ...exportedDimensions.map((name) => row[name])]))
    const values = new Map<number, string>()
    const missingIds: number[] = []
    for (const id of ids) {
      if (id === null) continue
      const value = this.#values.get(id)
      if (value === undefined) missingIds.push(id)
      else values.set(id, value)
    }
    for (const [id, value] of await readValuesById(this.#q, this.#websiteId, missingIds)) {
      this.#values.set(id, value)
      values.set(id, value)
    }
    return (id) => (id === null ? '' : (values.get(id) ?? ''))
  }
}
