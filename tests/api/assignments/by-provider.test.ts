/** Assignments from the side of the provider: /api/providers/:id/monitors */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Scope } from '../../../src/shared/scopes.ts'
import { expectMissingScope, expectSameAsNone } from '../../support/access.ts'
import type { CallOptions, Client } from '../../support/client.ts'
import { judge, makeMonitor } from '../../support/monitors.ts'
import { path as providers, sampleOf } from '../../support/providers.ts'
import { type Person, startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let owner: Person
let key: Client
let stranger: Person
let foreign: number
let provider: number
let path: string
/** Their ids, oldest first. */
let monitors: number[]

const addProvider = async (client: Client) => (await client.post(providers, sampleOf('slack'))).body.data.id as number

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.person('owner')
  key = await owner.withKey()
  stranger = await server.person('stranger')
  foreign = (await makeMonitor(stranger.session)).id
})
afterAll(() => server.close())
beforeEach(async () => {
  provider = await addProvider(key)
  path = `${providers}/${provider}/monitors`
  monitors = []
  for (const friendly_name of ['Shop', 'Blog', 'Mail']) monitors.push((await makeMonitor(key, { friendly_name })).id)
})

interface Listed {
  monitor_id: number
  enabled: boolean
}

const listed = async (): Promise<Listed[]> => (await key.get(path)).body.data
const idsOf = (rows: Listed[]) => rows.map(({ monitor_id: id }) => id)
const assign = (monitor_ids: unknown, more: object = {}) => key.post(path, { monitor_ids, ...more })

describe('GET /api/providers/{id}/monitors', () => {
  it('shows the monitors of a provider, newest first', async () => {
    const [shop = 0, , mail = 0] = monitors
    await judge(server, shop, 'down')
    server.clock.advance({ minutes: 1 })
    await assign([shop, mail])
    await key.post(`/api/monitors/${mail}/notifications`, { provider_id: provider, enabled: false })
    const common = { url: 'https://example.com/', created_at: server.clock.now().toISOString() }
    expect((await key.get(path)).body).toEqual({
      data: [
        { monitor_id: mail, friendly_name: 'Mail', status: 'pending', enabled: false, ...common },
        { monitor_id: shop, friendly_name: 'Shop', status: 'down', enabled: true, ...common },
      ],
      meta: { page: 1, pageSize: 100, total: 2, totalPages: 1 },
    })
  })

  it('comes in pages', async () => {
    await assign(monitors)
    const { body } = await key.get(`${path}?page=2&pageSize=2`)
    expect(idsOf(body.data)).toEqual([monitors[0]])
    expect(body.meta).toEqual({ page: 2, pageSize: 2, total: 3, totalPages: 2 })
    expect((await key.get(`${path}?page=9`)).body).toMatchObject({ data: [], meta: { total: 3 } })
    expect((await key.get(`${path}?pageSize=1000`)).status).toBe(200)
  })

  it.each(['page=0', 'pageSize=1001', 'pageSize=x'])('refuses %s', async (query) => {
    const { status, body } = await key.get(`${path}?${query}`)
    expect([status, Object.keys(body.errors)]).toEqual([422, [query.split('=')[0]]])
  })
})

describe('POST /api/providers/{id}/monitors', () => {
  it('assigns many at once, and switches those that were there', async () => {
    const [shop = 0, blog = 0, mail = 0] = monitors
    const first = await assign([shop, blog])
    expect([first.status, first.body]).toEqual([200, { data: { provider_id: provider, assigned: 2, updated: 0 } }])
    const madeAt = server.clock.now().toISOString()
    server.clock.advance({ minutes: 1 })
    const second = await assign([mail, blog, shop], { enabled: false })
    expect(second.body.data).toEqual({ provider_id: provider, assigned: 1, updated: 2 })
    expect(await listed()).toMatchObject([
      { monitor_id: mail, enabled: false, created_at: server.clock.now().toISOString() },
      { monitor_id: blog, enabled: false, created_at: madeAt },
      { monitor_id: shop, enabled: false, created_at: madeAt },
    ])
    expect((await assign([blog])).body.data).toEqual({ provider_id: provider, assigned: 0, updated: 1 })
    expect((await key.get(`/api/monitors/${blog}/notifications`)).body.data).toMatchObject([
      { provider_id: provider, enabled: true },
    ])
  })

  it('takes a form, and repeats as one', async () => {
    const form = { monitor_ids: [...monitors, ...monitors].map(String), enabled: '0' }
    expect((await key.call('POST', path, { form })).body.data).toMatchObject({ assigned: 3, updated: 0 })
    const one = await key.call('POST', path, { form: { monitor_ids: String(monitors[0]) } })
    expect(one.body.data).toMatchObject({ assigned: 0, updated: 1 })
  })

  it('names what is not there or not one’s own, and writes nothing', async () => {
    const answer = await assign([monitors[0], 999_999, foreign, Number.MAX_SAFE_INTEGER])
    const sentence = `\`monitor_ids\` names monitors that aren't yours: 999999, ${foreign}, 9007199254740991.`
    expect([answer.status, answer.body.errors]).toEqual([422, { monitor_ids: [sentence] }])
    expect(await listed()).toEqual([])
    expect(await server.services.db.query('select 1 from assignments where monitor_id = $1', [foreign])).toEqual([])
  })

  it('takes 1,000', async () => {
    const { db } = server.services
    const rows = await db.query<{ id: number }>(
      `insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
         remind_every_minutes, http, status, status_changed_at, search_text, created_at, updated_at)
       select user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
         remind_every_minutes, http, status, status_changed_at, search_text, created_at, updated_at
         from monitors, generate_series(1, 1000) where id = $1 returning id`,
      [monitors[0]],
    )
    const ids = rows.map(({ id }) => id)
    expect((await assign(ids)).body.data).toMatchObject({ assigned: 1_000, updated: 0 })
    expect((await key.get(`${path}?pageSize=1000`)).body.data).toHaveLength(1_000)
    const removed = await key.call('DELETE', path, { json: { monitor_ids: ids } })
    expect(removed.body.data).toEqual({ provider_id: provider, removed: 1_000 })
  })

  it.each([
    ['no ids', {}, 'monitor_ids'],
    ['an empty list', { monitor_ids: [] }, 'monitor_ids'],
    ['1,001 ids', { monitor_ids: Array.from({ length: 1_001 }, (_, n) => n + 1) }, 'monitor_ids'],
    ['an id that stands alone', { monitor_ids: 5 }, 'monitor_ids'],
    ['an id that is none', { monitor_ids: ['x'] }, 'monitor_ids.0'],
    ['the id 0', { monitor_ids: [0] }, 'monitor_ids.0'],
    ['a wrong enabled', { monitor_ids: [1], enabled: 'maybe' }, 'enabled'],
    ['another field', { monitor_ids: [1], provider_id: 1 }, 'provider_id'],
  ])('refuses %s', async (_what, input, field) => {
    const answer = await key.post(path, input)
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]])
  })

  it('does all when several want the same in another order', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => {
        const monitor_ids = n % 2 ? monitors : monitors.toReversed()
        return n % 4 < 2 ? key.post(path, { monitor_ids }) : key.call('DELETE', path, { json: { monitor_ids } })
      }),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const counted = answers.map(({ body: { data } }) => (data.assigned ?? 0) - (data.removed ?? 0))
    expect(counted.reduce((sum, count) => sum + count)).toBe((await listed()).length)
  })
})

describe('DELETE /api/providers/{id}/monitors', () => {
  beforeEach(() => assign(monitors))

  const query = (ids: number[]) => `?${ids.map((id) => `monitor_ids=${id}`).join('&')}`

  it.each<[string, (ids: number[]) => CallOptions, boolean]>([
    ['the body', (monitor_ids) => ({ json: { monitor_ids } }), false],
    ['a form', (ids) => ({ form: { monitor_ids: ids.map(String) } }), false],
    ['the query', () => ({}), true],
    ['both', (ids) => ({ json: { monitor_ids: ids.toReversed() } }), true],
  ])('takes the monitors from %s', async (_where, options, inQuery) => {
    const ids = monitors.slice(1)
    const answer = await key.call('DELETE', inQuery ? path + query(ids) : path, options(ids))
    expect([answer.status, answer.body]).toEqual([200, { data: { provider_id: provider, removed: 2 } }])
    expect(idsOf(await listed())).toEqual([monitors[0]])
  })

  it('wants them to agree', async () => {
    const json = { monitor_ids: monitors }
    const answer = await key.call('DELETE', path + query(monitors.slice(1)), { json })
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['monitor_ids']])
    expect(await listed()).toHaveLength(3)
  })

  it('counts only those that were assigned, and leaves other providers alone', async () => {
    const other = await addProvider(key)
    await key.post(`${providers}/${other}/monitors`, { monitor_ids: monitors })
    const json = { monitor_ids: [monitors[0], monitors[0], 999_999, foreign] }
    expect((await key.call('DELETE', path, { json })).body.data).toEqual({ provider_id: provider, removed: 1 })
    expect((await key.call('DELETE', path, { json })).body.data.removed).toBe(0)
    expect((await key.get(`${providers}/${other}/monitors`)).body.meta.total).toBe(3)
  })

  it.each([
    ['', undefined, 'monitor_ids'],
    ['', {}, 'monitor_ids'],
    ['', { monitor_ids: [] }, 'monitor_ids'],
    ['', { monitor_ids: ['x'] }, 'monitor_ids.0'],
    ['?monitor_ids=x', undefined, 'monitor_ids.0'],
  ])('refuses %s %j', async (search, json, field) => {
    const answer = await key.call('DELETE', path + search, json && { json })
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]])
    expect(await listed()).toHaveLength(3)
  })
})

describe('the monitors of a provider', () => {
  const call = (client: Client, method: string, where = path) =>
    client.call(method, where, method === 'GET' ? {} : { json: { monitor_ids: [monitors[0]] } })

  const needs: [string, Scope, Scope][] = [
    ['GET', 'monitors:read', 'providers:read'],
    ['POST', 'monitors:write', 'providers:read'],
    ['DELETE', 'monitors:write', 'providers:read'],
  ]

  it.each(needs)('%s needs %s and %s', async (method, first, second) => {
    expectMissingScope(await call(await owner.withKey(first), method), second)
    expectMissingScope(await call(await owner.withKey(second), method), first)
    const others = await owner.withKey('monitors:read', 'monitors:write', 'providers:write', 'websites:read')
    expectMissingScope(await call(others, method), second)
    expect((await call(await owner.withKey(first, second), method)).status).toBe(200)
    expect((await call(server.anyone, method)).status).toBe(401)
  })

  it.each(['GET', 'POST', 'DELETE'])('%s of somebody else’s provider looks exactly like none', async (method) => {
    await assign(monitors)
    const none = `${providers}/999999/monitors`
    for (const client of [await stranger.withKey(), stranger.session]) {
      expectSameAsNone(await call(client, method), await call(client, method, none))
    }
    expect(await listed()).toHaveLength(3)
  })
})
