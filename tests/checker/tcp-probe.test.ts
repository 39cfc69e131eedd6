/** Checks of type tcp, against real servers on loopback. */
import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ProbeResult } from '../../src/checker/probes/probe.ts'
import { openTcpProbe } from '../../src/checker/probes/tcp.ts'
import { Guard } from '../../src/outgoing/guard.ts'
import { NO_PRIVATE_TARGETS } from '../../src/outgoing/private-targets.ts'
import { findClosedPort, serveTcp, toIpv4Addresses } from '../support/loopback-servers.ts'
import { createPermissiveGuard, untilClosed, untilReset } from './probe-support.ts'

interface TcpSettings {
  send?: string
  expect?: string
  timeoutMs?: number
  guard?: Guard
}

async function checkTcp(url: string, settings: TcpSettings = {}): Promise<ProbeResult> {
  const { send = null, expect: expected = null, timeoutMs = 10_000, guard = createPermissiveGuard() } = settings
  const probe = openTcpProbe({ guard })
  onTestFinished(() => probe.close())
  const result = await probe.check({ type: 'tcp', url, timeoutMs, tcp: { send, expect: expected } })
  if (!('responded' in result)) throw new Error(JSON.stringify(result))
  return result
}

const saySomething = (text: string) => (socket: Socket) => socket.write(text)
const replyToPing = (socket: Socket) =>
  socket.on('data', (data) => socket.write(data.toString() === 'PING\r\n' ? '+PONG\r\n' : '-ERR\r\n'))

describe('a server that accepts the connection', () => {
  it('is up if no text is expected, even if it says nothing, and the connection is closed', async () => {
    const sockets: Socket[] = []
    const { port } = await serveTcp((socket) => sockets.push(socket))
    expect(await checkTcp(`127.0.0.1:${port}`)).toMatchObject({
      failure: null,
      responded: true,
      responseMs: expect.any(Number),
      timings: { dnsMs: null, connectMs: expect.any(Number), tlsMs: null, firstByteMs: null },
      address: '127.0.0.1',
    })
    await untilClosed(sockets[0])
  })

  it('receives the text to send', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { port } = await serveTcp((socket) => socket.on('data', (data) => resolve(data.toString())))
    expect((await checkTcp(`127.0.0.1:${port}`, { send: 'grüezi\r\n' })).failure).toBeNull()
    expect(await promise).toBe('grüezi\r\n')
  })

  it('is up if it sends the expected text, by itself or as a reply', async () => {
    const greeter = await serveTcp(saySomething('220 mail.example.com ESMTP\r\n'))
    const guard = createPermissiveGuard(async () => toIpv4Addresses('127.0.0.1'))
    expect(await checkTcp(`mail.test:${greeter.port}`, { expect: '220 ', guard })).toMatchObject({
      failure: null,
      timings: { dnsMs: expect.any(Number), connectMs: expect.any(Number), firstByteMs: expect.any(Number) },
    })
    const { port } = await serveTcp(replyToPing)
    expect((await checkTcp(`127.0.0.1:${port}`, { send: 'PING\r\n', expect: '+PONG' })).failure).toBeNull()
  })

  it('is up if the expected text arrives one byte at a time', async () => {
    const { port } = await serveTcp((socket) => {
      socket.setNoDelay()
      const sendByte = (index: number) => {
        if (!socket.destroyed) socket.write('….+PÖNG'.slice(index, index + 1), () => setImmediate(sendByte, index + 1))
      }
      sendByte(0)
    })
    expect((await checkTcp(`127.0.0.1:${port}`, { expect: '+PÖNG' })).failure).toBeNull()
  })

  it('is down with the cause timeout if it never sends anything', async () => {
    const sockets: Socket[] = []
    const { port } = await serveTcp((socket) => sockets.push(socket))
    expect(await checkTcp(`127.0.0.1:${port}`, { expect: '+PONG', timeoutMs: 100 })).toMatchObject({
      failure: { cause: 'timeout', detail: 'Server sent nothing within 0.1 s, expected "+PONG"' },
      responded: false,
      responseMs: null,
    })
    expect(await untilReset(sockets[0])).toBe('ECONNRESET')
  })

  it.each([
    ['says something else', saySomething('-NOAUTH\r\n'), 'Server sent "-NOAUTH", expected "+PONG"'],
    ['says something else and closes', (socket: Socket) => socket.end('Bye\n'), 'Server sent "Bye", expected "+PONG"'],
    ['closes the connection', (socket: Socket) => socket.end(), 'Server closed the connection before it sent "+PONG"'],
    [
      'resets the connection',
      (socket: Socket) => socket.once('data', () => socket.resetAndDestroy()),
      'Server reset the connection before it sent "+PONG"',
    ],
  ])('is down with the cause tcp if it %s instead of the expected text', async (_, behave, detail) => {
    const { port } = await serveTcp(behave)
    const settings = { send: 'PING\r\n', expect: '+PONG', timeoutMs: 500 }
    expect((await checkTcp(`127.0.0.1:${port}`, settings)).failure).toEqual({ cause: 'tcp', detail })
  })

  it('is read up to 64 KiB if it sends without end', async () => {
    let sentBytes = 0
    const { port } = await serveTcp((socket) => {
      const flood = () => {
        if (socket.destroyed) return
        sentBytes += 16_384
        socket.write(Buffer.alloc(16_384, 'x'), flood)
      }
      flood()
    })
    const { failure } = await checkTcp(`127.0.0.1:${port}`, { expect: '+PONG' })
    expect(failure).toEqual({ cause: 'tcp', detail: `Server sent "${'x'.repeat(100)}…", expected "+PONG"` })
    expect(sentBytes).toBeLessThan(16_777_216)
  })
})

describe('a server that does not accept the connection', () => {
  it('is down with the cause connect if it refuses', async () => {
    const port = await findClosedPort()
    expect(await checkTcp(`127.0.0.1:${port}`)).toMatchObject({
      failure: { cause: 'connect', detail: `Connection refused by 127.0.0.1:${port}` },
      responded: false,
      address: '127.0.0.1',
    })
  })

  it('is down with the cause dns if its name does not exist, or the lookup takes too long', async () => {
    const unknownHostGuard = createPermissiveGuard(async () => [])
    expect((await checkTcp('shop.test:25', { guard: unknownHostGuard })).failure).toEqual({
      cause: 'dns',
      detail: 'No such host: shop.test',
    })
    const hangingLookupGuard = createPermissiveGuard(() => new Promise(() => {}))
    expect((await checkTcp('shop.test:25', { guard: hangingLookupGuard, timeoutMs: 50 })).failure).toEqual({
      cause: 'dns',
      detail: 'DNS lookup of shop.test took longer than 0.05 s',
    })
  })

  it('gets no connection if its address is private, even if a public name resolves to it', async () => {
    const { port, contactedAddresses } = await serveTcp(() => {})
    const guard = new Guard(NO_PRIVATE_TARGETS, { resolve: async () => toIpv4Addresses('127.0.0.1') })
    for (const host of ['127.0.0.1', '[::1]', 'shop.test'])
      expect((await checkTcp(`${host}:${port}`, { guard })).failure).toMatchObject({
        cause: 'blocked',
        detail: expect.stringContaining('BELFRY_PRIVATE_TARGETS'),
      })
    expect(contactedAddresses).toEqual([])
  })
})

it('a check that is still running when the probe closes is inconclusive', async () => {
  const probe = openTcpProbe({ guard: createPermissiveGuard() })
  const { port } = await serveTcp(() => probe.close())
  const tcp = { send: null, expect: 'never' }
  expect(await probe.check({ type: 'tcp', url: `127.0.0.1:${port}`, timeoutMs: 10_000, tcp })).toEqual({
    inconclusive: 'The Belfry server stopped during the check',
  })
})
