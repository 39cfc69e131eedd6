/** Reads a whole backup and verifies the order of its tables, their row counts and the checksum. */
import { countLines, type OnProgress } from './dump.ts'
import {
  type BackupExtras,
  type BackupHeader,
  damagedBackupError,
  formatBlockStart,
  parseExtras,
  parseHeader,
  parseTrailer,
  type TableShape,
} from './format.ts'
import { BackupReader } from './reader.ts'

export interface BackupContents {
  header: BackupHeader
  extras: BackupExtras
  sha256: string
  /** The number of rows of each table. */
  rowCounts: Record<string, number>
  /** Size of the rows, uncompressed. */
  bytes: number
}

/** Passes each table's rows to `consume`, which must read all of them. Throws when anything is missing or changed. */
export async function readContents(
  source: AsyncIterable<Buffer>,
  consume: (table: TableShape, rows: AsyncIterable<Buffer>) => Promise<void>,
  onProgress: OnProgress,
): Promise<BackupContents> {
  const reader = new BackupReader(source)
  const header = parseHeader(await reader.readLine())
  const rowCounts: Record<string, number> = {}
  let bytes = 0
  for (const table of header.tables) {
    if ((await reader.readLine()) !== formatBlockStart(table))
      throw damagedBackupError(`the rows of ${table.name} are in the wrong place`)
    rowCounts[table.name] = 0
    await consume(table, countRows(table.name))
  }
  const extras = parseExtras(await reader.readLine())
  const sha256 = reader.digest()
  const trailer = parseTrailer(await reader.readLine(false))
  await reader.expectEnd()
  if (trailer.sha256 !== sha256) throw damagedBackupError("its checksum doesn't match")
  const incompleteTable = header.tables.find(({ name }) => trailer.rows[name] !== rowCounts[name])
  if (incompleteTable !== undefined) throw damagedBackupError(`${incompleteTable.name} has the wrong number of rows`)
  return { header, extras, sha256, rowCounts, bytes }

  async function* countRows(name: string): AsyncGenerator<Buffer> {
    for await (const chunk of reader.readRows()) {
      const count = countLines(chunk)
      rowCounts[name] = (rowCounts[name] ?? 0) + count
      bytes += chunk.length
      onProgress(count, chunk.length)
      yield chunk
    }
  }
}

/** Reads the whole backup and discards it, so that a restore starts only with an intact one. */
export function verifyContents(source: AsyncIterable<Buffer>, onProgress: OnProgress): Promise<BackupContents> {
  return readContents(
    source,
    async (_table, rows) => {
      for await (const _ of rows);
    },
    onProgress,
  )
}
