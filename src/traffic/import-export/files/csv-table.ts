/** A CSV file whose first line has the names of the columns. */
import { Problem } from '../../../lib/problem.ts'
import type { ImportFile, OnBytes } from './input-files.ts'
import { type CsvRecord, lineError, readCsv } from './read-csv.ts'

export interface CsvTable {
  header: string[]
  /** Each has as many cells as the header. */
  records: AsyncGenerator<CsvRecord[]>
}

/** A caller that does not read to the end calls `records.return()`, which closes the file. */
export async function openCsvTable(file: ImportFile, onBytes: OnBytes = () => {}): Promise<CsvTable> {
  const chunks = readCsv(file.read(onBytes), file.name)
  const { value: firstChunk } = (await chunks.next()) as IteratorResult<CsvRecord[], undefined>
  const header = firstChunk?.shift()?.cells.map((name) => name.trim())
  if (firstChunk === undefined || header === undefined) {
    throw new Problem('validation_failed', `${file.name} is empty.`)
  }
  return { header, records: checkCellCounts(firstChunk, chunks, header.length, file.name) }
}

export async function readCsvHeader(file: ImportFile): Promise<string[]> {
  const { header, records } = await openCsvTable(file)
  // `return` runs the finally block, which closes the file, only in a generator that has started.
  await records.next()
  await records.return(undefined)
  return header
}

async function* checkCellCounts(
  firstChunk: CsvRecord[],
  chunks: AsyncGenerator<CsvRecord[]>,
  length: number,
  file: string,
): AsyncGenerator<CsvRecord[]> {
  const check = (records: CsvRecord[]) => {
    const wrongRecord = records.find(({ cells }) => cells.length !== length)
    if (wrongRecord === undefined) return records
    throw lineError(
      file,
      wrongRecord.line,
      `this line has ${wrongRecord.cells.length} cells, but the first line has ${length}.`,
    )
  }
  try {
    yield check(firstChunk)
    for await (const records of chunks) yield check(records)
  } finally {
    await chunks.return(undefined)
  }
}
