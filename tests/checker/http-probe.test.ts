import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { httpProbe } from '../../src/checker/probes/http.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { plainHttp } from '../../src/monitors/http-schema.ts'
import { Guard } from '../../src/outgoing/guard.ts'
import { none } from '../../src/outgoing/private-targets.ts'
import { findClosedPort, serveHttp, serveTcp } from '../support/loopback-servers.ts'
import { checkWith, everywhere, isClosed } from './probe-support.ts'

/** What a server says, word for word, once it has been asked. */
const saying = (words: string) => serveTcp((socket) => socket.once('data', () => socket.write(words, 'latin1')))

describe('a check', () => {
  it('finds a server that answers, and how long each part took', async () => {
    const { port } = await serveHttp()
    expect(await checkWith()(`http://127.0.0.1:${port}/`)).toEqual({
      failure: null,
      responseMs: expect.any(Number),
      timings: { dnsMs: null, connectMs: expect.any(Number), tlsMs: null, firstByteMs: expect.any(Number) },
      httpStatus: 200,
      tlsExpiresAt: null,
      packetLoss: null,
      address: '127.0.0.1',
      answered: true,
    })
  })

  it('asks like a browser that keeps nothing, and sends no fragment', async () => {
    const asked: string[] = []
    const { port } = await serveTcp((socket) =>
      socket.on('data', (bytes) => {
        asked.push(bytes.toString())
        socket.end('HTTP/1.1 204 No Content\r\n\r\n')
      }),
    )
    await checkWith()(`http://127.0.0.1:${port}/a%20b?q=ü#part`)
    expect(asked.join('').split('\r\n')).toEqual([
      'GET /a%20b?q=%C3%BC HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      'User-Agent: Belfry',
      'Accept: */*',
      'Accept-Encoding: identity',
      'Connection: close',
      '',
      '',
    ])
  })

  it('sends its method, headers and body', async () => {
    const asked: { request: IncomingMessage; body: string }[] = []
    const { port } = await serveHttp(async (request, response) => {
      let body = ''
      for await (const piece of request.setEncoding('utf8')) body += piece
      asked.push({ request, body })
      response.end()
    })
    const check = checkWith()
    const headers = { 'user-agent': 'mine', Host: 'shop.example', 'X-Token': 'sécret' }
    await check(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: '{"grüße": true}' })
    await check(`http://127.0.0.1:${port}/`, { method: 'PUT' })
    await check(`http://127.0.0.1:${port}/`, { method: 'HEAD' })
    const [post, put, head] = asked
    expect(post?.request.headers).toEqual({
      'user-agent': 'mine',
      host: 'shop.example',
      'x-token': 'sécret',
      accept: '*/*',
      'accept-encoding': 'identity',
      connection: 'close',
      'content-length': '17',
    })
    expect(post?.body).toBe('{"grüße": true}')
    expect(put?.request.headers['content-length']).toBe('0')
    expect(head?.request.method).toBe('HEAD')
    expect(head?.request.headers).not.toHaveProperty('content-length')
  })

  it('says which status it expected', async () => {
    const { port } = await serveHttp((_, response) => response.writeHead(503).end())
    const check = checkWith()
    expect(await check(`http://127.0.0.1:${port}/`)).toMatchObject({
      failure: { cause: 'http_status', detail: 'answered 503, expected 200-399' },
      httpStatus: 503,
      answered: true,
      responseMs: expect.any(Number),
    })
    for (const expected_status of ['503', '200,500-599', '100-502,503'])
      expect((await check(`http://127.0.0.1:${port}/`, { expected_status })).failure).toBeNull()
    expect((await check(`http://127.0.0.1:${port}/`, { expected_status: '200,504-599' })).failure?.detail).toBe(
      'answered 503, expected 200,504-599',
    )
  })

  it('goes by IPv6 as well', async () => {
    const hosts: unknown[] = []
    const { port } = await serveHttp((request, response) => {
      hosts.push(request.headers.host)
      response.end()
    })
    expect(await checkWith()(`http://[::1]:${port}/`)).toMatchObject({ failure: null, address: '::1' })
    expect(hosts).toEqual([`[::1]:${port}`])
    const closed = await findClosedPort()
    expect((await checkWith()(`http://[::1]:${closed}/`)).failure?.detail).toBe(`connection refused by [::1]:${closed}`)
  })

  it('waits for the answer that follows those that come before it', async () => {
    const { port } = await saying(
      'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n\r\n',
    )
    expect(await checkWith()(`http://127.0.0.1:${port}/`)).toMatchObject({ failure: null, httpStatus: 201 })
  })

  it('takes a change of protocol for an answer', async () => {
    const { port } = await saying('HTTP/1.1 101 Switching Protocols\r\nUpgrade: tea\r\nConnection: Upgrade\r\n\r\nmilk')
    const check = checkWith()
    expect((await check(`http://127.0.0.1:${port}/`)).failure?.detail).toBe('answered 101, expected 200-399')
    expect((await check(`http://127.0.0.1:${port}/`, { expected_status: '101' })).failure).toBeNull()
    expect(
      (await check(`http://127.0.0.1:${port}/`, { expected_status: '101', keyword: 'milk' })).failure?.detail,
    ).toBe('"milk" does not appear in the answer')
  })

  it('ends with the head: no more is read, and the connection is closed', async () => {
    const sockets: Socket[] = []
    let sent = 0
    const { port } = await serveHttp((request, response) => {
      sockets.push(request.socket)
      const more = () => {
        while (response.write(Buffer.alloc(65_536))) sent += 65_536
      }
      response.on('drain', more)
      more()
    })
    expect((await checkWith()(`http://127.0.0.1:${port}/`)).failure).toBeNull()
    await isClosed(sockets[0])
    expect(sent).toBeLessThan(50e6)
  })
})

describe('a server that does not answer well', () => {
  it.each([
    ['speaks another language', '220 mail.example ESMTP\r\n', 'the answer is not valid HTTP'],
    ['speaks nonsense', '\0\0\0\0', 'the answer is not valid HTTP'],
    ['talks too much', `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(100_000)}`, 'the head of the answer is too long'],
    ['has too many headers', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(50_000)}`, 'the head of the answer is too long'],
  ])('is down when it %s', async (_, words, detail) => {
    const { port } = await saying(words)
    expect(await checkWith()(`http://127.0.0.1:${port}/`)).toMatchObject({
      failure: { cause: 'connect', detail },
      httpStatus: null,
      responseMs: null,
      answered: false,
    })
  })

  it('may refuse, reset or close the connection', async () => {
    const check = checkWith()
    const refusing = await findClosedPort()
    expect(await check(`http://127.0.0.1:${refusing}/`)).toMatchObject({
      failure: { cause: 'connect', detail: `connection refused by 127.0.0.1:${refusing}` },
      address: '127.0.0.1',
      answered: false,
    })
    const resetting = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()))
    expect((await check(`http://127.0.0.1:${resetting.port}/`)).failure).toEqual({
      cause: 'connect',
      detail: `connection reset by 127.0.0.1:${resetting.port}`,
    })
    const closing = await serveTcp((socket) => socket.end())
    expect((await check(`http://127.0.0.1:${closing.port}/`)).failure).toEqual({
      cause: 'connect',
      detail: `connection closed by 127.0.0.1:${closing.port}`,
    })
  })

  it.each([
    ['hangs', () => {}],
    ['drips its head', (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Slow: '.padEnd(10_000, 'z'))],
    [
      'says for ever that it will answer',
      (socket: Socket) => drip(socket, 'HTTP/1.1 102 Wait\r\n\r\n'.repeat(1_000), 22),
    ],
  ])('is given up in time when it %s', async (_, behave) => {
    const sockets: Socket[] = []
    const { port } = await serveTcp((socket) => {
      sockets.push(socket)
      behave(socket)
    })
    expect(await checkWith()(`http://127.0.0.1:${port}/`, { timeoutMs: 1_000 })).toMatchObject({
      failure: { cause: 'timeout', detail: 'no answer within 1 s' },
      timings: { connectMs: expect.any(Number), firstByteMs: null },
      responseMs: null,
      answered: false,
    })
    await isClosed(sockets[0])
  })
})

function drip(socket: Socket, words: string, size = 1): void {
  let at = 0
  const timer = setInterval(() => {
    socket.write(words.slice(at, at + size))
    at += size
  }, 5)
  socket.on('close', () => clearInterval(timer))
}

describe('a name', () => {
  it('is looked up, and any of its addresses will do', async () => {
    const { port, reached } = await serveHttp(undefined, '127.0.0.2')
    const guard = everywhere(async () => [
      { address: '127.0.0.3', family: 4 },
      { address: '127.0.0.4', family: 4 },
      { address: '::1', family: 6 },
      { address: '127.0.0.2', family: 4 },
    ])
    expect(await checkWith({ guard })(`http://half-dead.test:${port}/`)).toMatchObject({
      failure: null,
      address: '127.0.0.2',
      timings: { dnsMs: expect.any(Number) },
    })
    expect(reached).toEqual(['127.0.0.2'])
  })

  it('is down when all of its addresses are', async () => {
    const port = await findClosedPort()
    const guard = everywhere(async () => [
      { address: '127.0.0.3', family: 4 },
      { address: '127.0.0.4', family: 4 },
    ])
    expect((await checkWith({ guard })(`http://dead.test:${port}/`)).failure).toEqual({
      cause: 'connect',
      detail: `connection refused by 127.0.0.3:${port}`,
    })
  })

  it('may not exist, or not be found out', async () => {
    const unknown = everywhere(() =>
      Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND', syscall: 'queryA' })),
    )
    expect(await checkWith({ guard: unknown })('http://gone.test/')).toMatchObject({
      failure: { cause: 'dns', detail: 'no such host: gone.test' },
      address: null,
      answered: false,
    })
    const failing = everywhere(() =>
      Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL', syscall: 'queryA' })),
    )
    expect((await checkWith({ guard: failing })('http://broken.test/')).failure).toEqual({
      cause: 'dns',
      detail: 'the host name could not be resolved right now: broken.test',
    })
    const silent = everywhere(() => new Promise(() => {}))
    expect((await checkWith({ guard: silent })('http://slow.test/', { timeoutMs: 100 })).failure).toEqual({
      cause: 'dns',
      detail: 'the name slow.test could not be looked up within 0.1 s',
    })
  })
})

describe('an address that is not public', () => {
  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1'])('is not dialled: %s', async (host) => {
    const { port, reached } = await serveHttp()
    const { failure, answered } = await checkWith({ guard: new Guard(none) })(`http://${host}:${port}/`)
    expect(failure).toEqual({
      cause: 'blocked',
      detail: expect.stringMatching(/is a loopback address, which .* only where BELFRY_PRIVATE_TARGETS allows it$/),
    })
    expect(answered).toBe(false)
    expect(reached).toEqual([])
  })

  it('is not dialled where a name leads to it', async () => {
    const guard = new Guard(none, { resolve: async () => [{ address: '10.0.0.1', family: 4 }] })
    expect((await checkWith({ guard })('http://inner.test/')).failure).toEqual({
      cause: 'blocked',
      detail: expect.stringContaining('inner.test leads to a private address'),
    })
  })
})

describe('a probe that is closed', () => {
  it('lets go of what is under way', async () => {
    const { port } = await serveTcp(() => {})
    const probe = httpProbe({ guard: everywhere(), clock: systemClock })
    const url = `http://127.0.0.1:${port}/`
    const finding = probe.check({ type: 'http', url, timeoutMs: 60_000, http: plainHttp })
    probe.close()
    expect(await finding).toEqual({ unknown: 'This server was stopped during the check' })
  })
})
