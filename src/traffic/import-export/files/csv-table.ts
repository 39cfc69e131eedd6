/** A CSV file with names in its first line. */
import { Problem } from '../../../lib/problem.ts'
import type { ImportFile, OnBytes } from './input-files.ts'
import { type CsvRecord, lineError, readCsv } from './read-csv.ts'

export interface CsvTable {
  header: string[]
  /** Each with as many cells as the header. */
  records: AsyncGenerator<CsvRecord[]>
}

/** Whoever does not read it to its end returns from `records`, which closes the file. */
export async function openCsvTable(input: ImportFile, onBytes: OnBytes = () => {}): Promise<CsvTable> {
  const pieces = readCsv(input.read(onBytes), input.name)
  const { value: first } = (await pieces.next()) as IteratorResult<CsvRecord[], undefined>
  const header = first?.shift()?.cells.map((name) => name.trim())
  if (first === undefined || header === undefined) throw new Problem('validation_failed', `${input.name} is empty.`)
  return { header, records: checkLengths(first, pieces, header.length, input.name) }
}

export async function readCsvHeader(input: ImportFile): Promise<string[]> {
  const { header, records } = await openCsvTable(input)
  // A generator that was never started does not run its last words, and would leave the file open.
  await records.next()
  await records.return(undefined)
  return header
}

async function* checkLengths(
  first: CsvRecord[],
  rest: AsyncGenerator<CsvRecord[]>,
  length: number,
  name: string,
): AsyncGenerator<CsvRecord[]> {
  const check = (records: CsvRecord[]) => {
    const odd = records.find(({ cells }) => cells.length !== length)
    if (odd === undefined) return records
    throw lineError(name, odd.line, `it has ${odd.cells.length} cells, and the first line has ${length}.`)
  }
  try {
    yield check(first)
    for await (const records of rest) yield check(records)
  } finally {
    await rest.return(undefined)
  }
}
