import { describe, expect, it } from 'vitest'
import { ChunkedFraming } from './chunked-framing.ts'
import { InvalidResponse } from './invalid-response.ts'

function readChunks(text: string, splitSize = text.length) {
  const framing = new ChunkedFraming()
  const bytes = Buffer.from(text, 'latin1')
  let body = ''
  for (let start = 0; start < bytes.length; start += splitSize) {
    const addToBody = (part: Buffer) => {
      body += part.toString('latin1')
    }
    if (framing.read(bytes.subarray(start, start + splitSize), addToBody)) return { body, isComplete: true }
  }
  return { body, isComplete: false }
}

function findErrorCode(text: string, splitSize?: number): string | undefined {
  try {
    readChunks(text, splitSize)
    return undefined
  } catch (error) {
    if (error instanceof InvalidResponse) return error.code
    throw error
  }
}

describe('a chunked body', () => {
  it.each([
    ['without chunks', '0\r\n\r\n', ''],
    ['with chunks', '5\r\nhello\r\n1\r\n \r\n5\r\nthere\r\n0\r\n\r\n', 'hello there'],
    ['with line breaks in its chunks', '4\r\n\r\n\r\n\r\n0\r\n\r\n', '\r\n\r\n'],
    [
      'with hexadecimal sizes',
      `A\r\n${'x'.repeat(10)}\r\n1f\r\n${'y'.repeat(31)}\r\n0\r\n\r\n`,
      'x'.repeat(10) + 'y'.repeat(31),
    ],
    ['with leading zeros', '00000000000000000005\r\nhello\r\n000\r\n\r\n', 'hello'],
    ['with extensions', '5;a;b=c;d="e;\\"f\t\xff";=;g=h"i"\r\nhello\r\n0;;x\r\n\r\n', 'hello'],
    ['with trailers', '5\r\nhello\r\n0\r\nX: y\r\nZ:\r\n\r\n', 'hello'],
  ])('%s is read', (_, text, body) => {
    for (const splitSize of [1, 2, 3, 7, text.length])
      expect(readChunks(text, splitSize)).toEqual({ body, isComplete: true })
    expect(readChunks(`${text}and more`)).toEqual({ body, isComplete: true })
    expect(readChunks(text.slice(0, -1)).isComplete).toBe(false)
  })

  it.each([
    ['no size', '\r\n', 'HPE_INVALID_CHUNK_SIZE'],
    ['no chunks', '<html>', 'HPE_INVALID_CHUNK_SIZE'],
    ['a negative size', '-5\r\n', 'HPE_INVALID_CHUNK_SIZE'],
    ['a size with a prefix', '0x5\r\n', 'HPE_INVALID_CHUNK_SIZE'],
    ['a size with more than 16 digits', `1${'0'.repeat(16)}\r\n`, 'HPE_INVALID_CHUNK_SIZE'],
    ['a space after the size', '5 \r\n', 'HPE_INVALID_CHUNK_SIZE'],
    ['a space before the size', ' 5\r\n', 'HPE_INVALID_CHUNK_SIZE'],
    ['a bare line feed after the size', '5\n', 'HPE_CR_EXPECTED'],
    ['a bare carriage return after the size', '5\rx\r\n', 'HPE_STRICT'],
    ['an empty extension', '5;\r\n', 'HPE_STRICT'],
    ['a space in an extension', '5; a\r\n', 'HPE_STRICT'],
    ['an unfinished quote', '5;a="b\r\n', 'HPE_STRICT'],
    ['text after a quote', '5;a="b"c\r\n', 'HPE_STRICT'],
    ['NUL in an extension', '5;a\0\r\n', 'HPE_STRICT'],
    ['a chunk that is longer than its size', '5\r\nhello, and', 'HPE_STRICT'],
    ['a bare line feed after a chunk', '5\r\nhello\n', 'HPE_CR_EXPECTED'],
    ['a bare carriage return after a chunk', '5\r\nhello\r5\r\n', 'HPE_STRICT'],
    ['an invalid trailer', '0\r\nnonsense\r\n', 'HPE_INVALID_HEADER_TOKEN'],
    ['a folded trailer', '0\r\nX: y\r\n z\r\n', 'HPE_INVALID_HEADER_TOKEN'],
  ])('with %s is rejected', (_, text, code) => {
    for (const splitSize of [1, 2, text.length]) expect(findErrorCode(text, splitSize)).toBe(code)
  })

  it.each([
    ['a long extension', `5;${'a'.repeat(20_000)}`, 'HPE_CHUNK_EXTENSIONS_OVERFLOW'],
    ['many short extensions', `1;${'a'.repeat(99)}\r\nx\r\n`.repeat(200), 'HPE_CHUNK_EXTENSIONS_OVERFLOW'],
    ['endless zeros', '0'.repeat(20_000), 'HPE_CHUNK_EXTENSIONS_OVERFLOW'],
    ['a long trailer', `0\r\nX: ${'y'.repeat(70_000)}`, 'HPE_HEADER_OVERFLOW'],
    ['many trailers', `0\r\n${'X: y\r\n'.repeat(12_000)}`, 'HPE_HEADER_OVERFLOW'],
  ])('is limited: %s', (_, text, code) => {
    for (const splitSize of [1, 1_000, text.length]) expect(findErrorCode(text, splitSize)).toBe(code)
  })

  it.each([
    ['extensions', `5${';a=b'.repeat(4_000)}\0\r\n`],
    ['a quote', `5;a="${'\\a'.repeat(8_000)}\0"\r\n`],
    ['zeros', `${'0'.repeat(60_000)}x\r\n`],
    ['tiny chunks', '1\r\nx\r\n'.repeat(10_000)],
  ])('takes little CPU time, even with many or long %s', (_, text) => {
    const { user: before } = process.cpuUsage()
    for (const splitSize of [1, text.length]) findErrorCode(text, splitSize)
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(1_000)
  })
})
