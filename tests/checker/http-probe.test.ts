import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { openHttpProbe } from '../../src/checker/probes/http/probe.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { defaultHttpSettings } from '../../src/monitors/http-schema.ts'
import { Guard } from '../../src/outgoing/guard.ts'
import { NO_PRIVATE_TARGETS } from '../../src/outgoing/private-targets.ts'
import { findClosedPort, serveHttp, serveTcp } from '../support/loopback-servers.ts'
import { createCheck, createPermissiveGuard, untilReset } from './probe-support.ts'

/** Starts a server that responds to each request with exactly `bytes`. */
const serveBytes = (bytes: string) => serveTcp((socket) => socket.once('data', () => socket.write(bytes, 'latin1')))

describe('an HTTP check', () => {
  it('reports a successful response and the duration of each phase', async () => {
    const { port } = await serveHttp()
    expect(await createCheck()(`http://127.0.0.1:${port}/`)).toEqual({
      failure: null,
      note: null,
      responseMs: expect.any(Number),
      timings: { dnsMs: null, connectMs: expect.any(Number), tlsMs: null, firstByteMs: expect.any(Number) },
      httpStatus: 200,
      expiresAt: null,
      packetLoss: null,
      address: '127.0.0.1',
      responded: true,
    })
  })

  it('sends a minimal request without the URL fragment', async () => {
    const receivedChunks: string[] = []
    const { port } = await serveTcp((socket) =>
      socket.on('data', (bytes) => {
        receivedChunks.push(bytes.toString())
        socket.end('HTTP/1.1 204 No Content\r\n\r\n')
      }),
    )
    await createCheck()(`http://127.0.0.1:${port}/a%20b?q=ü#part`)
    expect(receivedChunks.join('').split('\r\n')).toEqual([
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
    const receivedRequests: { request: IncomingMessage; body: string }[] = []
    const { port } = await serveHttp(async (request, response) => {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      receivedRequests.push({ request, body })
      response.end()
    })
    const check = createCheck()
    const headers = { 'user-agent': 'mine', Host: 'shop.example', 'X-Token': 'sécret' }
    await check(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: '{"grüße": true}' })
    await check(`http://127.0.0.1:${port}/`, { method: 'PUT' })
    await check(`http://127.0.0.1:${port}/`, { method: 'HEAD' })
    const [postRequest, putRequest, headRequest] = receivedRequests
    expect(postRequest?.request.headers).toEqual({
      'user-agent': 'mine',
      host: 'shop.example',
      'x-token': 'sécret',
      accept: '*/*',
      'accept-encoding': 'identity',
      connection: 'close',
      'content-length': '17',
    })
    expect(postRequest?.body).toBe('{"grüße": true}')
    expect(putRequest?.request.headers['content-length']).toBe('0')
    expect(headRequest?.request.method).toBe('HEAD')
    expect(headRequest?.request.headers).not.toHaveProperty('content-length')
  })

  it('reports the actual and the expected status', async () => {
    const { port } = await serveHttp((_, response) => response.writeHead(503).end())
    const check = createCheck()
    expect(await check(`http://127.0.0.1:${port}/`)).toMatchObject({
      failure: { cause: 'http_status', detail: 'Status 503, expected 200–399' },
      httpStatus: 503,
      responded: true,
      responseMs: expect.any(Number),
    })
    for (const expected_status of ['503', '200,500-599', '100-502,503'])
      expect((await check(`http://127.0.0.1:${port}/`, { expected_status })).failure).toBeNull()
    expect((await check(`http://127.0.0.1:${port}/`, { expected_status: '200,504-599' })).failure?.detail).toBe(
      'Status 503, expected 200, 504–599',
    )
  })

  it('works over IPv6', async () => {
    const hosts: unknown[] = []
    const { port } = await serveHttp((request, response) => {
      hosts.push(request.headers.host)
      response.end()
    })
    expect(await createCheck()(`http://[::1]:${port}/`)).toMatchObject({ failure: null, address: '::1' })
    expect(hosts).toEqual([`[::1]:${port}`])
    const closedPort = await findClosedPort()
    expect((await createCheck()(`http://[::1]:${closedPort}/`)).failure?.detail).toBe(
      `Connection refused by [::1]:${closedPort}`,
    )
  })

  it('skips informational responses', async () => {
    const { port } = await serveBytes(
      'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n',
    )
    expect(await createCheck()(`http://127.0.0.1:${port}/`)).toMatchObject({ failure: null, httpStatus: 201 })
  })

  it('accepts a protocol switch as a response', async () => {
    const { port } = await serveBytes(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: tea\r\nConnection: Upgrade\r\n\r\nmilk',
    )
    const check = createCheck()
    expect((await check(`http://127.0.0.1:${port}/`)).failure?.detail).toBe('Status 101, expected 200–399')
    expect((await check(`http://127.0.0.1:${port}/`, { expected_status: '101' })).failure).toBeNull()
    expect(
      (await check(`http://127.0.0.1:${port}/`, { expected_status: '101', keyword: 'milk' })).failure?.detail,
    ).toBe('Response does not contain "milk"')
  })
})

describe('a misbehaving server', () => {
  it.each([
    ['speaks another protocol', '220 mail.example ESMTP\r\n', 'The response is not valid HTTP'],
    ['sends garbage', '\0\0\0\0', 'The response is not valid HTTP'],
    ['sends a long header', `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(100_000)}`, 'Response headers are too long'],
    ['sends too many headers', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(50_000)}`, 'Response headers are too long'],
  ])('is down if it %s', async (_, bytes, detail) => {
    const { port } = await serveBytes(bytes)
    expect(await createCheck()(`http://127.0.0.1:${port}/`)).toMatchObject({
      failure: { cause: 'connect', detail },
      httpStatus: null,
      responseMs: null,
      responded: false,
    })
  })

  it('is down if it refuses, resets or closes the connection', async () => {
    const check = createCheck()
    const closedPort = await findClosedPort()
    expect(await check(`http://127.0.0.1:${closedPort}/`)).toMatchObject({
      failure: { cause: 'connect', detail: `Connection refused by 127.0.0.1:${closedPort}` },
      address: '127.0.0.1',
      responded: false,
    })
    const resettingServer = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()))
    expect((await check(`http://127.0.0.1:${resettingServer.port}/`)).failure).toEqual({
      cause: 'connect',
      detail: `Connection reset by 127.0.0.1:${resettingServer.port}`,
    })
    const closingServer = await serveTcp((socket) => socket.end())
    expect((await check(`http://127.0.0.1:${closingServer.port}/`)).failure).toEqual({
      cause: 'connect',
      detail: `Connection closed by 127.0.0.1:${closingServer.port}`,
    })
  })

  it.each([
    ['hangs', () => {}],
    [
      'sends its headers too slowly',
      (socket: Socket) => writeSlowly(socket, 'HTTP/1.1 200 OK\r\nX-Slow: '.padEnd(10_000, 'z')),
    ],
    [
      'sends informational responses without end',
      (socket: Socket) => writeSlowly(socket, 'HTTP/1.1 102 Wait\r\n\r\n'.repeat(1_000), 22),
    ],
  ])('is down at the timeout if it %s', async (_, behave) => {
    const sockets: Socket[] = []
    const { port } = await serveTcp((socket) => {
      sockets.push(socket)
      behave(socket)
    })
    expect(await createCheck()(`http://127.0.0.1:${port}/`, { timeoutMs: 1_000 })).toMatchObject({
      failure: { cause: 'timeout', detail: 'Response took longer than 1 s' },
      timings: { connectMs: expect.any(Number), firstByteMs: null },
      responseMs: null,
      responded: false,
    })
    expect(await untilReset(sockets[0])).toMatch(/^(ECONNRESET|EPIPE)$/)
  })
})

function writeSlowly(socket: Socket, text: string, chunkSize = 1): void {
  let position = 0
  const timer = setInterval(() => {
    socket.write(text.slice(position, position + chunkSize))
    position += chunkSize
  }, 5)
  socket.on('close', () => clearInterval(timer))
}

describe('a host name', () => {
  it('is looked up, and one working address is enough', async () => {
    const { port, contactedAddresses } = await serveHttp(undefined, '127.0.0.2')
    const guard = createPermissiveGuard(async () => [
      { address: '127.0.0.3', family: 4 },
      { address: '127.0.0.4', family: 4 },
      { address: '::1', family: 6 },
      { address: '127.0.0.2', family: 4 },
    ])
    expect(await createCheck({ guard })(`http://half-dead.test:${port}/`)).toMatchObject({
      failure: null,
      address: '127.0.0.2',
      timings: { dnsMs: expect.any(Number) },
    })
    expect(contactedAddresses).toEqual(['127.0.0.2'])
  })

  it('is down if all of its addresses are down', async () => {
    const port = await findClosedPort()
    const guard = createPermissiveGuard(async () => [
      { address: '127.0.0.3', family: 4 },
      { address: '127.0.0.4', family: 4 },
    ])
    expect((await createCheck({ guard })(`http://dead.test:${port}/`)).failure).toEqual({
      cause: 'connect',
      detail: `Connection refused by 127.0.0.3:${port}`,
    })
  })

  it('is down if it does not exist or cannot be resolved', async () => {
    const unknownHostGuard = createPermissiveGuard(() =>
      Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND', syscall: 'queryA' })),
    )
    expect(await createCheck({ guard: unknownHostGuard })('http://gone.test/')).toMatchObject({
      failure: { cause: 'dns', detail: 'No such host: gone.test' },
      address: null,
      responded: false,
    })
    const failingLookupGuard = createPermissiveGuard(() =>
      Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL', syscall: 'queryA' })),
    )
    expect((await createCheck({ guard: failingLookupGuard })('http://broken.test/')).failure).toEqual({
      cause: 'dns',
      detail: 'The host name could not be resolved: broken.test',
    })
    const silentLookupGuard = createPermissiveGuard(() => new Promise(() => {}))
    expect((await createCheck({ guard: silentLookupGuard })('http://slow.test/', { timeoutMs: 100 })).failure).toEqual({
      cause: 'dns',
      detail: 'DNS lookup of slow.test took longer than 0.1 s',
    })
  })
})

describe('a private address', () => {
  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1'])('gets no connection: %s', async (host) => {
    const { port, contactedAddresses } = await serveHttp()
    const { failure, responded } = await createCheck({ guard: new Guard(NO_PRIVATE_TARGETS) })(
      `http://${host}:${port}/`,
    )
    expect(failure).toEqual({
      cause: 'blocked',
      detail: expect.stringMatching(
        /is a loopback address\. Belfry connects to it only if BELFRY_PRIVATE_TARGETS contains \S+$/,
      ),
    })
    expect(responded).toBe(false)
    expect(contactedAddresses).toEqual([])
  })

  it('gets no connection if a host name resolves to it', async () => {
    const guard = new Guard(NO_PRIVATE_TARGETS, { resolve: async () => [{ address: '10.0.0.1', family: 4 }] })
    expect((await createCheck({ guard })('http://inner.test/')).failure).toEqual({
      cause: 'blocked',
      detail: expect.stringContaining('inner.test resolves to a private address'),
    })
  })
})

describe('a closed probe', () => {
  it('ends running checks', async () => {
    const { port } = await serveTcp(() => {})
    const probe = openHttpProbe({ guard: createPermissiveGuard(), clock: systemClock })
    const url = `http://127.0.0.1:${port}/`
    const result = probe.check({ type: 'http', url, teamId: 1, timeoutMs: 60_000, http: defaultHttpSettings })
    probe.close()
    expect(await result).toEqual({ inconclusive: 'The Belfry server stopped during the check' })
  })
})
