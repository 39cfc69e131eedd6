/** A website's events as the lines of a CSV file, without ever holding more than some thousand of them. */
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { csvLine } from '../../../lib/csv.ts'
import { DAY_MS } from '../../../shared/time.ts'
import type { Queries } from '../../../storage/client.ts'
import { type EventKind, eventKinds } from '../../model/event.ts'
import { readValuesById, type WebsiteDays } from '../../stats/counts-store.ts'
import {
  type ExportedEvent,
  exportedVisitColumns,
  findEventSpan,
  preferBulkReads,
  readExportedEvents,
} from '../export-store.ts'
import { eventColumns } from './columns.ts'

const ROWS_AT_ONCE = 5_000
/** Of pages, sources, countries… at most 20 MB or so. */
const NAMES_MOST = 100_000

const kindNames = new Map(Object.entries(eventKinds).map(([name, number]) => [number as number, name as EventKind]))

export interface ExportedChunk {
  events: number
  /** Page views and events with a name: what days count. */
  counted: number
  bytes: number
}

/** `q` has to be a transaction that sees one moment. Piece by piece, the header first. */
export async function* exportEvents(
  q: Queries,
  days: WebsiteDays,
  onPiece: (piece: ExportedChunk) => void,
): AsyncGenerator<Buffer> {
  const pass = (lines: string, rows: readonly ExportedEvent[]) => {
    const text = Buffer.from(lines)
    const counted = rows.filter(({ kind }) => kind !== eventKinds.engagement).length
    onPiece({ events: rows.length, counted, bytes: text.length })
    return text
  }
  yield pass(csvLine(eventColumns), [])
  await preferBulkReads(q)
  const span = await findEventSpan(q, days)
  if (span === undefined) return
  const names = new Names(q, days.websiteId)
  const end = span.last + 1
  for (let from = span.first; from < end; from += DAY_MS) {
    const window = { from, to: Math.min(from + DAY_MS, end) }
    for await (const rows of readExportedEvents(q, days, window, ROWS_AT_ONCE)) {
      const nameOf = await names.of(rows)
      yield pass(rows.map((row) => lineOf(row, nameOf)).join(''), rows)
    }
  }
}

type NameOf = (id: number | null) => string

function lineOf(row: ExportedEvent, nameOf: NameOf): string {
  return csvLine([
    new Date(row.at).toISOString(),
    kindNames.get(row.kind) ?? '',
    row.visitor ?? '',
    row.visit_id ?? '',
    nameOf(row.page),
    nameOf(row.name),
    row.props ?? '',
    row.engaged_ms ?? '',
    row.is_passive ? 'true' : '',
    ...exportedVisitColumns.map((name) => nameOf(row[name])),
    row.day,
    row.hour,
  ])
}

/** What numbers stand for. Those that occur again and again are asked for once. */
class Names {
  readonly #q: Queries
  readonly #websiteId: number
  readonly #known = new BoundedMap<number, string>(NAMES_MOST)

  constructor(q: Queries, websiteId: number) {
    this.#q = q
    this.#websiteId = websiteId
  }

  async of(rows: readonly ExportedEvent[]): Promise<NameOf> {
    const wanted = new Set(
      rows.flatMap((row) => [row.page, row.name, ...exportedVisitColumns.map((name) => row[name])]),
    )
    const here = new Map<number, string>()
    const missing: number[] = []
    for (const id of wanted) {
      if (id === null) continue
      const name = this.#known.get(id)
      if (name === undefined) missing.push(id)
      else here.set(id, name)
    }
    for (const [id, name] of await readValuesById(this.#q, this.#websiteId, missing)) {
      this.#known.set(id, name)
      here.set(id, name)
    }
    return (id) => (id === null ? '' : (here.get(id) ?? ''))
  }
}
