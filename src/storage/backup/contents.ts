/** A whole backup from its first byte to its last: its order, its counts, its checksum. */
import { countLines, type OnProgress } from './dump.ts'
import {
  blockStart,
  damaged,
  type Header,
  parseHeader,
  parseRest,
  parseTrailer,
  type Rest,
  type TableShape,
} from './format.ts'
import { BackupReader } from './reader.ts'

export interface Contents {
  header: Header
  rest: Rest
  sha256: string
  rows: number
  /** Of rows, unpacked. */
  bytes: number
}

/** Gives each table's rows to `take`, which must read them all. Throws where anything is missing or changed. */
export async function readContents(
  source: AsyncIterable<Buffer>,
  take: (table: TableShape, rows: AsyncIterable<Buffer>) => Promise<void>,
  onProgress: OnProgress,
): Promise<Contents> {
  const reader = new BackupReader(source)
  const header = parseHeader(await reader.line())
  const counts: Record<string, number> = {}
  let bytes = 0
  for (const table of header.tables) {
    if ((await reader.line()) !== blockStart(table))
      throw damaged(`the rows of ${table.name} are not where they belong`)
    counts[table.name] = 0
    await take(table, counted(table.name))
  }
  const rest = parseRest(await reader.line())
  const sha256 = reader.digest()
  const trailer = parseTrailer(await reader.line(false))
  await reader.end()
  if (trailer.sha256 !== sha256) throw damaged('its checksum does not match')
  const short = header.tables.find(({ name }) => trailer.rows[name] !== counts[name])
  if (short !== undefined) throw damaged(`${short.name} has another number of rows than it should`)
  return { header, rest, sha256, rows: Object.values(counts).reduce((sum, count) => sum + count, 0), bytes }

  async function* counted(name: string): AsyncGenerator<Buffer> {
    for await (const piece of reader.rows()) {
      const count = countLines(piece)
      counts[name] = (counts[name] ?? 0) + count
      bytes += piece.length
      onProgress(count, piece.length)
      yield piece
    }
  }
}

/** Reads everything and keeps nothing: whoever restores it knows beforehand that it is whole. */
export function verifyContents(source: AsyncIterable<Buffer>, onProgress: OnProgress): Promise<Contents> {
  return readContents(
    source,
    async (_table, rows) => {
      for await (const _ of rows);
    },
    onProgress,
  )
}
