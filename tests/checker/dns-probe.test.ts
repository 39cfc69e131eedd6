/** Checks of type dns, against a real name server on loopback. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import dnsPacket from 'dns-packet'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDnsProbe } from '../../src/checker/probes/dns/probe.ts'
import { defaultOptions } from '../../src/monitors/option-schemas.ts'
import { Guard } from '../../src/outgoing/guard.ts'
import { NO_PRIVATE_TARGETS, parsePrivateTargets } from '../../src/outgoing/private-targets.ts'
import { findClosedPort } from '../support/loopback-servers.ts'
import { encodeReply, startNameServer, withLength } from '../support/name-server.ts'
import { checkDns, runDnsCheck, toAddressRecords } from './dns-support.ts'
import { createPermissiveGuard } from './probe-support.ts'

describe('a name server', () => {
  it.each([
    ['NXDOMAIN', 'example.com does not exist (NXDOMAIN)'],
    ['SERVFAIL', 'DNS server SERVER could not resolve example.com (SERVFAIL)'],
    ['REFUSED', 'DNS server SERVER refused to resolve example.com (REFUSED)'],
    ['NOTIMP', 'DNS server SERVER responded with an error for example.com (NOTIMP)'],
    ['NOERROR', 'example.com has no A records'],
  ] as const)('that responds %s without records fails the check', async (code, detail) => {
    const { serverAddress } = await startNameServer(() => ({ code }))
    expect(await checkDns('example.com', { resolver: serverAddress })).toMatchObject({
      failure: { cause: 'dns', detail: detail.replace('SERVER', serverAddress) },
      responded: true,
    })
  })

  it('is asked over TCP if its response is truncated', async () => {
    const { serverAddress, queries } = await startNameServer(({ transport }) =>
      transport === 'udp'
        ? { isTruncated: true, answers: toAddressRecords('203.0.113.66') }
        : { answers: toAddressRecords('203.0.113.7') },
    )
    expect((await checkDns('example.com', { resolver: serverAddress })).note).toBe('A: 203.0.113.7')
    expect(queries.map(({ transport }) => transport)).toEqual(['udp', 'tcp'])
  })

  it('may send its response over TCP one byte at a time', async () => {
    const { serverAddress } = await startNameServer(({ socket, packet }) => {
      if (socket === undefined) return { isTruncated: true }
      const bytes = withLength(encodeReply(packet, { answers: toAddressRecords('203.0.113.7') }))
      const sendByte = (index: number) => {
        if (index < bytes.length)
          socket.write(bytes.subarray(index, index + 1), () => setImmediate(sendByte, index + 1))
      }
      sendByte(0)
      return undefined
    })
    expect((await checkDns('example.com', { resolver: serverAddress })).note).toBe('A: 203.0.113.7')
  })

  it.each<[string, (socket: Socket) => unknown, string, string]>([
    ['stalls', (socket) => socket.write(Buffer.from([1, 0, 7])), 'timeout', 'did not respond over TCP within 0.5 s'],
    ['closes', (socket) => socket.end(), 'connect', 'Connection closed by'],
    ['resets', (socket) => socket.resetAndDestroy(), 'connect', 'Connection reset by'],
    ['sends without end', (socket) => socket.write(Buffer.alloc(65_535, 0xff)), 'dns', 'sent a response that is'],
  ])('that %s over TCP fails the check', async (_, behave, cause, detail) => {
    const { serverAddress } = await startNameServer(({ socket }) => {
      if (socket === undefined) return { isTruncated: true }
      behave(socket)
      return undefined
    })
    expect((await checkDns('example.com', { resolver: serverAddress, timeoutMs: 500 })).failure).toEqual({
      cause,
      detail: expect.stringContaining(detail),
    })
  })

  it('that does not know EDNS is asked without it', async () => {
    const { serverAddress, queries } = await startNameServer(({ hasEdns }) =>
      hasEdns ? { code: 'FORMERR' } : { answers: toAddressRecords('203.0.113.7') },
    )
    expect((await checkDns('example.com', { resolver: serverAddress })).failure).toBeNull()
    expect(queries.map(({ hasEdns }) => hasEdns)).toEqual([true, false])
  })

  it('is asked again if a packet was lost', async () => {
    const { serverAddress, queries } = await startNameServer(() =>
      queries.length === 1 ? undefined : { answers: toAddressRecords('203.0.113.7') },
    )
    expect((await checkDns('example.com', { resolver: serverAddress, timeoutMs: 2_000 })).failure).toBeNull()
    expect(queries.length).toBeGreaterThan(1)
  })

  it('that is too slow fails the check with the cause timeout', async () => {
    const { serverAddress } = await startNameServer(() => undefined)
    expect(await checkDns('example.com', { resolver: serverAddress, timeoutMs: 100 })).toMatchObject({
      failure: { cause: 'timeout', detail: `DNS server ${serverAddress} did not respond within 0.1 s` },
      responded: false,
      responseMs: null,
    })
  })

  it('that does not exist fails the check with the cause connect', async () => {
    const serverAddress = `127.0.0.1:${await findClosedPort()}`
    expect((await checkDns('example.com', { resolver: serverAddress })).failure).toEqual({
      cause: 'connect',
      detail: `Connection refused by ${serverAddress}`,
    })
  })

  it('sends a valid response that counts, even if forged responses with another id or question arrive first', async () => {
    const { serverAddress } = await startNameServer(({ packet }, send) => {
      const forgedAnswers = toAddressRecords('203.0.113.66')
      send(encodeReply(packet, { id: ((packet.id ?? 0) + 1) % 65_536, answers: forgedAnswers }))
      send(encodeReply(packet, { name: 'example.org', answers: forgedAnswers }))
      send(Buffer.from('nonsense'))
      return { answers: toAddressRecords('203.0.113.7') }
    })
    expect((await checkDns('example.com', { resolver: serverAddress })).note).toBe('A: 203.0.113.7')
  })

  it.each([
    [
      'for another question',
      (id: number, packet: Parameters<typeof encodeReply>[0]) => encodeReply(packet, { id, name: 'example.org' }),
    ],
    ['malformed', (id: number) => createPointerLoop(id)],
  ])('that only sends responses that are %s fails the check', async (problem, createMessage) => {
    const { serverAddress } = await startNameServer(({ packet }) => createMessage(packet.id ?? 0, packet))
    expect((await checkDns('example.com', { resolver: serverAddress, timeoutMs: 500 })).failure).toEqual({
      cause: 'dns',
      detail: `DNS server ${serverAddress} sent a response that is ${problem}`,
    })
  })

  it('that floods the check with packets makes it end early', async () => {
    const { serverAddress } = await startNameServer((_query, send) => {
      for (let n = 0; n < 100; n++) send(Buffer.from('nonsense'))
      return undefined
    })
    expect((await checkDns('example.com', { resolver: serverAddress })).failure?.cause).toBe('dns')
  })

  it('is never contacted at a private address, over UDP or TCP, even if the system redirects the connection to one', async () => {
    const { serverAddress, queries } = await startNameServer(() => ({ isTruncated: true }))
    const port = serverAddress.split(':')[1]
    for (const resolver of [serverAddress, `[::1]:${port}`, `[::ffff:127.0.0.1]:${port}`])
      expect((await checkDns('example.com', { resolver, guard: new Guard(NO_PRIVATE_TARGETS) })).failure).toMatchObject(
        {
          cause: 'blocked',
          detail: expect.stringContaining('BELFRY_PRIVATE_TARGETS'),
        },
      )
    const guard = new Guard(parsePrivateTargets('0.0.0.0'))
    expect((await checkDns('example.com', { resolver: `0.0.0.0:${port}`, guard })).failure?.cause).toBe('blocked')
    expect(queries).toEqual([])
  })
})

describe('the name servers of the machine', () => {
  it('may have private addresses, and the result does not show them', async () => {
    const { serverAddress } = await startNameServer(() => ({ code: 'SERVFAIL' }))
    const settings = { systemServers: [serverAddress], guard: new Guard(NO_PRIVATE_TARGETS) }
    expect(await checkDns('example.com', settings)).toMatchObject({
      failure: { cause: 'dns', detail: "Belfry's DNS server could not resolve example.com (SERVFAIL)" },
      responded: false,
    })
  })

  it('are asked one after the other if one fails or does not respond', async () => {
    const failingServer = await startNameServer(() => ({ code: 'SERVFAIL' }))
    const workingServer = await startNameServer(() => ({ answers: toAddressRecords('203.0.113.7') }))
    const closedServer = `127.0.0.1:${await findClosedPort()}`
    const systemServers = [closedServer, failingServer.serverAddress, workingServer.serverAddress]
    expect((await checkDns('example.com', { systemServers })).failure).toBeNull()
  })

  it('make the check inconclusive if none responds', async () => {
    const silentServer = await startNameServer(() => undefined)
    expect(await runDnsCheck('example.com', { systemServers: [silentServer.serverAddress], timeoutMs: 200 })).toEqual({
      inconclusive: "Check couldn't run: the Belfry server got no response from its DNS server within 0.2 s",
    })
    const closedServer = `127.0.0.1:${await findClosedPort()}`
    expect(await runDnsCheck('example.com', { systemServers: [closedServer] })).toEqual({
      inconclusive: "Check couldn't run: the Belfry server can't reach its DNS server",
    })
    expect(await runDnsCheck('example.com')).toHaveProperty('inconclusive')
  })

  it('make the check inconclusive if the response needs TCP, but the connection fails', async () => {
    const truncatingServer = await startNameServer(({ socket }) => {
      socket?.resetAndDestroy()
      return socket === undefined ? { isTruncated: true } : undefined
    })
    const silentServer = await startNameServer(() => undefined)
    const systemServers = [truncatingServer.serverAddress, silentServer.serverAddress]
    // The check ends long before the timeout of 10 minutes.
    expect(await runDnsCheck('example.com', { systemServers, timeoutMs: 600_000 })).toEqual({
      inconclusive: "Check couldn't run: the Belfry server can't reach its DNS server",
    })
  })

  it('fail the check if they respond, but know nothing about the name', async () => {
    const { serverAddress } = await startNameServer(({ name }) =>
      name === '.' ? { answers: [{ type: 'NS', name: '.', data: 'a.root-servers.net' }] } : undefined,
    )
    expect(await checkDns('example.com', { systemServers: [serverAddress], timeoutMs: 500 })).toMatchObject({
      failure: { cause: 'timeout', detail: "Belfry's DNS server got no answer for example.com within 0.5 s" },
      responded: false,
    })
  })
})

it('a check that is still running when the probe closes is inconclusive', async () => {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  const probe = openDnsProbe({ guard: createPermissiveGuard(), listSystemServers: () => [] })
  socket.once('message', () => probe.close())
  const dns = { ...defaultOptions.dns, resolver: `127.0.0.1:${socket.address().port}` }
  expect(await probe.check({ type: 'dns', url: 'example.com', timeoutMs: 10_000, dns })).toEqual({
    inconclusive: 'The Belfry server stopped during the check',
  })
})

/** Creates a response whose question is a compression pointer to itself. */
function createPointerLoop(id: number): Buffer {
  const message = dnsPacket.encode({ type: 'response', id, questions: [{ type: 'A', name: 'example.com' }] })
  message.writeUInt16BE(0xc00c, 12)
  return message
}
