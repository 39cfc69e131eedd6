import type { ServerResponse } from 'node:http'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { serveHttp, serveTcp } from '../support/loopback-servers.ts'
import { createCheck } from './probe-support.ts'

const MIB = 1024 * 1024

/** Starts a server that responds with `body`, and returns its URL. */
async function serve(body: string | Buffer | ((response: ServerResponse) => void), headers = {}): Promise<string> {
  const { port } = await serveHttp((_, response) => {
    response.writeHead(200, headers)
    if (typeof body === 'function') body(response)
    else response.end(body)
  })
  return `http://127.0.0.1:${port}/`
}

/** Sends `chunk` repeatedly without end, as fast as the client reads. */
const writeEndlessly = (chunk: string | Buffer) => (response: ServerResponse) => {
  const writeMore = () => {
    while (response.write(chunk));
  }
  response.on('drain', writeMore)
  writeMore()
}

describe('a keyword', () => {
  it('must be present, or must be absent', async () => {
    const url = await serve('Welcome to the shop')
    const check = createCheck()
    expect((await check(url, { keyword: 'to the' })).failure).toBeNull()
    expect((await check(url, { keyword_absent: 'Fatal' })).failure).toBeNull()
    expect(await check(url, { keyword: 'welcome' })).toMatchObject({
      failure: { cause: 'keyword', detail: 'Response does not contain "welcome"' },
      httpStatus: 200,
      responded: true,
    })
    expect((await check(url, { keyword_absent: 'Welcome' })).failure).toEqual({
      cause: 'keyword',
      detail: 'Response contains "Welcome"',
    })
  })

  it('is not searched in a response with an unexpected status, nor in a redirect', async () => {
    const { port } = await serveHttp((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/b' }).end('Moved')
      else response.writeHead(500).end('Moved')
    })
    expect((await createCheck()(`http://127.0.0.1:${port}/`, { keyword: 'Moved' })).failure?.cause).toBe('http_status')
  })

  it('is found even if the response arrives byte by byte', async () => {
    const { port } = await serveTcp((socket) =>
      socket.once('data', async () => {
        const bytes = Buffer.from('HTTP/1.1 200 OK\r\n\r\nGrüße aus Köln 🔔!')
        for (const byte of bytes) await new Promise((written) => socket.write(Buffer.of(byte), written))
        socket.end()
      }),
    )
    const check = createCheck()
    expect((await check(`http://127.0.0.1:${port}/`, { keyword: 'üße aus Köln 🔔!' })).failure).toBeNull()
    expect((await check(`http://127.0.0.1:${port}/`, { keyword: '!' })).failure).toBeNull()
    expect((await check(`http://127.0.0.1:${port}/`, { keyword: '!!' })).failure?.cause).toBe('keyword')
  })

  it('is searched in the charset of the response', async () => {
    const check = createCheck()
    const latin1Url = await serve(Buffer.from('Grüße', 'latin1'), { 'content-type': 'text/html; charset="ISO-8859-1"' })
    expect((await check(latin1Url, { keyword: 'Grüße' })).failure).toBeNull()
    const utf16Url = await serve(Buffer.from('Grüße', 'utf16le'), { 'content-type': 'text/plain;charset=UTF-16LE' })
    expect((await check(utf16Url, { keyword: 'Grüße' })).failure).toBeNull()
    const unknownCharsetUrl = await serve('Grüße', { 'content-type': 'text/plain; charset=klingon' })
    expect((await check(unknownCharsetUrl, { keyword: 'Grüße' })).failure).toBeNull()
  })

  it.each([
    ['gzip', zlib.gzipSync('Welcome')],
    ['X-GZIP', zlib.gzipSync('Welcome')],
    ['deflate', zlib.deflateSync('Welcome')],
    ['deflate', zlib.deflateRawSync('Welcome')],
    ['br', zlib.brotliCompressSync('Welcome')],
    ['zstd', zlib.zstdCompressSync('Welcome')],
    ['rot13', Buffer.from('Welcome')],
  ])('is found in a compressed response: %s', async (encoding, body) => {
    const url = await serve(body, { 'content-encoding': encoding })
    expect((await createCheck()(url, { keyword: 'Welcome' })).failure).toBeNull()
    expect((await createCheck()(url, { keyword: 'farewell' })).failure?.detail).toContain('does not contain')
  })

  it('is shortened and cleaned in the failure detail', async () => {
    const url = await serve('nothing')
    const { failure } = await createCheck()(url, { keyword: `\ud800\0\n${'🔔'.repeat(400)}` })
    expect(failure?.detail.isWellFormed()).toBe(true)
    expect(failure?.detail).toMatch(/^Response does not contain "� 🔔+…"$/u)
    expect(failure?.detail.length).toBeLessThan(300)
  })
})

describe('a response that is searched for a keyword', () => {
  it('must be complete, even if the keyword is found before its end', async () => {
    const url = await serve((response) => response.write('Welcome', () => response.destroy()))
    expect((await createCheck()(url, { keyword: 'Welcome' })).failure?.cause).toBe('body')
  })

  it('is read up to 1 MiB', async () => {
    const check = createCheck()
    const url = await serve(writeEndlessly('All work and no play. '.repeat(1_000)))
    expect((await check(url, { keyword: 'Welcome' })).failure).toEqual({
      cause: 'keyword',
      detail: 'The first MiB of the response does not contain "Welcome"',
    })
    for (const [position, cause] of [
      [MIB - 7, undefined],
      [MIB - 6, 'keyword'],
    ] as const) {
      const longUrl = await serve(`${'x'.repeat(position)}Welcome${'x'.repeat(1_000)}`)
      expect((await check(longUrl, { keyword: 'Welcome' })).failure?.cause).toBe(cause)
    }
  })

  it('passes if a forbidden text is not in its first MiB, but the result says that the rest was not searched', async () => {
    const check = createCheck()
    const endlessUrl = await serve(writeEndlessly('All work and no play. '.repeat(1_000)))
    expect(await check(endlessUrl, { keyword_absent: 'Fatal' })).toMatchObject({
      failure: null,
      note: 'Only the first MiB of the response was searched for "Fatal"',
    })
    expect(await check(endlessUrl, { keyword_absent: 'no play' })).toMatchObject({
      failure: { detail: 'Response contains "no play"' },
      note: null,
    })
    const wholeUrl = await serve('x'.repeat(MIB))
    expect(await check(wholeUrl, { keyword_absent: 'Fatal' })).toMatchObject({ failure: null, note: null })
  })

  // The lowest quality takes the least time, and compresses enough.
  it.each([
    ['gzip', (bytes: Buffer) => zlib.gzipSync(bytes, { level: 1 })],
    ['br', (bytes: Buffer) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', zlib.zstdCompressSync],
  ] as const)('is decompressed up to 1 MiB, however small its compressed size: %s', async (encoding, compress) => {
    const url = await serve(compress(Buffer.alloc(64 * MIB)), { 'content-encoding': encoding })
    const rssBefore = process.memoryUsage().rss
    expect((await createCheck()(url, { keyword: 'Welcome' })).failure?.detail).toContain(
      'The first MiB of the response',
    )
    expect(process.memoryUsage().rss - rssBefore).toBeLessThan(48 * MIB)
  })

  it('is not decompressed if it was compressed twice, because the intermediate size has no limit', async () => {
    const url = await serve(zlib.gzipSync(zlib.deflateSync('Welcome')), { 'content-encoding': 'deflate, gzip' })
    expect((await createCheck()(url, { keyword: 'Welcome' })).failure?.detail).toContain('does not contain')
  })

  it('is limited even if it decompresses to nothing', async () => {
    // The server sends a gzip header, followed by endless empty blocks.
    const gzipHeader = zlib.gzipSync('').subarray(0, 10)
    const url = await serve(
      (response) => {
        response.write(gzipHeader)
        writeEndlessly(Buffer.from('000000ffff'.repeat(5_000), 'hex'))(response)
      },
      { 'content-encoding': 'gzip' },
    )
    expect((await createCheck()(url, { keyword: 'Welcome' })).failure?.detail).toContain(
      'The first MiB of the response',
    )
  })
})
