/** Checks of type tls, against real servers on loopback. */
import type { Socket } from 'node:net'
import { createSecureContext, createServer } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ProbeResult } from '../../src/checker/probes/probe.ts'
import { openTlsProbe, type TlsProbeOptions } from '../../src/checker/probes/tls.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { Guard } from '../../src/outgoing/guard.ts'
import { NO_PRIVATE_TARGETS } from '../../src/outgoing/private-targets.ts'
import {
  findClosedPort,
  serveTcp,
  testCertificate,
  testPrivateKey,
  toIpv4Addresses,
} from '../support/loopback-servers.ts'
import {
  authorityCertificate,
  expiredCertificate,
  notYetValidCertificate,
  otherHostCertificate,
  serverPrivateKey,
  validCertificate,
} from './certificates.ts'
import { createPermissiveGuard, untilReset } from './probe-support.ts'

const loopbackGuard = createPermissiveGuard(async () => toIpv4Addresses('127.0.0.1'))

interface TlsSettings extends Partial<TlsProbeOptions> {
  serverName?: string
  timeoutMs?: number
}

async function checkTls(url: string, settings: TlsSettings = {}): Promise<ProbeResult> {
  const { serverName = null, timeoutMs = 10_000, ...options } = settings
  const secureContext = createSecureContext({ ca: authorityCertificate })
  const probe = openTlsProbe({ guard: loopbackGuard, clock: systemClock, secureContext, ...options })
  onTestFinished(() => probe.close())
  const result = await probe.check({ type: 'tls', url, timeoutMs, tls: { warn_days: [30], server_name: serverName } })
  if (!('responded' in result)) throw new Error(JSON.stringify(result))
  return result
}

/**
 * Starts a server that offers no application protocol, like a mail server. It records the names that clients ask for.
 */
async function serveTls(cert: string, key = serverPrivateKey): Promise<{ port: number; requestedNames: string[] }> {
  const requestedNames: string[] = []
  const server = createServer({
    key,
    cert,
    ALPNProtocols: ['smtp'],
    SNICallback(name, callback) {
      requestedNames.push(name)
      callback(null, createSecureContext({ key, cert }))
    },
  })
  server.on('tlsClientError', () => {})
  const { port } = await serveTcp((socket) => server.emit('connection', socket))
  return { port, requestedNames }
}

describe('a certificate', () => {
  it('is valid for its names and addresses, and its expiry is reported', async () => {
    const { port } = await serveTls(validCertificate)
    for (const host of ['shop.test', '127.0.0.1', '[::1]'])
      expect(await checkTls(`${host}:${port}`)).toMatchObject({
        failure: null,
        responded: true,
        responseMs: expect.any(Number),
        expiresAt: new Date('2120-01-01T00:00:00Z'),
        timings: { connectMs: expect.any(Number), tlsMs: expect.any(Number), firstByteMs: null },
      })
  })

  it('is requested and verified with the server name in the settings, if there is one', async () => {
    const { port, requestedNames } = await serveTls(validCertificate)
    expect((await checkTls(`www.example.test:${port}`, { serverName: 'shop.test' })).failure).toBeNull()
    expect((await checkTls(`shop.test:${port}`, { serverName: 'www.example.test' })).failure).toEqual({
      cause: 'certificate',
      detail: 'Certificate is valid for shop.test, 127.0.0.1 and 1 more, not for www.example.test',
    })
    expect(requestedNames).toEqual(['shop.test', 'www.example.test'])
  })

  it.each([
    ['has expired', expiredCertificate, serverPrivateKey, 'Certificate expired on 1 June 2020'],
    ['is not valid yet', notYetValidCertificate, serverPrivateKey, 'Certificate is not valid until 5 May 2090'],
    [
      'is for another name',
      otherHostCertificate,
      serverPrivateKey,
      'Certificate is valid for other.test, not for shop.test',
    ],
    ['is self-signed', testCertificate, testPrivateKey, 'Certificate is self-signed'],
  ])('fails the check with the cause certificate if it %s', async (_, certificate, key, detail) => {
    const { port } = await serveTls(certificate, key)
    expect(await checkTls(`shop.test:${port}`)).toMatchObject({
      failure: { cause: 'certificate', detail },
      expiresAt: expect.any(Date),
      responded: true,
    })
  })

  it('fails the check if no trusted authority signed it', async () => {
    const { port } = await serveTls(validCertificate)
    const { failure } = await checkTls(`shop.test:${port}`, { secureContext: createSecureContext() })
    expect(failure).toMatchObject({
      cause: 'certificate',
      detail: expect.stringMatching(/^Certificate is not trusted/),
    })
  })
})

describe('a handshake', () => {
  it('fails with the cause tls if the server does not speak TLS', async () => {
    const { port } = await serveTcp((socket) => socket.end('220 mail.example.com ESMTP\r\n'))
    expect(await checkTls(`127.0.0.1:${port}`)).toMatchObject({
      failure: { cause: 'tls', detail: `TLS handshake with 127.0.0.1:${port} failed` },
      responded: false,
    })
  })

  it('fails with the cause timeout if the server says nothing', async () => {
    const sockets: Socket[] = []
    const { port } = await serveTcp((socket) => sockets.push(socket))
    expect((await checkTls(`127.0.0.1:${port}`, { timeoutMs: 100 })).failure).toEqual({
      cause: 'timeout',
      detail: `TLS handshake with 127.0.0.1:${port} took longer than 0.1 s`,
    })
    expect(await untilReset(sockets[0])).toBe('ECONNRESET')
  })

  it('fails with the cause connect if the server refuses the connection', async () => {
    const port = await findClosedPort()
    expect((await checkTls(`127.0.0.1:${port}`)).failure?.cause).toBe('connect')
  })

  it('is not attempted with a private address', async () => {
    const { port, contactedAddresses } = await serveTcp(() => {})
    const guard = new Guard(NO_PRIVATE_TARGETS)
    expect((await checkTls(`127.0.0.1:${port}`, { guard })).failure?.cause).toBe('blocked')
    expect((await checkTls('127.0.0.1', { guard })).failure?.cause).toBe('blocked')
    expect(contactedAddresses).toEqual([])
  })
})
