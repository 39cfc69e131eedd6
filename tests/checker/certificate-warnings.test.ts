/** Belfry warns before a certificate expires. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { TestClock } from '../support/clock.ts'
import { createMonitor, getMonitor, type MonitorFixture, readRows, startMonitorFixture } from '../support/monitors.ts'
import { serverPrivateKey, validCertificate } from './certificates.ts'

/** The test starts 22 days before the certificate expires on 1 January 2120. */
const clock = new TestClock(new Date('2119-12-10T00:00:00Z'))

let monitoring: MonitorFixture
let checker: TestChecker
let target: Server

beforeAll(async () => {
  monitoring = await startMonitorFixture({ clock })
  checker = await startChecker(monitoring.server)
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

it('Belfry sends certificate warnings 14, 7 and 1 days before expiry, once each', async () => {
  const { session } = monitoring.owner
  const hook = { provider_type: 'slack', webhook_url: 'https://hooks.example.com/x1', assign_by_default: true }
  await session.post('/api/providers', hook)
  const url = `https://127.0.0.1:${(target.address() as AddressInfo).port}/`
  const { id } = await createMonitor(session, {
    friendly_name: 'Shop',
    url,
    interval: 3_600,
    http: { verify_tls: false },
  })
  const warnings: string[] = []
  for (let day = 10; day < 33; day++) {
    // Checking twice a day must not repeat a warning.
    for (let check = 0; check < 2; check++) {
      await checker.run()
      const alerts = await readRows(monitoring.server, 'alerts', id)
      warnings.push(
        ...alerts.slice(warnings.length).map(({ title }) => `${clock.now().toISOString().slice(5, 10)} ${title}`),
      )
      clock.advance({ hours: 12 })
    }
  }
  expect(warnings).toEqual([
    '12-18 Certificate expires in 14 days: Shop',
    '12-25 Certificate expires in 7 days: Shop',
    '12-31 Certificate expires within a day: Shop',
  ])
  expect(await getMonitor(session, id)).toMatchObject({ status: 'up', tls_expires_at: '2120-01-01T00:00:00.000Z' })
})
