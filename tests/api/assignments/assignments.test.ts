import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { channelsPath, getSample } from '../../support/channels.ts'
import type { Client } from '../../support/client.ts'
import type { TestServer, TestUser } from '../../support/server.ts'
import { shareTestServer } from '../../support/shared-server.ts'

let server: TestServer
let owner: TestUser
let keyClient: Client
let stranger: Client
let monitorId: number
let channelId: number
let path: string

const addMonitor = async (client: Client) =>
  (await client.post('/api/monitors', { friendly_name: 'Shop', url: 'https://example.com' })).body.data.id as number
const addChannel = async (client: Client, fields: object = {}) =>
  (await client.post(channelsPath, { ...getSample('slack'), ...fields })).body.data.id as number

beforeAll(async () => {
  server = await shareTestServer()
  owner = await server.createUser('owner')
  keyClient = await owner.withKey()
  stranger = (await server.createUser('stranger')).session
})
afterAll(() => server.close())
beforeEach(async () => {
  monitorId = await addMonitor(keyClient)
  channelId = await addChannel(keyClient)
  path = `/api/monitors/${monitorId}/notifications`
})

/** Polls, because PostgreSQL sends no notification when a query starts to wait for a lock. */
async function waitUntil(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await delay(10)
}

const listAssignments = async () => (await keyClient.get(path)).body

describe('POST /api/monitors/{id}/notifications', () => {
  it('assigns a channel', async () => {
    const response = await keyClient.post(path, { provider_id: channelId, enabled: false })
    expect(response.status).toBe(201)
    expect(response.body.data).toEqual({
      monitor_id: monitorId,
      provider_id: channelId,
      provider_type: 'slack',
      enabled: false,
      delay_minutes: 0,
      created_at: server.clock.now().toISOString(),
    })
    expect(response.headers.get('location')).toBe(server.address + path)
    expect(await listAssignments()).toEqual({ data: [response.body.data], meta: { total: 1 } })
  })

  it('enables the assignment by default, and accepts a form', async () => {
    expect((await keyClient.post(path, { provider_id: channelId })).body.data.enabled).toBe(true)
    const form = { provider_id: String(channelId), enabled: '0' }
    expect((await keyClient.call('POST', path, { form })).body.data.enabled).toBe(false)
  })

  it('changes an existing assignment', async () => {
    const { data } = (await keyClient.post(path, { provider_id: channelId, enabled: false })).body
    server.clock.advance({ minutes: 1 })
    const secondResponse = await keyClient.post(path, { provider_id: channelId })
    expect([secondResponse.status, secondResponse.body.data]).toEqual([200, { ...data, enabled: true }])
    expect(secondResponse.headers.get('location')).toBe(null)
    expect((await listAssignments()).meta.total).toBe(1)
  })

  it('stores a delay, and keeps it if a later request sends none', async () => {
    const readDelay = async (body: object) =>
      (await keyClient.post(path, { provider_id: channelId, ...body })).body.data
    expect(await readDelay({ delay_minutes: 15 })).toMatchObject({ delay_minutes: 15 })
    expect(await readDelay({ enabled: false })).toMatchObject({ delay_minutes: 15, enabled: false })
    expect(await readDelay({ delay_minutes: '1440' })).toMatchObject({ delay_minutes: 1_440 })
    expect((await listAssignments()).data).toMatchObject([{ delay_minutes: 1_440 }])
    expect(await readDelay({ delay_minutes: 0 })).toMatchObject({ delay_minutes: 0 })
    for (const delayMinutes of [-1, 1_441, 1.5, null, 'soon']) {
      const response = await keyClient.post(path, { provider_id: channelId, delay_minutes: delayMinutes })
      expect([response.status, Object.keys(response.body.errors)]).toEqual([422, ['delay_minutes']])
    }
  })

  it('creates one assignment from concurrent requests', async () => {
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => keyClient.post(path, { provider_id: channelId })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201])
    expect((await listAssignments()).meta.total).toBe(1)
  })

  it('rejects an unknown channel and a channel of another user, and stores nothing', async () => {
    for (const provider_id of [999_999, await addChannel(stranger)]) {
      const response = await keyClient.post(path, { provider_id })
      expect(response.status).toBe(422)
      expect(response.body.errors).toEqual({ provider_id: ['`provider_id` is not one of your providers.'] })
    }
    expect((await listAssignments()).data).toEqual([])
    expect(await server.services.db.query('select 1 from assignments where monitor_id = $1', [monitorId])).toEqual([])
  })

  it('responds with 404 for an unknown monitor and for a monitor of another user, and stores nothing', async () => {
    const otherUsersMonitorId = await addMonitor(stranger)
    for (const id of [999_999, otherUsersMonitorId]) {
      const response = await keyClient.post(`/api/monitors/${id}/notifications`, { provider_id: channelId })
      expect(response.status).toBe(404)
      // The status does not reveal whether the channel exists.
      expect((await keyClient.post(`/api/monitors/${id}/notifications`, { provider_id: 999_998 })).status).toBe(404)
    }
    expect((await stranger.get(`/api/monitors/${otherUsersMonitorId}/notifications`)).body.data).toEqual([])
  })

  it.each([
    ['provider_id', {}],
    ['provider_id', { provider_id: 'x' }],
    ['provider_id', { provider_id: 0 }],
    ['provider_id', { provider_id: null }],
    ['enabled', { provider_id: 1, enabled: 'maybe' }],
    ['monitor_id', { provider_id: 1, monitor_id: 2 }],
  ])('rejects an invalid %s in %j', async (field, input) => {
    const response = await keyClient.post(path, input)
    expect([response.status, Object.keys(response.body.errors)]).toEqual([422, [field]])
  })
})

describe('DELETE /api/monitors/{id}/notifications', () => {
  beforeEach(() => keyClient.post(path, { provider_id: channelId }))

  const getDeletedBody = () => ({ monitor_id: monitorId, provider_id: channelId, object: 'assignment', deleted: true })

  it.each([
    ['the body', () => ({ json: { provider_id: channelId } }), ''],
    ['a form', () => ({ form: { provider_id: String(channelId) } }), ''],
    ['the query', () => ({}), 'provider_id'],
    [
      'the query, with a JSON content type but no body',
      () => ({ headers: { 'content-type': 'application/json' } }),
      'provider_id',
    ],
    ['both the body and the query', () => ({ json: { provider_id: channelId } }), 'provider_id'],
  ])('reads the channel from %s', async (_source, options, query) => {
    const response = await keyClient.call('DELETE', query === '' ? path : `${path}?provider_id=${channelId}`, options())
    expect([response.status, response.body]).toEqual([200, getDeletedBody()])
    expect((await listAssignments()).data).toEqual([])
  })

  it('rejects different channels in body and query', async () => {
    const response = await keyClient.call('DELETE', `${path}?provider_id=${channelId}`, {
      json: { provider_id: channelId + 1 },
    })
    expect([response.status, Object.keys(response.body.errors)]).toEqual([422, ['provider_id']])
    expect((await listAssignments()).meta.total).toBe(1)
  })

  it.each([
    [{}, ''],
    [{ provider_id: 'x' }, ''],
    [undefined, ''],
    [undefined, '?provider_id=x'],
    [undefined, '?provider_id=0'],
  ])('rejects the body %j with the query "%s"', async (json, query) => {
    const response = await keyClient.call('DELETE', path + query, json && { json })
    expect([response.status, Object.keys(response.body.errors)]).toEqual([422, ['provider_id']])
    expect((await listAssignments()).meta.total).toBe(1)
  })

  it('ignores other query parameters', async () => {
    expect((await keyClient.delete(`${path}?provider_id=${channelId}&_=5`)).status).toBe(200)
  })

  it('responds with 404 for a deleted assignment and for an assignment of another user', async () => {
    const strangersResponse = await stranger.call('DELETE', path, { json: { provider_id: channelId } })
    expect(strangersResponse.status).toBe(404)
    expect((await keyClient.call('DELETE', path, { json: { provider_id: channelId } })).status).toBe(200)
    expect((await keyClient.call('DELETE', path, { json: { provider_id: channelId } })).status).toBe(404)
    expect(
      (await keyClient.call('DELETE', '/api/monitors/999999/notifications', { json: { provider_id: 1 } })).status,
    ).toBe(404)
  })
})

describe('a channel with assign_by_default', () => {
  it('is assigned to every new monitor of its user, but not to existing monitors', async () => {
    const defaultChannelId = await addChannel(keyClient, { assign_by_default: true })
    // This is a separate user, because a default channel of `stranger` would be assigned to the monitors of other tests.
    const otherUser = await server.createUser('other')
    await addChannel(otherUser.session, { assign_by_default: true })
    const newMonitorId = await addMonitor(keyClient)
    const { data } = (await keyClient.get(`/api/monitors/${newMonitorId}/notifications`)).body
    expect(data).toMatchObject([{ monitor_id: newMonitorId, provider_id: defaultChannelId, enabled: true }])
    expect((await listAssignments()).data).toEqual([])
    await keyClient.delete(`${channelsPath}/${defaultChannelId}`)
    expect((await keyClient.get(`/api/monitors/${newMonitorId}/notifications`)).body.data).toEqual([])
  })
})

describe('a monitor that is created while a default channel is deleted', () => {
  it('is created without that channel', async () => {
    const defaultChannelId = await addChannel(keyClient, { assign_by_default: true })
    const rowDeleted = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const deletion = server.services.db.transaction(async (q) => {
      await q.query('delete from providers where id = $1', [defaultChannelId])
      rowDeleted.resolve()
      await commit.promise
    })
    await rowDeleted.promise
    const creation = keyClient.post('/api/monitors', { friendly_name: 'Late', url: 'https://example.com' })
    await waitUntil(async () => {
      const [row] = await server.services.db.query(
        `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return row?.['count'] > 0
    })
    commit.resolve()
    await deletion
    const { status, body } = await creation
    expect(status).toBe(201)
    expect((await keyClient.get(`/api/monitors/${body.data.id}/notifications`)).body.data).toEqual([])
  })
})

describe('assignments', () => {
  it('are listed by channel id, and deleted with their monitor', async () => {
    const secondChannelId = await addChannel(keyClient)
    await keyClient.post(path, { provider_id: secondChannelId })
    await keyClient.post(path, { provider_id: channelId, enabled: false })
    const { data } = await listAssignments()
    expect(data.map((assignment: { provider_id: number }) => assignment.provider_id)).toEqual([
      channelId,
      secondChannelId,
    ])
    await keyClient.delete(`/api/monitors/${monitorId}`)
    expect((await keyClient.get(path)).status).toBe(404)
    expect(await server.services.db.query('select 1 from assignments where monitor_id = $1', [monitorId])).toEqual([])
  })
})
