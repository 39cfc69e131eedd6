/** How changes of a monitor affect its status. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { TestClock } from '../../support/clock.ts'
import {
  addIncident,
  createMonitor,
  defaultHttpSettings,
  getMonitor,
  monitorsPath,
  readRows,
  setFirstStatus,
  shareMonitorFixture,
} from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'

let server: TestServer
let keyClient: Client

beforeAll(async () => {
  ;({ server, keyClient } = await shareMonitorFixture())
})
afterAll(() => server.close())

async function createWithStatus(status: 'up' | 'down', fields: object = {}) {
  const { id } = await createMonitor(keyClient, fields)
  await setFirstStatus(server, id, status)
  server.clock.advance({ minutes: 5 })
  return getMonitor(keyClient, id)
}

const update = async (id: number, fields: object) => (await keyClient.put(`${monitorsPath}/${id}`, fields)).body.data
const now = () => server.clock.now().toISOString()

/**
 * Expects all incidents and the monitored period of the monitor to have ended now. In a monitored period, Belfry checks
 * the monitor without gaps.
 */
async function expectClosed(id: number, { incidentCount }: { incidentCount: number }) {
  const closedIncident = { resolved_at: server.clock.now(), resolution: 'paused' }
  expect(await readRows(server, 'incidents', id)).toMatchObject(
    Array.from({ length: incidentCount }, () => closedIncident),
  )
  expect(await readRows(server, 'watches', id)).toMatchObject([{ ended_at: server.clock.now() }])
}

/** Expects the incidents and the monitored period of the monitor to be still open. */
async function expectOpen(id: number, { incidentCount }: { incidentCount: number }) {
  const openIncident = { resolved_at: null, resolution: null }
  expect(await readRows(server, 'incidents', id)).toMatchObject(
    Array.from({ length: incidentCount }, () => openIncident),
  )
  expect(await readRows(server, 'watches', id)).toMatchObject([{ ended_at: null }])
}

describe('a checked monitor', () => {
  it('shows the result of the last check', async () => {
    const result = { last_response_ms: 87, tls_expires_at: '2026-04-01T00:00:00.000Z' }
    const checkedAt = now()
    expect(await createWithStatus('down')).toMatchObject({
      ...result,
      status: 'down',
      last_error: 'Response took longer than 10 s',
      last_checked_at: checkedAt,
      status_changed_at: checkedAt,
      down_since: checkedAt,
    })
    expect(await createWithStatus('up')).toMatchObject({ ...result, status: 'up', last_error: null })
    expect((await keyClient.get(monitorsPath)).body.data.slice(0, 2)).toMatchObject([
      { ...result, status: 'up' },
      result,
    ])
  })

  it.each([
    ['up', 0],
    ['down', 1],
  ] as const)(
    'that is %s closes its incident and monitored period when it is paused',
    async (status, incidentCount) => {
      const { id, ...before } = await createWithStatus(status)
      expect(await update(id, { is_active: false })).toEqual({
        ...before,
        id,
        is_active: false,
        status: 'paused',
        status_changed_at: now(),
        down_since: null,
        updated_at: now(),
      })
      await expectClosed(id, { incidentCount })
    },
  )

  it.each([
    ['up', 0],
    ['down', 1],
  ] as const)('that is %s keeps its status if neither type nor is_active changes', async (status, incidentCount) => {
    const { id, ...before } = await createWithStatus(status)
    const fields = { friendly_name: 'Other', url: 'https://other.example.com/', type: 'http', is_active: true }
    expect(await update(id, fields)).toEqual({ ...before, ...fields, id, updated_at: now() })
    await expectOpen(id, { incidentCount })
  })

  it('does not change resolved incidents when it is paused', async () => {
    const { id } = await createWithStatus('up')
    await addIncident(server, id, { from: 200, to: 100 })
    const incidentsBefore = await readRows(server, 'incidents', id)
    await update(id, { is_active: false })
    server.clock.advance({ minutes: 5 })
    await update(id, { is_active: true, type: 'ping' })
    expect(await readRows(server, 'incidents', id)).toEqual(incidentsBefore)
  })

  it('never ends an incident before its start, even if clocks differ', async () => {
    const { id } = await createMonitor(keyClient)
    const aheadNode = { services: server.services, clock: new TestClock(server.clock.now()) }
    aheadNode.clock.advance({ seconds: 2 })
    await setFirstStatus(aheadNode, id, 'down')
    expect((await update(id, { is_active: false })).status).toBe('paused')
    expect(await readRows(server, 'incidents', id)).toMatchObject([{ resolved_at: aheadNode.clock.now() }])
    expect(await readRows(server, 'watches', id)).toMatchObject([{ ended_at: aheadNode.clock.now() }])
  })
})

describe('a paused monitor', () => {
  it('is pending after it is resumed, and keeps the result of its last check', async () => {
    const { id, last_checked_at } = await createWithStatus('down')
    await update(id, { is_active: false })
    const pausedAt = now()
    server.clock.advance({ minutes: 5 })
    expect(await update(id, { is_active: false })).toMatchObject({ status: 'paused', status_changed_at: pausedAt })
    expect(await update(id, { friendly_name: 'Other' })).toMatchObject({
      status: 'paused',
      status_changed_at: pausedAt,
    })
    expect(await update(id, { is_active: true })).toMatchObject({
      status: 'pending',
      is_active: true,
      status_changed_at: now(),
      last_checked_at,
    })
    expect(await readRows(server, 'incidents', id)).toMatchObject([{ resolved_at: new Date(pausedAt) }])
    expect(await readRows(server, 'watches', id)).toMatchObject([{ ended_at: new Date(pausedAt) }])
  })

  it('stays paused if its type changes', async () => {
    const { id, status_changed_at } = await createMonitor(keyClient, { is_active: false })
    server.clock.advance({ minutes: 5 })
    expect(await update(id, { type: 'ping' })).toMatchObject({ status: 'paused', type: 'ping', status_changed_at })
  })
})

describe('a change of the type', () => {
  const uncheckedFields = { last_checked_at: null, last_response_ms: null, last_error: null, tls_expires_at: null }

  it.each([
    ['up', 0],
    ['down', 1],
  ] as const)('makes a monitor that was %s pending', async (status, incidentCount) => {
    const http = { method: 'POST', headers: { 'X-Token': 'abcdefgh' } }
    const { id, ...before } = await createWithStatus(status, { url: 'https://Example.com:8443/x', http })
    const changedFields = {
      id,
      status: 'pending',
      status_changed_at: now(),
      down_since: null,
      updated_at: now(),
      ...uncheckedFields,
    }
    expect(await update(id, { type: 'ping' })).toEqual({
      ...before,
      ...changedFields,
      type: 'ping',
      url: 'example.com',
      http: null,
    })
    await expectClosed(id, { incidentCount })
    expect(await readRows(server, 'monitor_states', id)).toMatchObject([{ tls_warned_days: null, failures: 0 }])
    const httpFields = { type: 'http', url: 'https://example.com/' }
    expect(await update(id, httpFields)).toEqual({
      ...before,
      ...changedFields,
      ...httpFields,
      http: defaultHttpSettings,
    })
  })

  it('to http can include http settings', async () => {
    const { id } = await createMonitor(keyClient, { type: 'ping' })
    const fields = { type: 'http', url: 'https://example.com/', http: { method: 'HEAD' } }
    expect(await update(id, fields)).toMatchObject({ ...fields, http: { ...defaultHttpSettings, method: 'HEAD' } })
  })

  it.each([
    [{ type: 'http' }, 'url'],
    [{ type: 'http', url: 'other.example.com' }, 'url'],
    [{ type: 'http', url: 'https://example.com/', timeout: 61 }, 'timeout'],
  ])('is rejected with %j, and changes nothing', async (fields, field) => {
    const monitorBefore = await createWithStatus('down', { type: 'ping', url: 'example.com' })
    const response = await keyClient.put(`${monitorsPath}/${monitorBefore.id}`, { friendly_name: 'Other', ...fields })
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual([field])
    expect(await getMonitor(keyClient, monitorBefore.id)).toEqual(monitorBefore)
    await expectOpen(monitorBefore.id, { incidentCount: 1 })
    expect(await readRows(server, 'monitor_states', monitorBefore.id)).toHaveLength(1)
  })

  it('to ping cannot include http settings', async () => {
    const monitorBefore = await createWithStatus('up')
    const response = await keyClient.put(`${monitorsPath}/${monitorBefore.id}`, {
      type: 'ping',
      http: { method: 'HEAD' },
    })
    expect(Object.keys(response.body.errors)).toEqual(['http'])
    expect(await getMonitor(keyClient, monitorBefore.id)).toEqual(monitorBefore)
  })
})
