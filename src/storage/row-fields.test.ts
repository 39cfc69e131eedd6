import { Parser } from 'pg-protocol/dist/parser.js'
import { describe, expect, it } from 'vitest'
import './row-fields.ts'

function encodeRow(fields: readonly (string | null)[]): Buffer {
  const parts = fields.flatMap((field) => {
    const content = Buffer.from(field ?? '')
    const length = Buffer.alloc(4)
    length.writeInt32BE(field === null ? -1 : content.length)
    return [length, content]
  })
  const fieldCount = Buffer.alloc(2)
  fieldCount.writeInt16BE(fields.length)
  const content = Buffer.concat([fieldCount, ...parts])
  const header = Buffer.alloc(5)
  header.write('D')
  header.writeInt32BE(content.length + 4, 1)
  return Buffer.concat([header, content])
}

/** Reads the messages from chunks of `chunkLength` bytes. */
function readRows(messages: Buffer, chunkLength: number): unknown[] {
  const parser = new Parser()
  const rows: unknown[] = []
  for (let offset = 0; offset < messages.length; offset += chunkLength) {
    // The parser may overwrite a chunk that it has read.
    parser.parse(Buffer.from(messages.subarray(offset, offset + chunkLength)), (message) =>
      rows.push((message as unknown as { fields: unknown }).fields),
    )
  }
  return rows
}

describe('rows', () => {
  const rows = [
    [],
    [null],
    [''],
    ['1', null, 'Ada', '', null],
    // Two, three and four bytes for a character, including characters of Latin-1.
    ['é', 'ÿ', '日本', '🚀', '\u0080', '\ufffd', 'a'],
    ['{"name":"Zoë"}', '{a,b}', '2026-01-05 10:00:00.123+00', null, 'NULL'],
    // Longer than MAX_MESSAGE_LENGTH.
    ['x'.repeat(10_000), null, 'ü'.repeat(5_000)],
    Array.from({ length: 300 }, (_, n) => (n % 7 === 0 ? null : `${n}`)),
  ]

  it.each([1, 7, 64, 100_000])('have their fields, if they arrive in chunks of %d bytes', (chunkLength) => {
    expect(readRows(Buffer.concat(rows.map(encodeRow)), chunkLength)).toEqual(rows)
  })
})
