/** The monitors of a notification channel: /api/providers/:id/monitors */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Scope } from '../../../src/shared/scopes.ts'
import { expectMissingScope, expectNotFound } from '../../support/access.ts'
import { channelsPath, getSample } from '../../support/channels.ts'
import type { CallOptions, Client } from '../../support/client.ts'
import { createMonitor, insertMonitors, setFirstStatus } from '../../support/monitors.ts'
import type { TestServer, TestUser } from '../../support/server.ts'
import { shareTestServer } from '../../support/shared-server.ts'

let server: TestServer
let owner: TestUser
let keyClient: Client
let stranger: TestUser
let otherUsersMonitorId: number
let channelId: number
let path: string
/** The ids of the monitors, oldest first. */
let monitorIds: number[]

const addChannel = async (client: Client) =>
  (await client.post(channelsPath, getSample('slack'))).body.data.id as number

beforeAll(async () => {
  server = await shareTestServer()
  owner = await server.createUser('owner')
  keyClient = await owner.withKey()
  stranger = await server.createUser('stranger')
  otherUsersMonitorId = (await createMonitor(stranger.session)).id
})
afterAll(() => server.close())
beforeEach(async () => {
  channelId = await addChannel(keyClient)
  path = `${channelsPath}/${channelId}/monitors`
  monitorIds = (await insertMonitors(server, owner.id, 3)).toSorted((a, b) => a - b)
})

interface ListedAssignment {
  monitor_id: number
  enabled: boolean
}

const listAssignments = async (): Promise<ListedAssignment[]> => (await keyClient.get(path)).body.data
const getIds = (rows: ListedAssignment[]) => rows.map(({ monitor_id: id }) => id)
const assign = (monitor_ids: unknown, fields: object = {}) => keyClient.post(path, { monitor_ids, ...fields })

describe('GET /api/providers/{id}/monitors', () => {
  it('shows the monitors of a channel, newest first', async () => {
    const create = async (friendly_name: string) => (await createMonitor(keyClient, { friendly_name })).id
    const [shop, mail] = [await create('Shop'), await create('Mail')]
    await setFirstStatus(server, shop, 'down')
    server.clock.advance({ minutes: 1 })
    await assign([shop, mail])
    await keyClient.post(`/api/monitors/${mail}/notifications`, { provider_id: channelId, enabled: false })
    const commonFields = { url: 'https://example.com/', created_at: server.clock.now().toISOString() }
    expect((await keyClient.get(path)).body).toEqual({
      data: [
        {
          monitor_id: mail,
          friendly_name: 'Mail',
          status: 'pending',
          enabled: false,
          delay_minutes: 0,
          ...commonFields,
        },
        { monitor_id: shop, friendly_name: 'Shop', status: 'down', enabled: true, delay_minutes: 0, ...commonFields },
      ],
      meta: { page: 1, pageSize: 100, total: 2, totalPages: 1 },
    })
  })

  it('returns the monitors in pages', async () => {
    await assign(monitorIds)
    const { body } = await keyClient.get(`${path}?page=2&pageSize=2`)
    expect(getIds(body.data)).toEqual([monitorIds[0]])
    expect(body.meta).toEqual({ page: 2, pageSize: 2, total: 3, totalPages: 2 })
    expect((await keyClient.get(`${path}?page=9`)).body).toMatchObject({ data: [], meta: { total: 3 } })
    expect((await keyClient.get(`${path}?pageSize=1000`)).status).toBe(200)
  })

  it.each(['page=0', 'pageSize=1001', 'pageSize=x'])('rejects %s', async (query) => {
    const { status, body } = await keyClient.get(`${path}?${query}`)
    expect([status, Object.keys(body.errors)]).toEqual([422, [query.split('=')[0]]])
  })
})

describe('POST /api/providers/{id}/monitors', () => {
  it('assigns many monitors, and enables or disables existing assignments', async () => {
    const [shop = 0, blog = 0, mail = 0] = monitorIds
    const firstResponse = await assign([shop, blog])
    expect([firstResponse.status, firstResponse.body]).toEqual([
      200,
      { data: { provider_id: channelId, assigned: 2, updated: 0 } },
    ])
    const createdAt = server.clock.now().toISOString()
    server.clock.advance({ minutes: 1 })
    const secondResponse = await assign([mail, blog, shop], { enabled: false })
    expect(secondResponse.body.data).toEqual({ provider_id: channelId, assigned: 1, updated: 2 })
    expect(await listAssignments()).toMatchObject([
      { monitor_id: mail, enabled: false, created_at: server.clock.now().toISOString() },
      { monitor_id: blog, enabled: false, created_at: createdAt },
      { monitor_id: shop, enabled: false, created_at: createdAt },
    ])
    expect((await assign([blog])).body.data).toEqual({ provider_id: channelId, assigned: 0, updated: 1 })
    expect((await keyClient.get(`/api/monitors/${blog}/notifications`)).body.data).toMatchObject([
      { provider_id: channelId, enabled: true },
    ])
  })

  it('sets the delay of all listed monitors, and keeps their delays if the request sends none', async () => {
    const [shop = 0, blog = 0] = monitorIds
    await assign([shop], { delay_minutes: 5 })
    await assign([shop, blog])
    expect(await listAssignments()).toMatchObject([{ delay_minutes: 0 }, { delay_minutes: 5 }])
    await assign([shop, blog], { delay_minutes: 30 })
    expect(await listAssignments()).toMatchObject([{ delay_minutes: 30 }, { delay_minutes: 30 }])
    expect((await assign([shop], { delay_minutes: 1_441 })).status).toBe(422)
  })

  it('assigns the monitors that have a listed tag, or all monitors, but no monitors of other users', async () => {
    const ada = await server.createUser('ada')
    const id = await addChannel(ada.session)
    const adasPath = `${channelsPath}/${id}/monitors`
    const create = async (tags: string[]) => (await createMonitor(ada.session, { tags })).id
    const [shop, blog, mail] = [await create(['Shop', 'eu']), await create(['EU']), await create([])]
    const post = async (body: object) => (await ada.session.post(adasPath, body)).body.data
    const list = async () => getIds((await ada.session.get(adasPath)).body.data)
    expect(await post({ tags: ['none'] })).toEqual({ provider_id: id, assigned: 0, updated: 0 })
    expect(await post({ tags: ['SHOP'], delay_minutes: 5 })).toEqual({ provider_id: id, assigned: 1, updated: 0 })
    expect(await post({ tags: ['shop', 'eu'] })).toEqual({ provider_id: id, assigned: 1, updated: 1 })
    expect(await list()).toEqual([blog, shop])
    expect(await post({ all_monitors: true, enabled: false })).toEqual({ provider_id: id, assigned: 1, updated: 2 })
    expect(await list()).toEqual([mail, blog, shop])
  })

  it.each([
    [{}, 'monitor_ids'],
    [{ all_monitors: false }, 'monitor_ids'],
    [{ all_monitors: true, tags: ['eu'] }, 'monitor_ids'],
    [{ all_monitors: true, monitor_ids: [1] }, 'monitor_ids'],
    [{ tags: [] }, 'tags'],
    [{ tags: [' '] }, 'tags'],
  ])('rejects %j', async (body, field) => {
    const response = await keyClient.post(path, body)
    expect([response.status, Object.keys(response.body.errors)]).toEqual([422, [field]])
  })

  it('accepts a form, and ignores repeated ids', async () => {
    const form = { monitor_ids: [...monitorIds, ...monitorIds].map(String), enabled: '0' }
    expect((await keyClient.call('POST', path, { form })).body.data).toMatchObject({ assigned: 3, updated: 0 })
    const secondResponse = await keyClient.call('POST', path, { form: { monitor_ids: String(monitorIds[0]) } })
    expect(secondResponse.body.data).toMatchObject({ assigned: 0, updated: 1 })
  })

  it('names unknown monitors and monitors of other users in its error, and stores nothing', async () => {
    const response = await assign([monitorIds[0], 999_999, otherUsersMonitorId, Number.MAX_SAFE_INTEGER])
    const message = `\`monitor_ids\` names monitors that aren't yours: 999999, ${otherUsersMonitorId}, 9007199254740991.`
    expect([response.status, response.body.errors]).toEqual([422, { monitor_ids: [message] }])
    expect(await listAssignments()).toEqual([])
    expect(
      await server.services.db.query('select 1 from assignments where monitor_id = $1', [otherUsersMonitorId]),
    ).toEqual([])
  })

  it('accepts 1,000 ids', async () => {
    const ids = await insertMonitors(server, owner.id, 1_000)
    expect((await assign(ids)).body.data).toMatchObject({ assigned: 1_000, updated: 0 })
    expect((await keyClient.get(`${path}?pageSize=1000`)).body.data).toHaveLength(1_000)
    const deleteResponse = await keyClient.call('DELETE', path, { json: { monitor_ids: ids } })
    expect(deleteResponse.body.data).toEqual({ provider_id: channelId, removed: 1_000 })
  })

  it.each([
    ['no ids', {}, 'monitor_ids'],
    ['an empty list', { monitor_ids: [] }, 'monitor_ids'],
    ['1,001 ids', { monitor_ids: Array.from({ length: 1_001 }, (_, n) => n + 1) }, 'monitor_ids'],
    ['a single id instead of a list', { monitor_ids: 5 }, 'monitor_ids'],
    ['an id that is not a number', { monitor_ids: ['x'] }, 'monitor_ids.0'],
    ['the id 0', { monitor_ids: [0] }, 'monitor_ids.0'],
    ['an invalid enabled', { monitor_ids: [1], enabled: 'maybe' }, 'enabled'],
    ['an unknown field', { monitor_ids: [1], provider_id: 1 }, 'provider_id'],
  ])('rejects %s', async (_case, input, field) => {
    const response = await keyClient.post(path, input)
    expect([response.status, Object.keys(response.body.errors)]).toEqual([422, [field]])
  })

  it('handles concurrent requests for the same monitors in different orders', async () => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, n) => {
        const monitor_ids = n % 2 ? monitorIds : monitorIds.toReversed()
        return n % 4 < 2
          ? keyClient.post(path, { monitor_ids })
          : keyClient.call('DELETE', path, { json: { monitor_ids } })
      }),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    const changes = responses.map(({ body: { data } }) => (data.assigned ?? 0) - (data.removed ?? 0))
    expect(changes.reduce((sum, count) => sum + count)).toBe((await listAssignments()).length)
  })
})

describe('DELETE /api/providers/{id}/monitors', () => {
  beforeEach(() => assign(monitorIds))

  const toQuery = (ids: number[]) => `?${ids.map((id) => `monitor_ids=${id}`).join('&')}`

  it.each<[string, (ids: number[]) => CallOptions, boolean]>([
    ['the body', (monitor_ids) => ({ json: { monitor_ids } }), false],
    ['a form', (ids) => ({ form: { monitor_ids: ids.map(String) } }), false],
    ['the query', () => ({}), true],
    ['both the body and the query', (ids) => ({ json: { monitor_ids: ids.toReversed() } }), true],
  ])('reads the monitors from %s', async (_source, options, isInQuery) => {
    const ids = monitorIds.slice(1)
    const response = await keyClient.call('DELETE', isInQuery ? path + toQuery(ids) : path, options(ids))
    expect([response.status, response.body]).toEqual([200, { data: { provider_id: channelId, removed: 2 } }])
    expect(getIds(await listAssignments())).toEqual([monitorIds[0]])
  })

  it('rejects different monitors in body and query', async () => {
    const json = { monitor_ids: monitorIds }
    const response = await keyClient.call('DELETE', path + toQuery(monitorIds.slice(1)), { json })
    expect([response.status, Object.keys(response.body.errors)]).toEqual([422, ['monitor_ids']])
    expect(await listAssignments()).toHaveLength(3)
  })

  it('returns how many assignments it deleted, and does not affect other channels', async () => {
    const otherChannelId = await addChannel(keyClient)
    await keyClient.post(`${channelsPath}/${otherChannelId}/monitors`, { monitor_ids: monitorIds })
    const json = { monitor_ids: [monitorIds[0], monitorIds[0], 999_999, otherUsersMonitorId] }
    expect((await keyClient.call('DELETE', path, { json })).body.data).toEqual({ provider_id: channelId, removed: 1 })
    expect((await keyClient.call('DELETE', path, { json })).body.data.removed).toBe(0)
    expect((await keyClient.get(`${channelsPath}/${otherChannelId}/monitors`)).body.meta.total).toBe(3)
  })

  it.each([
    ['', undefined, 'monitor_ids'],
    ['', {}, 'monitor_ids'],
    ['', { monitor_ids: [] }, 'monitor_ids'],
    ['', { monitor_ids: ['x'] }, 'monitor_ids.0'],
    ['?monitor_ids=x', undefined, 'monitor_ids.0'],
  ])('rejects the query "%s" with the body %j', async (query, json, field) => {
    const response = await keyClient.call('DELETE', path + query, json && { json })
    expect([response.status, Object.keys(response.body.errors)]).toEqual([422, [field]])
    expect(await listAssignments()).toHaveLength(3)
  })
})

describe('the monitors of a channel', () => {
  const call = (client: Client, method: string, requestPath = path) =>
    client.call(method, requestPath, method === 'GET' ? {} : { json: { monitor_ids: [monitorIds[0]] } })

  const requiredScopes: [string, Scope, Scope][] = [
    ['GET', 'monitors:read', 'providers:read'],
    ['POST', 'monitors:write', 'providers:read'],
    ['DELETE', 'monitors:write', 'providers:read'],
  ]

  it.each(requiredScopes)('accessed with %s require the scopes %s and %s', async (method, firstScope, secondScope) => {
    expectMissingScope(await call(await owner.withKey(firstScope), method), secondScope)
    expectMissingScope(await call(await owner.withKey(secondScope), method), firstScope)
    const otherKeyClient = await owner.withKey('monitors:read', 'monitors:write', 'providers:write', 'websites:read')
    expectMissingScope(await call(otherKeyClient, method), secondScope)
    expect((await call(await owner.withKey(firstScope, secondScope), method)).status).toBe(200)
    expect((await call(server.anyone, method)).status).toBe(401)
  })

  it.each(['GET', 'POST', 'DELETE'])(
    'of another user get the same response to %s as the monitors of an unknown channel',
    async (method) => {
      await assign(monitorIds)
      const unknownPath = `${channelsPath}/999999/monitors`
      for (const client of [await stranger.withKey(), stranger.session]) {
        expectNotFound(await call(client, method), await call(client, method, unknownPath))
      }
      expect(await listAssignments()).toHaveLength(3)
    },
  )
})
