import { describe, expect, it } from 'vitest'
import { escapeFormula, formatCsvLine, unescapeFormula } from '../../../lib/csv.ts'
import { readCsv } from './read-csv.ts'

async function* chunksOf(text: string | Uint8Array, size: number) {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size)
}

async function read(text: string | Uint8Array, chunkSize = 7) {
  return (await Array.fromAsync(readCsv(chunksOf(text, chunkSize), 'a.csv'))).flat()
}

const readCells = async (text: string, chunkSize?: number) => (await read(text, chunkSize)).map(({ cells }) => cells)

describe('reading CSV', () => {
  it('restores what was written, in chunks of any size', async () => {
    const rows = [
      ['plain', '', 'a,b', 'say "ho"', '""', '"'],
      ['two\nlines', 'with\r\nreturn', ' space ', 'ünï 🎈', "o'clock", '\t'],
      ['{"url":"/a,b"}', '\n', '"\n"', ',', '\r', '-1'],
    ]
    const text = rows.map(formatCsvLine).join('')
    for (const chunkSize of [1, 2, 3, 5, 1000]) {
      expect((await readCells(text, chunkSize)).map((cells) => cells.map(unescapeFormula))).toEqual(rows)
    }
  })

  it('accepts all line ends, a byte order mark and empty lines', async () => {
    expect(await readCells('\ufeffa,b\r\n\r\n1,"2"\r\n\n3,4')).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
    ])
  })

  it('says in which line a record begins', async () => {
    const records = await read('a\n"b\nb"\n\nc')
    expect(records.map(({ line }) => line)).toEqual([1, 2, 5])
  })

  it.each([
    ['a\n"b', 'a.csv, line 2: a quote is opened here and never closed.'],
    ['a\nb\n"c"d,e', 'a.csv, line 3: a closing quote must be followed by a comma.'],
    ['a\nb"c",d', 'a.csv, line 2: a cell with a quote in it must be quoted.'],
    [`a\n"${'b\n'.repeat(600_000)}`, 'a.csv, line 2: a line must have at most 1000000 characters.'],
    ['b'.repeat(1_100_000), 'a.csv, line 1: a line must have at most 1000000 characters.'],
    [new Uint8Array([97, 10, 255, 254]), 'a.csv, line 2: the text is not valid UTF-8.'],
  ])('rejects invalid input and names the line', async (text, message) => {
    await expect(read(text, 4_000)).rejects.toThrow(message)
  })
})

describe('cells that a spreadsheet would run as formulas', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', "'=1", "''-1"])('are escaped, and %j is restored', (text) => {
    expect(escapeFormula(text)).toBe(`'${text}`)
    expect(unescapeFormula(escapeFormula(text))).toBe(text)
  })

  it.each(['', 'a', "'", "'a", "''", 'a=b', '/-'])('do not include %j', (text) => {
    expect(escapeFormula(text)).toBe(text)
    expect(unescapeFormula(text)).toBe(text)
  })
})
