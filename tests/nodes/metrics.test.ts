/** Every node reports at /metrics how all nodes are doing, and /readyz says which roles are missing. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type AlertFixture, startAlertFixture } from '../support/alerts.ts'
import { TestClock } from '../support/clock.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const token = 'a token for prometheus'
let fixture: AlertFixture
let otherNode: TestServer

beforeAll(async () => {
  fixture = await startAlertFixture(() => ({ BELFRY_METRICS_TOKEN: token }))
  const { database } = fixture.server
  // By this clock, no alert and no check of the tests is due, so this node leaves them alone.
  const clock = new TestClock(new Date('2026-01-01'))
  otherNode = await startTestServer({ clock, database, env: { BELFRY_ROLES: 'web,checker,worker' } })
})

afterAll(async () => {
  await otherNode?.close()
  await fixture?.close()
})

async function readMetrics(): Promise<Record<string, number>> {
  const { anyone } = fixture.server
  const { status, text } = await anyone.get('/metrics', { headers: { authorization: `Bearer ${token}` } })
  expect(status).toBe(200)
  const lines = text.matchAll(/^(belfry_[^\s]+) (\S+)$/gm)
  return Object.fromEntries([...lines].map(([, name, value]) => [name, Number(value)]))
}

it('/metrics counts live nodes by role, and their leases', async () => {
  // If the machine stalls, a node may just have replaced a lease, and both the old and the new one count for a second.
  await vi.waitFor(async () => {
    await fixture.server.services.lease.renew()
    const metrics = await readMetrics()
    expect(metrics).toMatchObject({
      'belfry_nodes{role="web"}': 2,
      'belfry_nodes{role="checker"}': 1,
      'belfry_nodes{role="worker"}': 1,
      belfry_leases: 3,
    })
    expect(metrics['belfry_lease_age_seconds']).toBeLessThan(1)
    expect(Math.abs(metrics['belfry_clock_offset_seconds'] as number)).toBeLessThan(1)
  }, 10_000)
})

it('/metrics counts waiting alerts and overdue checks, and shows the age of the oldest', async () => {
  const { addAlert, clock, createChannel } = fixture
  expect(await readMetrics()).toMatchObject({ belfry_alerts_waiting: 0, belfry_alerts_waiting_oldest_seconds: 0 })
  const channelId = await createChannel()
  await addAlert(channelId)
  clock.advance({ minutes: 1 })
  await addAlert(channelId)
  clock.advance({ seconds: 30 })
  const metrics = await readMetrics()
  expect(metrics).toMatchObject({
    belfry_alerts_waiting: 2,
    belfry_alerts_waiting_oldest_seconds: 90,
    belfry_checks_overdue: 1,
  })
  // The monitor of the fixture was due within its first minute.
  expect(metrics['belfry_checks_overdue_seconds']).toBeGreaterThan(29)
  expect(metrics['belfry_checks_overdue_seconds']).toBeLessThanOrEqual(90)
})

it('/metrics counts database connections by pool and state', async () => {
  const { services } = fixture.server
  const { promise: transactionEnd, resolve: endTransaction } = Promise.withResolvers<void>()
  const { promise: transactionStart, resolve: onTransactionStart } = Promise.withResolvers<void>()
  const transaction = services.db.transaction(async (q) => {
    await q.query('select')
    onTransactionStart()
    await transactionEnd
  })
  await transactionStart
  const metrics = await readMetrics()
  expect(metrics['belfry_database_connections{pool="requests",state="in_use"}']).toBeGreaterThan(0)
  expect(metrics['belfry_database_connections{pool="background",state="idle"}']).toBeGreaterThan(0)
  expect(metrics['belfry_database_connections{pool="ingest",state="waiting"}']).toBe(0)
  endTransaction()
  await transaction
})

it('/metrics reports figures from a locked table as NaN, and still reports the other figures', async () => {
  const { services } = fixture.server
  await services.db.transaction(async (q) => {
    await q.query('lock table alerts in access exclusive mode')
    const metrics = await readMetrics()
    expect(metrics['belfry_alerts_waiting']).toBeNaN()
    expect(metrics['belfry_nodes{role="web"}']).toBe(2)
  })
})

it('/readyz says which roles no live node has', async () => {
  const { anyone, services } = fixture.server
  const readReasonsAfterHeartbeat = async () => {
    await services.lease.renew()
    const { status, body } = await anyone.get('/readyz')
    expect(status).toBe(200)
    return body.reasons?.filter((reason: string) => reason.startsWith('No live node')) ?? []
  }
  expect(await readReasonsAfterHeartbeat()).toEqual([])
  await otherNode.services.lease.stop()
  const now = performance.now.bind(performance)
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + 16_000)
  expect(await readReasonsAfterHeartbeat()).toEqual([
    'No live node has the role checker: no checks run. Start one with BELFRY_ROLES=checker.',
    'No live node has the role worker: no alerts or reports are sent. Start one with BELFRY_ROLES=worker.',
  ])
  spy.mockRestore()
})
