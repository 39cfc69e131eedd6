/** A check reads the body of every response: a site whose pages are cut off or damaged is not up. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { serveHttp, serveTcp } from '../support/loopback-servers.ts'
import { createCheck, untilClosed } from './probe-support.ts'

const MIB = 1024 * 1024
const text = 'Welcome to the shop. '.repeat(50)

async function serve(respond: (response: ServerResponse) => void): Promise<string> {
  return `http://127.0.0.1:${(await serveHttp((_, response) => respond(response))).port}/`
}

/** Starts a server that responds with exactly these bytes, and closes the connection. */
async function serveBytes(...parts: (string | Buffer)[]): Promise<string> {
  const { port } = await serveTcp((socket) =>
    socket.once('data', () => {
      for (const part of parts) socket.write(part)
      socket.end()
    }),
  )
  return `http://127.0.0.1:${port}/`
}

const serveEncoded = (encoding: string, body: string | Buffer) =>
  serve((response) => response.writeHead(200, { 'content-encoding': encoding }).end(body))

describe('a response', () => {
  it.each([
    [
      'that is shorter than announced',
      ['Content-Length: 1000\r\n\r\n', text.slice(0, 400)],
      'ended after 400 of 1000 bytes',
    ],
    ['without its announced body', ['Content-Length: 1000\r\n\r\n'], 'ended after 0 of 1000 bytes'],
    [
      'that ends before its last chunk',
      ['Transfer-Encoding: chunked\r\n\r\n', '5\r\nhello\r\n'],
      'Connection closed before',
    ],
    [
      'that ends within a chunk',
      ['Transfer-Encoding: chunked\r\n\r\n', '50\r\nhello'],
      'Connection closed before the end',
    ],
    [
      'with an invalid chunk',
      ['Transfer-Encoding: chunked\r\n\r\n', '5\r\nhello\r\nnonsense\r\n'],
      'is not valid HTTP (HPE_',
    ],
  ])('%s is a failure', async (_case, parts, detail) => {
    const url = await serveBytes('HTTP/1.1 200 OK\r\n', ...parts)
    for (const keyword of [null, 'hello']) {
      expect(await createCheck()(url, { keyword })).toMatchObject({
        failure: { cause: 'body', detail: expect.stringContaining(detail) },
        httpStatus: 200,
        responded: true,
        timings: { firstByteMs: expect.any(Number) },
      })
    }
  })

  it('whose connection is reset is a failure, even without an announced length', async () => {
    const { port } = await serveTcp((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\nhel', () => socket.resetAndDestroy())),
    )
    expect((await createCheck()(`http://127.0.0.1:${port}/`)).failure).toEqual({
      cause: 'body',
      detail: 'Connection closed before the end of the response body',
    })
  })

  it.each([
    ['gzip', zlib.gzipSync(text)],
    ['deflate', zlib.deflateSync(text)],
    ['deflate', zlib.deflateRawSync(text)],
    ['br', zlib.brotliCompressSync(text)],
    ['zstd', zlib.zstdCompressSync(text)],
  ])('with %s must be complete and really compressed', async (encoding, body) => {
    const check = createCheck()
    const failure = { cause: 'body', detail: `Response body is not valid ${encoding} data` }
    expect((await check(await serveEncoded(encoding, body))).failure).toBeNull()
    expect((await check(await serveEncoded(encoding, body.subarray(0, body.length - 5)))).failure).toEqual(failure)
    expect((await check(await serveEncoded(encoding, text))).failure).toEqual(failure)
    expect((await check(await serveEncoded(encoding, ''))).failure).toBeNull()
  })

  it('that stalls fails at the timeout', async () => {
    let socket: Socket | undefined
    const url = await serve((response) => {
      socket = response.socket ?? undefined
      response.writeHead(200, { 'content-length': 1_000 }).write('Welcome')
    })
    expect(await createCheck()(url, { timeoutMs: 500 })).toMatchObject({
      failure: { cause: 'timeout', detail: 'Response body took longer than 0.5 s' },
      httpStatus: 200,
      timings: { firstByteMs: expect.any(Number) },
      responded: true,
    })
    await untilClosed(socket)
  })

  it('is read to the end if it ends with the connection', async () => {
    expect((await createCheck()(await serveBytes('HTTP/1.1 200 OK\r\n\r\n', text))).failure).toBeNull()
  })

  it('without a body succeeds immediately, whatever it announces or sends', async () => {
    const check = createCheck()
    const headUrl = await serve((response) => response.writeHead(200, { 'content-length': 1_000 }).end())
    expect((await check(headUrl, { method: 'HEAD' })).failure).toBeNull()
    for (const status of ['204 No Content', '304 Not Modified']) {
      const { port } = await serveTcp((socket) =>
        socket.once('data', () => socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\nnot allowed here`)),
      )
      expect((await check(`http://127.0.0.1:${port}/`, { timeoutMs: 5_000 })).failure).toBeNull()
    }
  })

  it('with more bytes than announced succeeds', async () => {
    const url = await serveBytes('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello, and more')
    expect((await createCheck()(url, { keyword: 'hello' })).failure).toBeNull()
  })

  it('is not read beyond 1 MiB: it succeeds, and the connection is closed', async () => {
    const sockets: Socket[] = []
    let sentBytes = 0
    const url = await serve((response) => {
      if (response.socket) sockets.push(response.socket)
      const writeMore = () => {
        while (response.write(Buffer.alloc(65_536))) sentBytes += 65_536
      }
      response.on('drain', writeMore)
      writeMore()
    })
    expect((await createCheck()(url)).failure).toBeNull()
    await untilClosed(sockets[0])
    expect(sentBytes).toBeLessThan(50 * MIB)
  })
})
