import { describe, expect, it } from 'vitest'
import { csvLine, defuse, undoDefuse } from '../../../lib/csv.ts'
import { readCsv } from './read-csv.ts'

async function* pieces(text: string | Uint8Array, size: number) {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(text: string | Uint8Array, size = 7) {
  return (await Array.fromAsync(readCsv(pieces(text, size), 'a.csv'))).flat()
}

const cellsOf = async (text: string, size?: number) => (await read(text, size)).map(({ cells }) => cells)

describe('CSV', () => {
  it('is read as it is written, in pieces of any size', async () => {
    const rows = [
      ['plain', '', 'a,b', 'say "ho"', '""', '"'],
      ['two\nlines', 'with\r\nreturn', ' space ', 'ünï 🎈', "o'clock", '\t'],
      ['{"url":"/a,b"}', '\n', '"\n"', ',', '\r', '-1'],
    ]
    const text = rows.map(csvLine).join('')
    for (const size of [1, 2, 3, 5, 1000]) {
      expect((await cellsOf(text, size)).map((cells) => cells.map(undoDefuse))).toEqual(rows)
    }
  })

  it('may end its lines in any way, begin with a mark of its order, and have empty lines', async () => {
    expect(await cellsOf('\ufeffa,b\r\n\r\n1,"2"\r\n\n3,4')).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
    ])
  })

  it('knows in which line a record begins', async () => {
    const records = await read('a\n"b\nb"\n\nc')
    expect(records.map(({ line }) => line)).toEqual([1, 2, 5])
  })

  it.each([
    ['a\n"b', 'a.csv, line 2: a quote is opened here and never closed.'],
    ['a\nb\n"c"d,e', 'a.csv, line 3: after a closing quote there must be a comma.'],
    ['a\nb"c",d', 'a.csv, line 2: a quote stands inside a plain cell.'],
    [`a\n"${'b\n'.repeat(600_000)}`, 'a.csv, line 2: no line may have more than 1000000 characters.'],
    ['b'.repeat(1_100_000), 'a.csv, line 1: no line may have more than 1000000 characters.'],
    [new Uint8Array([97, 10, 255, 254]), 'a.csv, line 2: it is not written in UTF-8.'],
  ])('is refused with its line where it is none', async (text, complaint) => {
    await expect(read(text, 4_000)).rejects.toThrow(complaint)
  })
})

describe('cells that a spreadsheet would run', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', "'=1", "''-1"])('are defused, and %j comes back', (text) => {
    expect(defuse(text)).toBe(`'${text}`)
    expect(undoDefuse(defuse(text))).toBe(text)
  })

  it.each(['', 'a', "'", "'a", "''", 'a=b', '/-'])('are not others such as %j', (text) => {
    expect(defuse(text)).toBe(text)
    expect(undoDefuse(text)).toBe(text)
  })
})
