import { describe, expect, it } from 'vitest'
import { findBodyFraming } from './body-framing.ts'
import { ResponseHead } from './response-head.ts'

interface Headers {
  status?: number
  contentLength?: string
  transferEncoding?: string
}

const createFraming = ({ status = 200, ...headers }: Headers, method = 'GET') =>
  findBodyFraming(Object.assign(new ResponseHead(status), headers), method)

function readBody(headers: Headers, ...chunks: string[]) {
  const framing = createFraming(headers)
  let [body, isComplete] = ['', false]
  for (const chunk of chunks) isComplete ||= framing?.read(Buffer.from(chunk), (part) => (body += part)) === true
  return { body, isComplete }
}

describe('a response has no body', () => {
  it.each([
    ['to HEAD', { contentLength: '5' }, 'HEAD'],
    ['to HEAD, even with chunks', { transferEncoding: 'chunked' }, 'HEAD'],
    ['with status 101', { status: 101 }, 'GET'],
    ['with status 204', { status: 204, contentLength: '5' }, 'GET'],
    ['with status 304', { status: 304, transferEncoding: 'chunked' }, 'GET'],
    ['with length 0', { contentLength: '000' }, 'GET'],
  ])('%s', (_, headers, method) => {
    expect(createFraming(headers, method)).toBeUndefined()
  })
})

describe('a body', () => {
  it('ends after its length, and the following bytes do not belong to it', () => {
    expect(createFraming({ contentLength: '5' })?.endsWithConnection).toBe(false)
    expect(readBody({ contentLength: '5' }, 'hell')).toEqual({ body: 'hell', isComplete: false })
    expect(readBody({ contentLength: '5' }, 'he', 'll', 'o')).toEqual({ body: 'hello', isComplete: true })
    expect(readBody({ contentLength: '5' }, 'he', 'llo, and more')).toEqual({ body: 'hello', isComplete: true })
  })

  it.each([
    {},
    { transferEncoding: 'identity' },
    { transferEncoding: 'chunked, gzip' },
    { transferEncoding: 'chunked;q=1' },
    { transferEncoding: 'chunked,' },
    { transferEncoding: 'xchunked' },
  ])('ends with the connection: %o', (headers) => {
    expect(createFraming(headers)?.endsWithConnection).toBe(true)
    expect(readBody(headers, '5\r\nhello\r\n', '0\r\n\r\n').isComplete).toBe(false)
  })

  it.each(['chunked', 'Chunked', 'gzip, chunked', 'gzip,chunked', 'chunked, CHUNKED'])(
    'is chunked: %s',
    (transferEncoding) => {
      expect(createFraming({ transferEncoding })?.endsWithConnection).toBe(false)
      expect(readBody({ transferEncoding }, '5\r\nhello\r\n', '0\r\n\r\n')).toEqual({ body: 'hello', isComplete: true })
    },
  )
})
