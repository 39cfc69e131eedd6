import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { serveHttp, serveTcp } from '../support/loopback-servers.ts'
import { checkWith, isClosed } from './probe-support.ts'

const MIB = 1024 * 1024

/** The address of a server that answers with this. */
async function serve(body: string | Buffer | ((response: ServerResponse) => void), headers = {}): Promise<string> {
  const { port } = await serveHttp((_, response) => {
    response.writeHead(200, headers)
    if (typeof body === 'function') body(response)
    else response.end(body)
  })
  return `http://127.0.0.1:${port}/`
}

/** Writes for ever, as fast as it is read. */
const endless = (piece: string | Buffer) => (response: ServerResponse) => {
  const more = () => {
    while (response.write(piece));
  }
  response.on('drain', more)
  more()
}

describe('a text', () => {
  it('must appear, or must not', async () => {
    const url = await serve('Welcome to the shop')
    const check = checkWith()
    expect((await check(url, { keyword: 'to the' })).failure).toBeNull()
    expect((await check(url, { keyword_absent: 'Fatal' })).failure).toBeNull()
    expect(await check(url, { keyword: 'welcome' })).toMatchObject({
      failure: { cause: 'keyword', detail: '"welcome" does not appear in the answer' },
      httpStatus: 200,
      answered: true,
    })
    expect((await check(url, { keyword_absent: 'Welcome' })).failure).toEqual({
      cause: 'keyword',
      detail: '"Welcome" appears in the answer',
    })
  })

  it('is not looked for where the status is wrong, nor in what only leads elsewhere', async () => {
    const { port } = await serveHttp((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/b' }).end('Moved')
      else response.writeHead(500).end('Moved')
    })
    expect((await checkWith()(`http://127.0.0.1:${port}/`, { keyword: 'Moved' })).failure?.cause).toBe('http_status')
  })

  it('is found wherever the answer is cut', async () => {
    const { port } = await serveTcp((socket) =>
      socket.once('data', async () => {
        const words = Buffer.from('HTTP/1.1 200 OK\r\n\r\nGrüße aus Köln 🔔!')
        for (const byte of words) await new Promise((written) => socket.write(Buffer.of(byte), written))
        socket.end()
      }),
    )
    const check = checkWith()
    expect((await check(`http://127.0.0.1:${port}/`, { keyword: 'üße aus Köln 🔔!' })).failure).toBeNull()
    expect((await check(`http://127.0.0.1:${port}/`, { keyword: '!' })).failure).toBeNull()
    expect((await check(`http://127.0.0.1:${port}/`, { keyword: '!!' })).failure?.cause).toBe('keyword')
  })

  it('is read in the alphabet that the answer names', async () => {
    const check = checkWith()
    const latin = await serve(Buffer.from('Grüße', 'latin1'), { 'content-type': 'text/html; charset="ISO-8859-1"' })
    expect((await check(latin, { keyword: 'Grüße' })).failure).toBeNull()
    const wide = await serve(Buffer.from('Grüße', 'utf16le'), { 'content-type': 'text/plain;charset=UTF-16LE' })
    expect((await check(wide, { keyword: 'Grüße' })).failure).toBeNull()
    const unknown = await serve('Grüße', { 'content-type': 'text/plain; charset=klingon' })
    expect((await check(unknown, { keyword: 'Grüße' })).failure).toBeNull()
  })

  it.each([
    ['gzip', zlib.gzipSync('Welcome')],
    ['X-GZIP', zlib.gzipSync('Welcome')],
    ['deflate', zlib.deflateSync('Welcome')],
    ['br', zlib.brotliCompressSync('Welcome')],
    ['zstd', zlib.zstdCompressSync('Welcome')],
    ['rot13', Buffer.from('Welcome')],
  ])('is unpacked: %s', async (encoding, body) => {
    const url = await serve(body, { 'content-encoding': encoding })
    expect((await checkWith()(url, { keyword: 'Welcome' })).failure).toBeNull()
    expect((await checkWith()(url, { keyword: 'farewell' })).failure?.detail).toContain('does not appear')
  })

  it.each(['gzip', 'br', 'zstd', 'deflate'])(
    'that is not what it says to be cannot be unpacked: %s',
    async (encoding) => {
      const url = await serve('Welcome, and nothing is packed here at all', { 'content-encoding': encoding })
      expect((await checkWith()(url, { keyword: 'Welcome' })).failure).toEqual({
        cause: 'keyword',
        detail: 'the answer is packed in a way that cannot be undone',
      })
    },
  )

  it('may be long and strange, its report is short and plain', async () => {
    const url = await serve('nothing')
    const { failure } = await checkWith()(url, { keyword: `\ud800\0\n${'🔔'.repeat(400)}` })
    expect(failure?.detail.isWellFormed()).toBe(true)
    expect(failure?.detail).toMatch(/^"� 🔔+…" does not appear in the answer$/u)
    expect(failure?.detail.length).toBeLessThan(300)
  })
})

describe('an answer without end', () => {
  it('is read no further than the text', async () => {
    let socket: Socket | undefined
    const url = await serve((response) => {
      socket = response.socket ?? undefined
      response.write('Welcome')
    })
    expect((await checkWith()(url, { keyword: 'Welcome' })).failure).toBeNull()
    await isClosed(socket)
  })

  it('is read for a MiB', async () => {
    const check = checkWith()
    const url = await serve(endless('All work and no play. '.repeat(1_000)))
    expect((await check(url, { keyword: 'Welcome' })).failure).toEqual({
      cause: 'keyword',
      detail: '"Welcome" does not appear in the first MiB of the answer',
    })
    expect((await check(url, { keyword_absent: 'Welcome' })).failure).toBeNull()
    for (const [place, cause] of [
      [MIB - 7, undefined],
      [MIB - 6, 'keyword'],
    ] as const) {
      const long = await serve(`${'x'.repeat(place)}Welcome${'x'.repeat(1_000)}`)
      expect((await check(long, { keyword: 'Welcome' })).failure?.cause).toBe(cause)
    }
  })

  it.each([
    ['gzip', zlib.gzipSync],
    ['br', (bytes: Buffer) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } })],
    ['zstd', zlib.zstdCompressSync],
  ] as const)('is unpacked no further, however small it was packed: %s', async (encoding, pack) => {
    const url = await serve(pack(Buffer.alloc(64 * MIB)), { 'content-encoding': encoding })
    const before = process.memoryUsage().rss
    expect((await checkWith()(url, { keyword: 'Welcome' })).failure?.detail).toContain('in the first MiB of the answer')
    expect(process.memoryUsage().rss - before).toBeLessThan(48 * MIB)
  })

  it('stays packed where it is packed twice, which could unpack to any size in between', async () => {
    const url = await serve(zlib.gzipSync(zlib.deflateSync('Welcome')), { 'content-encoding': 'deflate, gzip' })
    expect((await checkWith()(url, { keyword: 'Welcome' })).failure?.detail).toContain('does not appear')
  })

  it('ends as well where it unpacks to nothing', async () => {
    // Empty blocks: a head of gzip, and then nothing, again and again.
    const head = zlib.gzipSync('').subarray(0, 10)
    const url = await serve(
      (response) => {
        response.write(head)
        endless(Buffer.from('000000ffff'.repeat(5_000), 'hex'))(response)
      },
      { 'content-encoding': 'gzip' },
    )
    expect((await checkWith()(url, { keyword: 'Welcome' })).failure?.detail).toContain('in the first MiB of the answer')
  })

  it('is given up in time when it drips', async () => {
    let socket: Socket | undefined
    const url = await serve((response) => {
      socket = response.socket ?? undefined
      const timer = setInterval(() => response.write('.'), 5)
      response.on('close', () => clearInterval(timer))
    })
    expect(await checkWith()(url, { keyword: 'Welcome', timeoutMs: 1_000 })).toMatchObject({
      failure: { cause: 'timeout', detail: 'the answer did not end within 1 s' },
      httpStatus: 200,
      timings: { firstByteMs: expect.any(Number) },
      answered: true,
    })
    await isClosed(socket)
  })

  it('that breaks off is a fault of the connection', async () => {
    const url = await serve((response) => {
      response.write('Wel')
      setImmediate(() => response.destroy())
    })
    expect((await checkWith()(url, { keyword: 'Welcome' })).failure).toEqual({
      cause: 'connect',
      detail: `connection closed by ${new URL(url).host}`,
    })
  })
})
