/**
 * Reads CSV (RFC 4180) as a stream: quoted cells may hold commas, quotes and line breaks.
 *
 * Belfry has its own reader because imports have millions of lines and come from anywhere. 300,000 lines (54 MB) take
 * 0.7 s of CPU time here and 4.1 s with csv-parse 7.0. Papa Parse 5.7 is as fast, but has no limit for a record: a quote
 * that is never closed, followed by 300 MB, took it five minutes and 1 GB of memory. This reader stops after 1 MB.
 */
import { Problem } from '../../../lib/problem.ts'

export interface CsvRecord {
  /** The line in which the record begins, counted from 1. */
  line: number
  cells: string[]
}

/** In characters. Without a limit, a quote that is never closed would read the rest of the file into memory. */
const MAX_RECORD_LENGTH = 1_000_000

export function lineError(file: string, line: number, message: string): Problem {
  return new Problem('validation_failed', `${file}, line ${line}: ${message}`)
}

/** Yields the records of each chunk together. Skips empty lines. */
export async function* readCsv(chunks: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<CsvRecord[]> {
  const parser = new CsvParser(file)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
    } catch {
      const [validText = ''] = new TextDecoder().decode(chunk).split('\ufffd')
      throw lineError(file, parser.nextLine + validText.split('\n').length - 1, 'the text is not valid UTF-8.')
    }
  }
  for await (const chunk of chunks) {
    const records = parser.parse(decode(chunk))
    if (records.length > 0) yield records
  }
  const lastRecords = parser.parse(`${decode()}\n`)
  parser.end()
  if (lastRecords.length > 0) yield lastRecords
}

class CsvParser {
  nextLine = 1
  readonly #fileName: string
  /** The beginning of a line that the next chunk continues. */
  #partialLine = ''
  /** The lines read so far of a record whose quote is still open. */
  #openLines: string[] = []
  #openLength = 0
  #recordLine = 1

  constructor(fileName: string) {
    this.#fileName = fileName
  }

  parse(text: string): CsvRecord[] {
    const records: CsvRecord[] = []
    const unparsedText = this.#partialLine + text
    let start = 0
    for (let end = unparsedText.indexOf('\n'); end !== -1; end = unparsedText.indexOf('\n', start)) {
      const record = this.#addLine(unparsedText.slice(start, end))
      if (record !== undefined) records.push(record)
      start = end + 1
    }
    this.#partialLine = unparsedText.slice(start)
    if (this.#partialLine.length > MAX_RECORD_LENGTH) throw this.#recordTooLong(this.nextLine)
    return records
  }

  end(): void {
    if (this.#openLines.length > 0) throw this.#error('a quote is opened here and never closed.')
  }

  /** Returns the record that the line completes, if any. */
  #addLine(line: string): CsvRecord | undefined {
    const lineNumber = this.nextLine++
    if (this.#openLines.length === 0) {
      if (!line.includes('"')) {
        const record = removeCarriageReturn(line)
        return record === '' ? undefined : { line: lineNumber, cells: record.split(',') }
      }
      this.#recordLine = lineNumber
    }
    const hadOpenQuote = this.#openLines.length > 0
    this.#openLines.push(line)
    this.#openLength += line.length + 1
    if (this.#openLength > MAX_RECORD_LENGTH) throw this.#recordTooLong(this.#recordLine)
    if (hadOpenQuote !== hasOddQuotes(line)) return undefined
    const record = removeCarriageReturn(this.#openLines.join('\n'))
    this.#openLines = []
    this.#openLength = 0
    return { line: this.#recordLine, cells: this.#splitQuoted(record) }
  }

  #splitQuoted(record: string): string[] {
    const cells: string[] = []
    for (let start = 0; start <= record.length; ) {
      if (record[start] === '"') {
        const end = findClosingQuote(record, start)
        const next = record[end + 1]
        if (next !== undefined && next !== ',') throw this.#error('a closing quote must be followed by a comma.')
        cells.push(record.slice(start + 1, end).replaceAll('""', '"'))
        start = end + 2
        if (next === undefined) break
      } else {
        const comma = record.indexOf(',', start)
        const end = comma === -1 ? record.length : comma
        const cell = record.slice(start, end)
        if (cell.includes('"')) throw this.#error('a cell with a quote in it must be quoted.')
        cells.push(cell)
        start = end + 1
      }
    }
    return cells
  }

  #error(message: string): Problem {
    return lineError(this.#fileName, this.#recordLine, message)
  }

  #recordTooLong(line: number): Problem {
    return lineError(this.#fileName, line, `a line must have at most ${MAX_RECORD_LENGTH} characters.`)
  }
}

function removeCarriageReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** Quotes within a quoted cell are doubled, so an odd number of quotes opens a quoted cell or closes the open one. */
function hasOddQuotes(line: string): boolean {
  let isOdd = false
  for (let index = line.indexOf('"'); index !== -1; index = line.indexOf('"', index + 1)) isOdd = !isOdd
  return isOdd
}

function findClosingQuote(record: string, start: number): number {
  let index = record.indexOf('"', start + 1)
  while (index !== -1 && record[index + 1] === '"') index = record.indexOf('"', index + 2)
  return index === -1 ? record.length : index
}
