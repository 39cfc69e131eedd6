import { describe, expect, it } from 'vitest'
import { InvalidResponse } from './invalid-response.ts'
import { ResponseHeadReader } from './response-head.ts'

/** Reads `text`, split into chunks. Returns the needed headers, and what follows the head in the last chunk. */
function readHead(text: string, chunkSize = text.length) {
  const reader = new ResponseHeadReader()
  const bytes = Buffer.from(text, 'latin1')
  for (let start = 0; start < bytes.length; start += chunkSize) {
    const chunk = bytes.subarray(start, start + chunkSize)
    const head = reader.read(chunk)
    if (head !== undefined) return { ...head, rest: chunk.toString('latin1', reader.endPosition) }
  }
  return undefined
}

function findErrorCode(text: string, chunkSize?: number): string | undefined {
  try {
    readHead(text, chunkSize)
    return undefined
  } catch (error) {
    if (error instanceof InvalidResponse) return error.code
    throw error
  }
}

const OK = 'HTTP/1.1 200 OK\r\n'

describe('the head of a response', () => {
  it.each([
    ['a status', OK, { status: 200 }],
    ['a status without a reason', 'HTTP/1.0 404\r\n', { status: 404 }],
    ['a status with an empty reason', 'HTTP/1.1 503 \r\n', { status: 503 }],
    ['a reason with any bytes', 'HTTP/1.1 200 \0\xff\t\r\n', { status: 200 }],
    ['unusual versions and statuses', 'HTTP/2.0 999 x\r\n', { status: 999 }],
    ['line breaks before the status', `\r\n\n\r${OK}`, { status: 200 }],
    [
      'the names of headers in any case',
      `${OK}LOCATION: /a\r\nContent-type: b\r\n`,
      { location: '/a', contentType: 'b' },
    ],
    ['values without the spaces around them', `${OK}Location: \t a  b \t\r\nX: c\r\n`, { location: 'a  b' }],
    ['no-break spaces as part of a value', `${OK}Location:\xa0a\xa0\r\n`, { location: '\xa0a\xa0' }],
    ['empty values', `${OK}Location:\r\nContent-Type: \r\n`, { location: '', contentType: '' }],
    ['the first of several locations', `${OK}Location: /a\r\nLocation: /b\r\n`, { location: '/a' }],
    ['the first of several types', `${OK}Content-Type: a\r\nContent-Type: b\r\n`, { contentType: 'a' }],
    ['all cookies', `${OK}Set-Cookie: a\r\nX: y\r\nset-cookie: b\r\n`, { setCookies: ['a', 'b'] }],
    ['all encodings', `${OK}Content-Encoding: a\r\nContent-Encoding: b\r\n`, { contentEncoding: 'a, b' }],
    [
      'all transfer encodings',
      `${OK}Transfer-Encoding: a, b\r\nTransfer-Encoding: c\r\n`,
      { transferEncoding: 'a, b, c' },
    ],
    ['the length as it was sent', `${OK}Content-Length: 007\t \r\n`, { contentLength: '007' }],
    ['no headers with similar names', `${OK}X-Location: /a\r\nLocations: /b\r\nContent-Lengths: 5\r\n`, {}],
  ])('contains %s', (_, lines, expected) => {
    const whole = readHead(`${lines}\r\nbody`)
    expect(whole).toMatchObject({ ...expected, rest: 'body' })
    for (const chunkSize of [1, 2, 7, lines.length, lines.length + 1]) {
      expect({ ...readHead(`${lines}\r\n`, chunkSize) }).toEqual({ ...whole, rest: '' })
    }
  })

  it('comes after informational responses, which may have headers', () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nLocation: /wrong\r\nContent-Length: 5\r\n\r\n'
    const text = `HTTP/1.1 100 Continue\r\n\r\n${early}HTTP/1.1 199 Odd\r\n\r\n${OK}\r\n`
    for (const chunkSize of [1, 5, early.length, text.length]) {
      expect(readHead(text, chunkSize)).toMatchObject({ status: 200, location: undefined, contentLength: undefined })
    }
  })

  it('may announce another protocol, whose bytes follow', () => {
    expect(readHead('HTTP/1.1 101 Switching Protocols\r\n\r\nmilk')).toMatchObject({ status: 101, rest: 'milk' })
  })

  it.each([
    ['HTTP/0.9, which has no head', '<html>'],
    ['another protocol', '220 mail.example ESMTP\r\n'],
    ['another protocol without a line break', 'SSH'],
    ['binary data', '\0\0\0'],
    ['HTTP/2', '\0\0\x12\x04'],
    ['Shoutcast', 'ICY 200 OK\r\n'],
    ['RTSP', 'RTSP/1.0 200 OK\r\n'],
    ['an unknown version', 'HTTP/1.2 200 OK\r\n'],
    ['lowercase', 'http/1.1 200 OK\r\n'],
    ['a short status', 'HTTP/1.1 20 OK\r\n'],
    ['a long status', 'HTTP/1.1 2000 OK\r\n'],
    ['two spaces before the status', 'HTTP/1.1  200 OK\r\n'],
    ['a tab after the status', 'HTTP/1.1 200\tOK\r\n'],
    ['a bare line feed after the status', 'HTTP/1.1 200 OK\n'],
    ['a bare carriage return after the status', 'HTTP/1.1 200 OK\rX: y\r\n'],
    ['a bare line feed after a header', `${OK}X: y\n`],
    ['a bare carriage return in a header', `${OK}X: y\rZ: z\r\n`],
    ['NUL in a header', `${OK}X: a\0b\r\n`],
    ['a control character in a header', `${OK}X: \x1b\r\n`],
    ['a folded header', `${OK}X: y\r\n z\r\n`],
    ['a space before the first header', `${OK} X: y\r\n`],
    ['a space in a name', `${OK}X Y: z\r\n`],
    ['a space before the colon', `${OK}Location : /\r\n`],
    ['a header without a name', `${OK}: z\r\n`],
    ['a header without a colon', `${OK}X\r\n`],
    ['an empty length', `${OK}Content-Length:\r\n`],
    ['a negative length', `${OK}Content-Length: -1\r\n`],
    ['a list of lengths', `${OK}Content-Length: 5, 5\r\n`],
    ['an enormous length', `${OK}Content-Length: 99999999999999999999\r\n`],
    ['different lengths', `${OK}Content-Length: 5\r\nContent-Length: 6\r\n`],
    ['the same length twice', `${OK}Content-Length: 5\r\nContent-Length: 5\r\n`],
    ['a length and an encoding', `${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`],
    ['an encoding and a length', `${OK}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n`],
    ['an empty transfer encoding', `${OK}Transfer-Encoding:\r\n`],
  ])('is rejected if it is or contains %s', (_, text) => {
    for (const chunkSize of [1, 3, text.length])
      expect(findErrorCode(text, chunkSize)).toMatch(/^HPE_(?!HEADER_OVERFLOW)/)
    expect(findErrorCode(`${text}\r\n`)).toMatch(/^HPE_(?!HEADER_OVERFLOW)/)
  })

  it.each([
    ['a long header', `${OK}X: ${'y'.repeat(65_536)}`],
    ['many headers', `${OK}${'X: y\r\n'.repeat(12_000)}`],
    ['a long status line', `HTTP/1.1 200 ${'y'.repeat(65_536)}`],
    ['line breaks', '\r\n'.repeat(33_000)],
    ['informational responses', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3_000)],
  ])('is limited to 64 KiB: %s', (_, text) => {
    for (const chunkSize of [1, 1_000, text.length]) expect(findErrorCode(text, chunkSize)).toBe('HPE_HEADER_OVERFLOW')
    expect(findErrorCode(text.slice(0, 65_000))).toBeUndefined()
  })

  it.each([
    ['spaces around a value', `${OK}Location: ${' '.repeat(30_000)}a${' '.repeat(30_000)}\r\n\r\n`],
    ['spaces within a value', `${OK}Location: a${' '.repeat(60_000)}b\r\n\r\n`],
    ['spaces before an invalid character', `${OK}Location: ${' '.repeat(60_000)}\0\r\n\r\n`],
    ['a line without a colon', `${OK}${'a'.repeat(60_000)}\r\n\r\n`],
    ['many cookies', `${OK}${'Set-Cookie: a\r\n'.repeat(4_000)}\r\n`],
    ['many encodings', `${OK}${'Content-Encoding: a\r\n'.repeat(2_500)}\r\n`],
  ])('takes little CPU time, even with %s', (_, text) => {
    const { user: before } = process.cpuUsage()
    for (const chunkSize of [1, text.length]) findErrorCode(text, chunkSize)
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(1_000)
  })
})
