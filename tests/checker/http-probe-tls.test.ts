import type { Socket } from 'node:net'
import { createSecureContext, createServer } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { Guard } from '../../src/outgoing/guard.ts'
import { parsePrivateTargets } from '../../src/outgoing/private-targets.ts'
import { TestClock } from '../support/clock.ts'
import { serveHttp, serveTcp, testCertificate, testPrivateKey, toIpv4Addresses } from '../support/loopback-servers.ts'
import {
  expiredCertificate,
  notYetValidCertificate,
  otherHostCertificate,
  serverPrivateKey,
  validCertificate,
} from './certificates.ts'
import { createCheck, createPermissiveGuard, serveHttps, untilClosed, untilReset } from './probe-support.ts'

const loopbackGuard = createPermissiveGuard(async () => toIpv4Addresses('127.0.0.1'))

describe('a certificate', () => {
  it('is valid for its names and addresses, and its expiry is reported', async () => {
    const { port } = await serveHttps(validCertificate)
    for (const host of ['shop.test', 'shop.test.', '127.0.0.1', '[::1]'])
      expect(await createCheck({ guard: loopbackGuard })(`https://${host}:${port}/`)).toMatchObject({
        failure: null,
        httpStatus: 200,
        expiresAt: new Date('2120-01-01T00:00:00Z'),
        timings: { connectMs: expect.any(Number), tlsMs: expect.any(Number), firstByteMs: expect.any(Number) },
      })
  })

  it.each([
    ['expired', expiredCertificate, '2020-06-04T12:00:00Z', 'Certificate expired on 1 June 2020'],
    ['expired', expiredCertificate, '2020-06-01T05:30:00Z', 'Certificate expired on 1 June 2020'],
    ['expired', expiredCertificate, '2020-06-01T00:02:00Z', 'Certificate expired on 1 June 2020'],
    ['expired', expiredCertificate, '2020-06-01T00:00:00Z', 'Certificate expired on 1 June 2020'],
    ['not valid yet', notYetValidCertificate, '2026-01-05T10:00:00Z', 'Certificate is not valid until 5 May 2090'],
    [
      'for another host',
      otherHostCertificate,
      '2026-01-05T10:00:00Z',
      'Certificate is valid for other.test, not for shop.test',
    ],
  ])('fails the check if it is %s', async (_, certificate, now, detail) => {
    const requests: string[] = []
    const { port } = await serveHttps(certificate, (request, response) => {
      requests.push(request.url ?? '')
      response.end()
    })
    const check = createCheck({ guard: loopbackGuard, clock: new TestClock(new Date(now)) })
    const url = `https://shop.test:${port}/`
    expect(await check(url, { headers: { 'X-Token': 'secret' } })).toMatchObject({
      failure: { cause: 'tls', detail },
      expiresAt: expect.any(Date),
      httpStatus: null,
      responseMs: expect.any(Number),
      responded: true,
    })
    expect(requests).toEqual([])
    expect(await check(url, { verify_tls: false })).toMatchObject({
      failure: null,
      httpStatus: 200,
      expiresAt: expect.any(Date),
    })
  })

  it('fails the check if no trusted authority signed it', async () => {
    const selfSignedServer = await serveHttps(testCertificate, undefined, testPrivateKey)
    expect(
      (await createCheck({ guard: loopbackGuard })(`https://belfry.test:${selfSignedServer.port}/`)).failure,
    ).toEqual({
      cause: 'tls',
      detail: 'Certificate is self-signed',
    })
    const untrustedServer = await serveHttps(validCertificate)
    const check = createCheck({ guard: loopbackGuard, secureContext: createSecureContext() })
    expect((await check(`https://shop.test:${untrustedServer.port}/`)).failure?.detail).toMatch(
      /^Certificate is not trusted: /,
    )
  })

  it('is checked for every redirect, and the earliest expiry is reported', async () => {
    const lastServer = await serveHttps(validCertificate)
    const firstServer = await serveHttps(expiredCertificate, (_, response) =>
      response.writeHead(302, { location: `https://shop.test:${lastServer.port}/` }).end(),
    )
    const result = await createCheck({ guard: loopbackGuard })(`https://shop.test:${firstServer.port}/`, {
      verify_tls: false,
    })
    expect(result).toMatchObject({ failure: null, expiresAt: new Date('2020-06-01T00:00:00Z') })
    const plainHttpServer = await serveHttp((_, response) =>
      response.writeHead(302, { location: `https://other.test:${lastServer.port}/` }).end(),
    )
    expect(
      (await createCheck({ guard: loopbackGuard })(`http://shop.test:${plainHttpServer.port}/`)).failure?.detail,
    ).toBe('Certificate is valid for shop.test, 127.0.0.1 and 1 more, not for other.test')
  })
})

describe('a TLS handshake', () => {
  it('fails if the server does not speak TLS', async () => {
    const { port } = await serveTcp((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    expect(await createCheck()(`https://127.0.0.1:${port}/`)).toMatchObject({
      failure: { cause: 'tls', detail: `TLS handshake with 127.0.0.1:${port} failed` },
      responded: false,
    })
  })

  it('fails if the server supports only old TLS versions', async () => {
    const server = createServer({
      key: serverPrivateKey,
      cert: validCertificate,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
      ciphers: 'ALL@SECLEVEL=0',
    })
    const { port } = await serveTcp((socket) => server.emit('connection', socket))
    server.on('tlsClientError', () => {})
    expect((await createCheck()(`https://127.0.0.1:${port}/`)).failure?.cause).toBe('tls')
  })

  it.each([
    ['closes', (socket: Socket) => socket.end(), 'Connection closed by'],
    ['resets', (socket: Socket) => socket.once('data', () => socket.resetAndDestroy()), 'Connection reset by'],
  ])('fails if the server %s the connection', async (_, behave, detail) => {
    const { port } = await serveTcp(behave)
    expect((await createCheck()(`https://127.0.0.1:${port}/`)).failure).toEqual({
      cause: 'connect',
      detail: `${detail} 127.0.0.1:${port}`,
    })
  })

  it('fails at the timeout', async () => {
    const sockets: Socket[] = []
    const { port } = await serveTcp((socket) => sockets.push(socket))
    expect(await createCheck()(`https://127.0.0.1:${port}/`, { timeoutMs: 1_000 })).toMatchObject({
      failure: { cause: 'timeout', detail: `TLS handshake with 127.0.0.1:${port} took longer than 1 s` },
      timings: { connectMs: expect.any(Number), tlsMs: null },
      responded: false,
    })
    expect(await untilReset(sockets[0])).toBe('ECONNRESET')
  })

  it('does not start if the system connected to another address', async () => {
    const { port, contactedAddresses } = await serveTcp((socket) =>
      socket.once('data', () => receivedData.push('something')),
    )
    const receivedData: string[] = []
    const guard = new Guard(parsePrivateTargets('0.0.0.0'))
    expect((await createCheck({ guard })(`https://0.0.0.0:${port}/`)).failure?.cause).toBe('blocked')
    expect(contactedAddresses).toHaveLength(1)
    expect(receivedData).toEqual([])
  })
})

describe('a response over TLS', () => {
  it('is checked like a response without TLS', async () => {
    const { port } = await serveHttps(validCertificate, (request, response) =>
      response.end(`for ${request.headers.host}`),
    )
    const check = createCheck({ guard: loopbackGuard })
    expect((await check(`https://shop.test:${port}/`, { keyword: `for shop.test:${port}` })).failure).toBeNull()
    expect((await check(`https://shop.test:${port}/`, { keyword: 'Welcome' })).failure?.cause).toBe('keyword')
  })

  it('fails at the timeout', async () => {
    const sockets: Socket[] = []
    const { port } = await serveHttps(validCertificate, (request) => sockets.push(request.socket))
    expect((await createCheck()(`https://127.0.0.1:${port}/`, { timeoutMs: 1_000 })).failure?.detail).toBe(
      'Response took longer than 1 s',
    )
    await untilClosed(sockets[0])
  })
})
