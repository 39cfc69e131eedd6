/** Monitors of type domain, from the request to the incident. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import {
  createMonitor,
  getMonitor,
  type MonitorFixture,
  monitorsPath,
  readRows,
  startMonitorFixture,
} from '../support/monitors.ts'

let monitoring: MonitorFixture
let checker: TestChecker
let registry: HttpReceiver

beforeAll(async () => {
  registry = await startHttpReceiver()
  // The operator's registry is on a private address, which monitors must not connect to.
  const env = { BELFRY_RDAP_URL: `${registry.address}/rdap`, BELFRY_PRIVATE_TARGETS: undefined }
  monitoring = await startMonitorFixture({ env })
  checker = await startChecker(monitoring.server, { rdapUrl: `${registry.address}/rdap` })
})
afterAll(async () => {
  await checker.stop()
  await monitoring.server.close()
  await registry.close()
})

const respondWithRegistration = (name: string, status: string[], eventDate = '2026-03-01T00:00:00Z') =>
  registry.respondWith(200, {
    objectClassName: 'domain',
    ldhName: name,
    status,
    events: [{ eventAction: 'expiration', eventDate }],
  })

it('a domain goes down when its registration is at risk, but not when its registry has a problem', async () => {
  const { clock } = monitoring.server
  const { session } = monitoring.owner
  const monitor = await createMonitor(session, { url: 'Example.COM', type: 'domain', retries: 1 })
  expect(monitor).toMatchObject({ url: 'example.com', interval: 86_400, domain: { warn_days: [30, 14, 7, 1] } })
  const { id } = monitor

  respondWithRegistration('example.com', ['active'])
  await checker.run()
  expect(await getMonitor(session, id)).toMatchObject({
    status: 'up',
    domain_expires_at: '2026-03-01T00:00:00.000Z',
    tls_expires_at: null,
    last_error: null,
  })
  expect(registry.received.map(({ path }) => path)).toEqual(['/rdap/domain/example.com'])

  clock.advance({ days: 1 })
  registry.respondWith(429, '', { 'retry-after': '1800' })
  await checker.run()
  const problem = `The RDAP server ${registry.address.slice('http://'.length)} limits how often it can be asked`
  expect(await getMonitor(session, id)).toMatchObject({
    status: 'up',
    domain_expires_at: '2026-03-01T00:00:00.000Z',
    last_error: problem,
  })
  clock.advance({ minutes: 29 })
  await checker.run()
  expect(registry.received).toHaveLength(2)
  const check = await session.post(`${monitorsPath}/${id}/check`)
  expect(check.body.data).toMatchObject({ ok: null, detail: problem, status: 'up' })

  clock.advance({ minutes: 1, hours: 1 })
  respondWithRegistration('example.com', ['redemption period'])
  await checker.run()
  expect(await getMonitor(session, id)).toMatchObject({ status: 'up' })
  clock.advance({ seconds: 5 })
  await checker.run()
  expect(await getMonitor(session, id)).toMatchObject({ status: 'down' })
  expect(await readRows(monitoring.server, 'incidents', id)).toMatchObject([
    { cause: 'domain', detail: 'example.com has expired: restore it before it is deleted (redemption period)' },
  ])
})

it('a trial check of a domain needs a registered domain, not a subdomain', async () => {
  respondWithRegistration('example.org', ['active'], '2027-01-31T12:00:00Z')
  const trial = await monitoring.keyClient.post(`${monitorsPath}/try`, { url: 'example.org', type: 'domain' })
  expect(trial.body.data).toMatchObject({
    ok: true,
    domain_expires_at: '2027-01-31T12:00:00.000Z',
    tls_expires_at: null,
  })
  const { status, body } = await monitoring.keyClient.post(`${monitorsPath}/try`, {
    url: 'www.example.org',
    type: 'domain',
  })
  expect([status, body.errors]).toEqual([
    422,
    { url: ['`url` must be the registered domain: www.example.org belongs to example.org.'] },
  ])
})
