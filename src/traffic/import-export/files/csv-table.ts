/** A CSV file whose first line has the names of the columns. */
import { Problem } from '../../../lib/problem.ts'
import type { ImportFile, OnBytes } from './input-files.ts'
import { type CsvRecord, lineError, readCsv } from './read-csv.ts'

export interface CsvTable {
  header: string[]
  /** Yields the lines after the header in chunks. Each record has as many cells as the header. */
  recordChunks: AsyncGenerator<CsvRecord[]>
}

/** A caller that stops before the end of the file must call `recordChunks.return()`, which closes the file. */
export async function openCsvTable(file: ImportFile, onBytes: OnBytes = () => {}): Promise<CsvTable> {
  const chunks = readCsv(file.read(onBytes), file.name)
  const { value: firstChunk } = (await chunks.next()) as IteratorResult<CsvRecord[], undefined>
  const header = firstChunk?.shift()?.cells.map((name) => name.trim())
  if (firstChunk === undefined || header === undefined) {
    throw new Problem('validation_failed', `${file.name} is empty.`)
  }
  return { header, recordChunks: checkCellCounts(firstChunk, chunks, header.length, file.name) }
}

export async function readCsvHeader(file: ImportFile): Promise<string[]> {
  const { header, recordChunks } = await openCsvTable(file)
  // `return` runs the finally block, which closes the file, only in a generator that has started.
  await recordChunks.next()
  await recordChunks.return(undefined)
  return header
}

async function* checkCellCounts(
  firstChunk: CsvRecord[],
  chunks: AsyncGenerator<CsvRecord[]>,
  cellCount: number,
  file: string,
): AsyncGenerator<CsvRecord[]> {
  const requireCellCount = (records: CsvRecord[]) => {
    const wrongRecord = records.find(({ cells }) => cells.length !== cellCount)
    if (wrongRecord === undefined) return records
    throw lineError(
      file,
      wrongRecord.line,
      `this line has ${wrongRecord.cells.length} cells, but the first line has ${cellCount}.`,
    )
  }
  try {
    yield requireCellCount(firstChunk)
    for await (const records of chunks) yield requireCellCount(records)
  } finally {
    await chunks.return(undefined)
  }
}
