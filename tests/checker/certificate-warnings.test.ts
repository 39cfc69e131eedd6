/** Belfry warns before a certificate expires. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createSecureContext } from 'node:tls'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAY_MS } from '../../src/shared/time.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { TestClock } from '../support/clock.ts'
import { createMonitor, getMonitor, type MonitorFixture, readRows, startMonitorFixture } from '../support/monitors.ts'
import { authorityCertificate, serverPrivateKey, validCertificate } from './certificates.ts'

const expiresAt = new Date('2120-01-01T00:00:00Z')
const clock = new TestClock(new Date('2119-11-30T00:00:00Z'))

let monitoring: MonitorFixture
let checker: TestChecker
let target: Server

beforeAll(async () => {
  monitoring = await startMonitorFixture({ clock })
  checker = await startChecker(monitoring.server, {
    secureContext: createSecureContext({ ca: authorityCertificate }),
  })
  target = createServer({ cert: validCertificate, key: serverPrivateKey }, (_request, response) =>
    response.end('ok'),
  ).listen(0, '127.0.0.1')
  await once(target, 'listening')
})
afterAll(async () => {
  await checker.stop()
  await monitoring.server.close()
  target.close()
})

/** Runs the checks that are due this many days before the expiry, and again two hours later. */
async function checkBeforeExpiry(days: number): Promise<void> {
  clock.advance({ seconds: (expiresAt.getTime() - days * DAY_MS - clock.now().getTime()) / 1000 })
  await checker.run()
  clock.advance({ hours: 2 })
  await checker.run()
}

it('Belfry warns once at each threshold before the expiry: 14, 7 and 1 days for type http, warn_days for type tls', async () => {
  const { session } = monitoring.owner
  const hook = { provider_type: 'slack', webhook_url: 'https://hooks.example.com/x1', assign_by_default: true }
  await session.post('/api/providers', hook)
  const endpoint = `127.0.0.1:${(target.address() as AddressInfo).port}`
  const monitors = [
    await createMonitor(session, { friendly_name: 'Shop', url: `https://${endpoint}/`, interval: 3_600 }),
    await createMonitor(session, { friendly_name: 'Mail', type: 'tls', url: endpoint }),
    await createMonitor(session, { friendly_name: 'Own', type: 'tls', url: endpoint, tls: { warn_days: [3, 20] } }),
  ]
  const warnings: string[] = []
  for (const days of [31, 30, 29, 20, 15, 14, 8, 7, 3, 2, 1, 0.5]) {
    await checkBeforeExpiry(days)
    const rows = await Promise.all(monitors.map(({ id }) => readRows(monitoring.server, 'alerts', id)))
    const titles = rows.flat().map(({ title }) => String(title))
    const newTitles = titles.filter((title) => !warnings.some((warning) => warning.endsWith(title)))
    warnings.push(...newTitles.map((title) => `${days}: ${title}`))
    expect(titles).toHaveLength(warnings.length)
  }
  expect(warnings).toEqual([
    '30: Certificate expires in 30 days: Mail',
    '20: Certificate expires in 20 days: Own',
    '14: Certificate expires in 14 days: Shop',
    '14: Certificate expires in 14 days: Mail',
    '7: Certificate expires in 7 days: Shop',
    '7: Certificate expires in 7 days: Mail',
    '3: Certificate expires in 3 days: Own',
    '1: Certificate expires within a day: Shop',
    '1: Certificate expires within a day: Mail',
  ])
  for (const { id } of monitors) {
    // The clock has advanced by weeks, so the owner's session has expired. The API key still works.
    const record = await getMonitor(monitoring.keyClient, id)
    expect(record).toMatchObject({ status: 'up', tls_expires_at: expiresAt.toISOString() })
  }
})
