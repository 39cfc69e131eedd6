/** A check's result sets the status of its monitor, opens and closes incidents and creates alerts. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { MonitorRecord } from '../../src/monitors/schema.ts'
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
let target: HttpReceiver

beforeAll(async () => {
  monitoring = await startMonitorFixture()
  checker = await startChecker(monitoring.server)
  target = await startHttpReceiver()
})
afterAll(async () => {
  await checker.stop()
  await monitoring.server.close()
  await target.close()
})
beforeEach(() => target.respondWith(200, 'ok'))

const createTestMonitor = (fields: object = {}) =>
  createMonitor(monitoring.owner.session, { url: target.address, ...fields })
const readMonitor = ({ id }: MonitorRecord) => getMonitor(monitoring.owner.session, id)
const readIncidents = async ({ id }: MonitorRecord) =>
  (await monitoring.owner.session.get(`${monitorsPath}/${id}/incidents`)).body
const readAlerts = ({ id }: MonitorRecord) => readRows(monitoring.server, 'alerts', id)
const now = () => monitoring.server.clock.now().toISOString()
const advance = (seconds: number) => monitoring.server.clock.advance({ seconds })

/** Makes checks fail until the outage is confirmed. */
async function bringDown(): Promise<void> {
  target.respondWith(503, 'no')
  for (let n = 0; n < 3; n++) {
    advance(60)
    await checker.run()
  }
}

describe('a new monitor', () => {
  it('is checked immediately, and up if its target responds', async () => {
    const monitor = await createTestMonitor()
    await checker.run()
    expect(await readMonitor(monitor)).toMatchObject({
      status: 'up',
      status_changed_at: expect.stringMatching(/^2026-01-05/),
      last_checked_at: now(),
      last_response_ms: expect.any(Number),
      last_error: null,
    })
    expect((await readIncidents(monitor)).meta).toMatchObject({ total: 0, uptime_percent: null })
    expect(await readRows(monitoring.server, 'watches', monitor.id)).toMatchObject([{ ended_at: null }])
    expect(await readRows(monitoring.server, 'checks', monitor.id)).toMatchObject([
      { cause: null, http_status: 200, connect_ms: expect.any(Number) },
    ])
  })

  it('is checked again after its interval', async () => {
    const monitor = await createTestMonitor({ interval: 300 })
    await checker.run()
    advance(200)
    await checker.run()
    expect(await readRows(monitoring.server, 'checks', monitor.id)).toHaveLength(1)
    advance(100)
    await checker.run()
    expect(await readRows(monitoring.server, 'checks', monitor.id)).toHaveLength(2)
  })

  it('that always fails is down after its retries, and its monitored period starts with the first failure', async () => {
    target.respondWith(500, 'no')
    const monitor = await createTestMonitor({ retries: 1, retry_interval: 7 })
    const firstFailureAt = now()
    await checker.run()
    expect(await readMonitor(monitor)).toMatchObject({ status: 'pending', last_error: 'Status 500, expected 200–399' })
    advance(6)
    await checker.run()
    expect(await readRows(monitoring.server, 'checks', monitor.id)).toHaveLength(1)
    advance(2)
    await checker.run()
    expect(await readMonitor(monitor)).toMatchObject({ status: 'down' })
    const { data, meta } = await readIncidents(monitor)
    expect(data).toMatchObject([{ status: 'open', started_at: firstFailureAt, cause: 'http_status' }])
    expect(meta.uptime_percent).toBe(0)
  })

  it('that is paused is not checked, and is checked immediately when it is resumed', async () => {
    const monitor = await createTestMonitor({ is_active: false })
    await checker.run()
    expect(await readMonitor(monitor)).toMatchObject({ status: 'paused', last_checked_at: null })
    await monitoring.owner.session.put(`${monitorsPath}/${monitor.id}`, { is_active: true })
    await checker.run()
    expect(await readMonitor(monitor)).toMatchObject({ status: 'up', last_checked_at: now() })
  })
})

describe('an outage', () => {
  it('opens one incident when it is confirmed, and closes it with the first successful check', async () => {
    const monitor = await createTestMonitor()
    await checker.run()
    advance(60)
    target.respondWith(503, 'no')
    await checker.run()
    const firstFailureAt = now()
    expect(await readMonitor(monitor)).toMatchObject({ status: 'up', last_error: 'Status 503, expected 200–399' })
    expect((await readIncidents(monitor)).data).toEqual([])
    for (let n = 0; n < 2; n++) {
      advance(6)
      await checker.run()
    }
    const confirmedAtMs = Date.parse(now())
    const { data } = await readIncidents(monitor)
    expect(data).toMatchObject([
      { status: 'open', started_at: firstFailureAt, cause: 'http_status', detail: 'Status 503, expected 200–399' },
    ])
    expect(Date.parse(data[0].detected_at) - confirmedAtMs).toBeLessThan(1_000)
    for (let n = 0; n < 3; n++) {
      advance(60)
      await checker.run()
    }
    expect((await readIncidents(monitor)).data).toHaveLength(1)
    target.respondWith(200, 'ok')
    advance(60)
    await checker.run()
    expect(await readMonitor(monitor)).toMatchObject({ status: 'up', last_error: null })
    expect((await readIncidents(monitor)).data).toMatchObject([{ status: 'resolved', resolution: 'recovered' }])
  })

  it('that ends before it is confirmed opens no incident', async () => {
    const monitor = await createTestMonitor()
    await checker.run()
    target.respondWith(503, 'no')
    advance(60)
    await checker.run()
    target.respondWith(200, 'ok')
    advance(6)
    await checker.run()
    expect(await readMonitor(monitor)).toMatchObject({ status: 'up', last_error: null })
    await bringDown()
    expect((await readIncidents(monitor)).data).toHaveLength(1)
  })

  it('creates alerts when it starts and when it ends, for the assignments that were enabled when it started', async () => {
    const { session } = monitoring.owner
    const createChannel = async () =>
      (await session.post('/api/providers', { provider_type: 'slack', webhook_url: 'https://hooks.example.com/x1' }))
        .body.data.id
    const enabledChannelId = await createChannel()
    const disabledChannelId = await createChannel()
    const laterChannelId = await createChannel()
    const monitor = await createTestMonitor({ friendly_name: 'Shop' })
    const assign = (provider_id: number, enabled = true) =>
      session.post(`${monitorsPath}/${monitor.id}/notifications`, { provider_id, enabled })
    await assign(enabledChannelId)
    await assign(disabledChannelId, false)
    await checker.run()
    expect(await readAlerts(monitor)).toEqual([])
    await bringDown()
    expect(await readAlerts(monitor)).toMatchObject([
      { provider_id: enabledChannelId, event: 'down', title: 'Down: Shop' },
    ])
    await assign(laterChannelId)
    target.respondWith(200, 'ok')
    advance(60)
    await checker.run()
    const alerts = await readAlerts(monitor)
    const [{ id }] = (await readIncidents(monitor)).data
    expect(alerts.map(({ event, provider_id }) => [event, provider_id])).toEqual([
      ['down', enabledChannelId],
      ['recovered', enabledChannelId],
    ])
    expect(alerts.map(({ incident_id }) => incident_id)).toEqual([id, id])
    expect(alerts[1]).toMatchObject({
      title: expect.stringMatching(/^Recovered after .*: Shop$/),
      body: expect.stringContaining('Down from'),
    })
  })

  it('schedules a reminder if reminders are enabled for the monitor', async () => {
    const monitor = await createTestMonitor({ remind_every: 30 })
    await checker.run()
    await bringDown()
    const [{ remind_at, detected_at }] = (await readRows(monitoring.server, 'incidents', monitor.id)) as [
      Record<string, Date>,
    ]
    expect((remind_at as Date).getTime() - (detected_at as Date).getTime()).toBe(30 * 60_000)
  })
})

describe('a gap without checks', () => {
  it('is followed by a single check, and is not part of a monitored period', async () => {
    const monitor = await createTestMonitor()
    await checker.run()
    advance(60)
    await checker.run()
    advance(3 * 3_600)
    await checker.run()
    await checker.run()
    expect(await readRows(monitoring.server, 'checks', monitor.id)).toHaveLength(3)
    const periods = await readRows(monitoring.server, 'watches', monitor.id)
    expect(periods.map(({ ended_at }) => ended_at !== null)).toEqual([true, false])
    expect((await readIncidents(monitor)).meta).toMatchObject({ downtime_seconds: 0, uptime_percent: 100 })
  })
})
