/** CSV as RFC 4180 has it, read piece by piece: quoted cells may hold commas, quotes and line breaks. */
import { Problem } from '../../../lib/problem.ts'

export interface CsvRecord {
  /** Where it begins, counted from 1. */
  line: number
  cells: string[]
}

/** A quote that is never closed would otherwise swallow the rest of the file. */
const RECORD_MOST = 1_000_000

export function lineError(name: string, line: number, complaint: string): Problem {
  return new Problem('validation_failed', `${name}, line ${line}: ${complaint}`)
}

/** All that a piece completes, at once. Lines without anything on them are passed over. */
export async function* readCsv(pieces: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<CsvRecord[]> {
  const assembly = new Assembly(name)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (piece?: Uint8Array) => {
    try {
      return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true })
    } catch {
      const [sound = ''] = new TextDecoder().decode(piece).split('\ufffd')
      throw lineError(name, assembly.line + sound.split('\n').length - 1, 'it is not written in UTF-8.')
    }
  }
  for await (const piece of pieces) {
    const records = assembly.take(decode(piece))
    if (records.length > 0) yield records
  }
  const last = assembly.take(`${decode()}\n`)
  assembly.end()
  if (last.length > 0) yield last
}

class Assembly {
  /** The line that comes next. */
  line = 1
  readonly #name: string
  /** The beginning of a line whose end has not come yet. */
  #rest = ''
  /** The lines so far of a record with a quote that is still open. */
  #open: string[] = []
  #openLength = 0
  #openLine = 1

  constructor(name: string) {
    this.#name = name
  }

  take(text: string): CsvRecord[] {
    const records: CsvRecord[] = []
    const all = this.#rest + text
    let start = 0
    for (let end = all.indexOf('\n'); end !== -1; end = all.indexOf('\n', start)) {
      const record = this.#takeLine(all.slice(start, end))
      if (record !== undefined) records.push(record)
      start = end + 1
    }
    this.#rest = all.slice(start)
    if (this.#rest.length > RECORD_MOST) throw this.#tooLong(this.line)
    return records
  }

  end(): void {
    if (this.#open.length > 0) throw lineError(this.#name, this.#openLine, 'a quote is opened here and never closed.')
  }

  #takeLine(line: string): CsvRecord | undefined {
    const number = this.line++
    if (this.#open.length === 0) {
      if (!line.includes('"')) {
        const plain = withoutReturn(line)
        return plain === '' ? undefined : { line: number, cells: plain.split(',') }
      }
      this.#openLine = number
    }
    const wasOpen = this.#open.length > 0
    this.#open.push(line)
    this.#openLength += line.length + 1
    if (this.#openLength > RECORD_MOST) throw this.#tooLong(this.#openLine)
    if (wasOpen !== hasOddQuotes(line)) return undefined
    const record = withoutReturn(this.#open.join('\n'))
    this.#open = []
    this.#openLength = 0
    return { line: this.#openLine, cells: this.#split(record) }
  }

  #split(record: string): string[] {
    const cells: string[] = []
    for (let at = 0; at <= record.length; ) {
      if (record[at] === '"') {
        const end = closingQuote(record, at)
        const next = record[end + 1]
        if (next !== undefined && next !== ',') {
          throw lineError(this.#name, this.#openLine, 'after a closing quote there must be a comma.')
        }
        cells.push(record.slice(at + 1, end).replaceAll('""', '"'))
        at = end + 2
        if (next === undefined) break
      } else {
        const comma = record.indexOf(',', at)
        const end = comma === -1 ? record.length : comma
        const cell = record.slice(at, end)
        if (cell.includes('"')) throw lineError(this.#name, this.#openLine, 'a quote stands inside a plain cell.')
        cells.push(cell)
        at = end + 1
      }
    }
    return cells
  }

  #tooLong(line: number): Problem {
    return lineError(this.#name, line, `no line may have more than ${RECORD_MOST} characters.`)
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** Quotes inside quotes are doubled, so an odd number of them means that one was opened, or the open one closed. */
function hasOddQuotes(line: string): boolean {
  let isOdd = false
  for (let at = line.indexOf('"'); at !== -1; at = line.indexOf('"', at + 1)) isOdd = !isOdd
  return isOdd
}

function closingQuote(record: string, start: number): number {
  let at = record.indexOf('"', start + 1)
  while (at !== -1 && record[at + 1] === '"') at = record.indexOf('"', at + 2)
  return at === -1 ? record.length : at
}
