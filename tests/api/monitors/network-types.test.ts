/** Monitors of types tcp, dns and tls through the API: their settings, trial checks and checks. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testCertificate, testPrivateKey } from '../../support/loopback-servers.ts'
import {
  createMonitor,
  type MonitorFixture,
  monitorsPath,
  postMonitor,
  startMonitorFixture,
} from '../../support/monitors.ts'
import { startNameServer } from '../../support/name-server.ts'

let monitoring: MonitorFixture
let greeter: Server
let tlsServer: Server

const listen = async (server: Server) => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}
const addressOf = (server: Server) => `127.0.0.1:${(server.address() as AddressInfo).port}`

beforeAll(async () => {
  monitoring = await startMonitorFixture({ env: { BELFRY_PRIVATE_TARGETS: '127.0.0.1' } })
  greeter = createServer((socket) => socket.on('error', () => {}).end('220 ready\r\n'))
  tlsServer = createTlsServer({ cert: testCertificate, key: testPrivateKey }, (socket) => socket.on('error', () => {}))
  await Promise.all([listen(greeter), listen(tlsServer)])
})
afterAll(async () => {
  await monitoring.server.close()
  greeter.close()
  tlsServer.close()
})

const runTrial = async (fields: object) => (await monitoring.keyClient.post(`${monitorsPath}/try`, fields)).body.data
const checkNow = async (id: number) => (await monitoring.keyClient.post(`${monitorsPath}/${id}/check`)).body.data
const startExampleServer = () =>
  startNameServer(({ name }) => ({
    answers: [{ type: 'MX', name, data: { preference: 10, exchange: 'Mail.example.com' } }],
  }))

describe('a trial check', () => {
  it('of type tcp reports what the server sent', async () => {
    const url = addressOf(greeter)
    expect(await runTrial({ type: 'tcp', url, tcp: { expect: '220' } })).toMatchObject({
      ok: true,
      connect_ms: expect.any(Number),
      first_byte_ms: expect.any(Number),
      cause: null,
    })
    expect(await runTrial({ type: 'tcp', url, tcp: { expect: '+PONG' } })).toMatchObject({
      ok: false,
      cause: 'tcp',
      detail: 'Server sent "220 ready", expected "+PONG"',
    })
  })

  it('of type dns shows the records that it found', async () => {
    const { serverAddress: resolver } = await startExampleServer()
    const fields = { type: 'dns', url: 'example.com', dns: { record: 'MX', resolver } }
    expect(await runTrial(fields)).toMatchObject({ ok: true, detail: 'MX: 10 mail.example.com' })
    const fieldsWithPrivateResolver = { ...fields, dns: { ...fields.dns, resolver: '[::1]:53' } }
    expect(await runTrial(fieldsWithPrivateResolver)).toMatchObject({ ok: false, cause: 'blocked' })
  })

  it('of type tls names the problem of the certificate, and its expiry', async () => {
    expect(await runTrial({ type: 'tls', url: addressOf(tlsServer) })).toMatchObject({
      ok: false,
      cause: 'certificate',
      detail: 'Certificate is self-signed',
      tls_expires_at: '2120-01-01T00:00:00.000Z',
    })
  })
})

describe('a monitor', () => {
  it('of type tls goes down with the cause certificate', async () => {
    const { id, interval } = await createMonitor(monitoring.keyClient, {
      type: 'tls',
      url: addressOf(tlsServer),
      retries: 0,
    })
    expect(interval).toBe(3_600)
    expect(await checkNow(id)).toMatchObject({ status: 'down', ok: false, cause: 'certificate' })
    const { body } = await monitoring.keyClient.get(`${monitorsPath}/${id}/incidents`)
    expect(body.data).toMatchObject([{ cause: 'certificate', detail: 'Certificate is self-signed' }])
  })

  it('of type dns normalizes the spelling of its expected records, and compares records with them', async () => {
    const { serverAddress: resolver } = await startExampleServer()
    const dns = { record: 'MX', resolver, expected: ['010 MAIL.Example.com.', '10 mail.example.com'], match: 'exact' }
    const monitor = await createMonitor(monitoring.keyClient, { type: 'dns', url: 'Example.COM.', dns, retries: 0 })
    expect(monitor).toMatchObject({ url: 'example.com', dns: { ...dns, expected: ['10 mail.example.com'] } })
    expect(await checkNow(monitor.id)).toMatchObject({ status: 'up', ok: true })
    await monitoring.keyClient.put(`${monitorsPath}/${monitor.id}`, { dns: { expected: ['20 other.example.com'] } })
    expect(await checkNow(monitor.id)).toMatchObject({
      status: 'down',
      detail: 'MX record is 10 mail.example.com, expected exactly 20 other.example.com',
    })
  })

  it('of type tcp can send and expect any text, such as line breaks and symbols', async () => {
    const tcp = { send: 'PING\r\n', expect: '220 ' }
    const monitor = await createMonitor(monitoring.keyClient, {
      type: 'tcp',
      url: `tcp://${addressOf(greeter)}`,
      tcp,
      retries: 0,
    })
    expect(monitor).toMatchObject({ url: addressOf(greeter), tcp })
    expect(await checkNow(monitor.id)).toMatchObject({ status: 'up' })
    greeter.close()
    expect(await checkNow(monitor.id)).toMatchObject({ status: 'down', cause: 'connect' })
  })

  it('of type dns may have an IP address only for record PTR', async () => {
    const fields = { type: 'dns', url: '203.0.113.7' }
    const { status, body } = await postMonitor(monitoring.keyClient, fields)
    expect([status, body.errors]).toEqual([
      422,
      { url: ['`url` must be a name such as example.com. An IP address needs `dns.record` PTR.'] },
    ])
    expect((await postMonitor(monitoring.keyClient, { ...fields, dns: { record: 'PTR' } })).status).toBe(201)
  })

  it.each([
    [
      'dns.expected',
      { type: 'dns', url: 'example.com', dns: { record: 'MX', expected: ['10 a.example', 'b.example'] } },
      'item 2',
    ],
    ['dns.resolver', { type: 'dns', url: 'example.com', dns: { resolver: 'dns.example.com' } }, 'IP address'],
    ['dns.resolver', { type: 'dns', url: 'example.com', dns: { resolver: '9.9.9.9:0' } }, 'IP address'],
    ['tls.server_name', { type: 'tls', url: 'example.com', tls: { server_name: '203.0.113.7' } }, 'host name'],
    ['tcp.send', { type: 'tcp', url: 'example.com:25', tcp: { send: 'a\0b' } }, 'null character'],
  ])('with an invalid %s is refused', async (field, fields, message) => {
    const { status, body } = await postMonitor(monitoring.keyClient, fields)
    expect([status, body.errors]).toEqual([422, { [field]: [expect.stringContaining(message)] }])
  })
})
