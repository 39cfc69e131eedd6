/** What becomes of a monitor's status when its owner changes it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { TestClock } from '../../support/clock.ts'
import {
  addIncident,
  judge,
  makeMonitor,
  path,
  plainHttp,
  rowsOf,
  showMonitor,
  startMonitoring,
} from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'

let server: TestServer
let key: Client

beforeAll(async () => {
  ;({ server, key } = await startMonitoring())
})
afterAll(() => server.close())

async function makeJudged(status: 'up' | 'down', fields: object = {}) {
  const { id } = await makeMonitor(key, fields)
  await judge(server, id, status)
  server.clock.advance({ minutes: 5 })
  return showMonitor(key, id)
}

const update = async (id: number, fields: object) => (await key.put(`${path}/${id}`, fields)).body.data
const now = () => server.clock.now().toISOString()

async function expectEnded(id: number, { incidents }: { incidents: number }) {
  const ended = { resolved_at: server.clock.now(), resolution: 'paused' }
  expect(await rowsOf(server, 'incidents', id)).toMatchObject(Array.from({ length: incidents }, () => ended))
  expect(await rowsOf(server, 'watches', id)).toMatchObject([{ ended_at: server.clock.now() }])
}

async function expectOngoing(id: number, { incidents }: { incidents: number }) {
  const open = { resolved_at: null, resolution: null }
  expect(await rowsOf(server, 'incidents', id)).toMatchObject(Array.from({ length: incidents }, () => open))
  expect(await rowsOf(server, 'watches', id)).toMatchObject([{ ended_at: null }])
}

describe('a judged monitor', () => {
  it('shows what the last check found', async () => {
    const found = { last_response_ms: 87, tls_expires_at: '2026-04-01T00:00:00.000Z' }
    const judged = now()
    expect(await makeJudged('down')).toMatchObject({
      ...found,
      status: 'down',
      last_error: 'Response took longer than 10 s',
      last_checked_at: judged,
      status_changed_at: judged,
    })
    expect(await makeJudged('up')).toMatchObject({ ...found, status: 'up', last_error: null })
    expect((await key.get(path)).body.data.slice(0, 2)).toMatchObject([{ ...found, status: 'up' }, found])
  })

  it.each([
    ['up', 0],
    ['down', 1],
  ] as const)('that is %s and is paused ends its incident and its watch', async (status, incidents) => {
    const { id, ...before } = await makeJudged(status)
    expect(await update(id, { is_active: false })).toEqual({
      ...before,
      id,
      is_active: false,
      status: 'paused',
      status_changed_at: now(),
      updated_at: now(),
    })
    await expectEnded(id, { incidents })
  })

  it.each([
    ['up', 0],
    ['down', 1],
  ] as const)('that is %s stays so when anything but its type and activity changes', async (status, incidents) => {
    const { id, ...before } = await makeJudged(status)
    const fields = { friendly_name: 'Other', url: 'https://other.example.com/', type: 'http', is_active: true }
    expect(await update(id, fields)).toEqual({ ...before, ...fields, id, updated_at: now() })
    await expectOngoing(id, { incidents })
  })

  it('keeps the ends of what was over before it was paused', async () => {
    const { id } = await makeJudged('up')
    await addIncident(server, id, { from: 200, to: 100 })
    const before = await rowsOf(server, 'incidents', id)
    await update(id, { is_active: false })
    server.clock.advance({ minutes: 5 })
    await update(id, { is_active: true, type: 'ping' })
    expect(await rowsOf(server, 'incidents', id)).toEqual(before)
  })

  it('ends nothing before it began, though clocks differ', async () => {
    const { id } = await makeMonitor(key)
    const ahead = { services: server.services, clock: new TestClock(server.clock.now()) }
    ahead.clock.advance({ seconds: 2 })
    await judge(ahead, id, 'down')
    expect((await update(id, { is_active: false })).status).toBe('paused')
    expect(await rowsOf(server, 'incidents', id)).toMatchObject([{ resolved_at: ahead.clock.now() }])
    expect(await rowsOf(server, 'watches', id)).toMatchObject([{ ended_at: ahead.clock.now() }])
  })
})

describe('a paused monitor', () => {
  it('is pending when it is active again, and still knows its last check', async () => {
    const { id, last_checked_at } = await makeJudged('down')
    await update(id, { is_active: false })
    const paused = now()
    server.clock.advance({ minutes: 5 })
    expect(await update(id, { is_active: false })).toMatchObject({ status: 'paused', status_changed_at: paused })
    expect(await update(id, { friendly_name: 'Other' })).toMatchObject({ status: 'paused', status_changed_at: paused })
    expect(await update(id, { is_active: true })).toMatchObject({
      status: 'pending',
      is_active: true,
      status_changed_at: now(),
      last_checked_at,
    })
    expect(await rowsOf(server, 'incidents', id)).toMatchObject([{ resolved_at: new Date(paused) }])
    expect(await rowsOf(server, 'watches', id)).toMatchObject([{ ended_at: new Date(paused) }])
  })

  it('stays paused with another type', async () => {
    const { id, status_changed_at } = await makeMonitor(key, { is_active: false })
    server.clock.advance({ minutes: 5 })
    expect(await update(id, { type: 'ping' })).toMatchObject({ status: 'paused', type: 'ping', status_changed_at })
  })
})

describe('another type', () => {
  const unchecked = { last_checked_at: null, last_response_ms: null, last_error: null, tls_expires_at: null }

  it.each([
    ['up', 0],
    ['down', 1],
  ] as const)('starts again at pending where it was %s', async (status, incidents) => {
    const http = { method: 'POST', headers: { 'X-Token': 'abcdefgh' } }
    const { id, ...before } = await makeJudged(status, { url: 'https://Example.com:8443/x', http })
    const changed = { id, status: 'pending', status_changed_at: now(), updated_at: now(), ...unchecked }
    expect(await update(id, { type: 'ping' })).toEqual({
      ...before,
      ...changed,
      type: 'ping',
      url: 'example.com',
      http: null,
    })
    await expectEnded(id, { incidents })
    expect(await rowsOf(server, 'monitor_states', id)).toMatchObject([{ tls_warned_days: null, failures: 0 }])
    const back = { type: 'http', url: 'https://example.com/' }
    expect(await update(id, back)).toEqual({ ...before, ...changed, ...back, http: plainHttp })
  })

  it('takes its own http settings along', async () => {
    const { id } = await makeMonitor(key, { type: 'ping' })
    const fields = { type: 'http', url: 'https://example.com/', http: { method: 'HEAD' } }
    expect(await update(id, fields)).toMatchObject({ ...fields, http: { ...plainHttp, method: 'HEAD' } })
  })

  it.each([
    [{ type: 'http' }, 'url'],
    [{ type: 'http', url: 'other.example.com' }, 'url'],
    [{ type: 'http', url: 'https://example.com/', timeout: 61 }, 'timeout'],
  ])('is refused with %j, and nothing is written', async (fields, field) => {
    const before = await makeJudged('down', { type: 'ping', url: 'example.com' })
    const answer = await key.put(`${path}/${before.id}`, { friendly_name: 'Other', ...fields })
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual([field])
    expect(await showMonitor(key, before.id)).toEqual(before)
    await expectOngoing(before.id, { incidents: 1 })
    expect(await rowsOf(server, 'monitor_states', before.id)).toHaveLength(1)
  })

  it('of ping takes no http settings along', async () => {
    const before = await makeJudged('up')
    const answer = await key.put(`${path}/${before.id}`, { type: 'ping', http: { method: 'HEAD' } })
    expect(Object.keys(answer.body.errors)).toEqual(['http'])
    expect(await showMonitor(key, before.id)).toEqual(before)
  })
})
