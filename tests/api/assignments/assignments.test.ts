import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { path as providers, sampleOf } from '../../support/providers.ts'
import { type Person, startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let owner: Person
let key: Client
let stranger: Client
let monitor: number
let provider: number
let path: string

const addMonitor = async (client: Client) =>
  (await client.post('/api/monitors', { friendly_name: 'Shop', url: 'https://example.com' })).body.data.id as number
const addProvider = async (client: Client, more: object = {}) =>
  (await client.post(providers, { ...sampleOf('slack'), ...more })).body.data.id as number

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.person('owner')
  key = await owner.withKey()
  stranger = (await server.person('stranger')).session
})
afterAll(() => server.close())
beforeEach(async () => {
  monitor = await addMonitor(key)
  provider = await addProvider(key)
  path = `/api/monitors/${monitor}/notifications`
})

/** The lock that is waited for is somebody else's, and nothing tells when it is. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate)
}

const listed = async () => (await key.get(path)).body

describe('POST /api/monitors/{id}/notifications', () => {
  it('assigns a provider', async () => {
    const answer = await key.post(path, { provider_id: provider, enabled: false })
    expect(answer.status).toBe(201)
    expect(answer.body.data).toEqual({
      monitor_id: monitor,
      provider_id: provider,
      provider_type: 'slack',
      enabled: false,
      created_at: server.clock.now().toISOString(),
    })
    expect(answer.headers.get('location')).toBe(server.address + path)
    expect(await listed()).toEqual({ data: [answer.body.data], meta: { total: 1 } })
  })

  it('is enabled if it does not say, also as a form', async () => {
    expect((await key.post(path, { provider_id: provider })).body.data.enabled).toBe(true)
    const form = { provider_id: String(provider), enabled: '0' }
    expect((await key.call('POST', path, { form })).body.data.enabled).toBe(false)
  })

  it('changes one that is there already', async () => {
    const { data } = (await key.post(path, { provider_id: provider, enabled: false })).body
    server.clock.advance({ minutes: 1 })
    const again = await key.post(path, { provider_id: provider })
    expect([again.status, again.body.data]).toEqual([200, { ...data, enabled: true }])
    expect(again.headers.get('location')).toBe(null)
    expect((await listed()).meta.total).toBe(1)
  })

  it('at the same moment makes one', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => key.post(path, { provider_id: provider })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201])
    expect((await listed()).meta.total).toBe(1)
  })

  it('knows no provider that is not there or not one’s own, and writes nothing', async () => {
    for (const provider_id of [999_999, await addProvider(stranger)]) {
      const answer = await key.post(path, { provider_id })
      expect(answer.status).toBe(422)
      expect(answer.body.errors).toEqual({ provider_id: ['`provider_id` is not one of your providers.'] })
    }
    expect((await listed()).data).toEqual([])
    expect(await server.services.db.query('select 1 from assignments where monitor_id = $1', [monitor])).toEqual([])
  })

  it('knows no monitor that is not there or not one’s own, and writes nothing', async () => {
    const theirs = await addMonitor(stranger)
    for (const id of [999_999, theirs]) {
      const answer = await key.post(`/api/monitors/${id}/notifications`, { provider_id: provider })
      expect(answer.status).toBe(404)
      // Not even to somebody who got both wrong.
      expect((await key.post(`/api/monitors/${id}/notifications`, { provider_id: 999_998 })).status).toBe(404)
    }
    expect((await stranger.get(`/api/monitors/${theirs}/notifications`)).body.data).toEqual([])
  })

  it.each([
    ['provider_id', {}],
    ['provider_id', { provider_id: 'x' }],
    ['provider_id', { provider_id: 0 }],
    ['provider_id', { provider_id: null }],
    ['enabled', { provider_id: 1, enabled: 'maybe' }],
    ['monitor_id', { provider_id: 1, monitor_id: 2 }],
  ])('refuses a wrong %s in %j', async (field, input) => {
    const answer = await key.post(path, input)
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]])
  })
})

describe('DELETE /api/monitors/{id}/notifications', () => {
  beforeEach(() => key.post(path, { provider_id: provider }))

  const gone = () => ({ monitor_id: monitor, provider_id: provider, object: 'assignment', deleted: true })

  it.each([
    ['the body', () => ({ json: { provider_id: provider } }), ''],
    ['a form', () => ({ form: { provider_id: String(provider) } }), ''],
    ['the query', () => ({}), 'provider_id'],
    [
      'the query beside an announced but empty body',
      () => ({ headers: { 'content-type': 'application/json' } }),
      'provider_id',
    ],
    ['both', () => ({ json: { provider_id: provider } }), 'provider_id'],
  ])('takes the provider from %s', async (_where, options, query) => {
    const answer = await key.call('DELETE', query === '' ? path : `${path}?provider_id=${provider}`, options())
    expect([answer.status, answer.body]).toEqual([200, gone()])
    expect((await listed()).data).toEqual([])
  })

  it('wants them to agree', async () => {
    const answer = await key.call('DELETE', `${path}?provider_id=${provider}`, { json: { provider_id: provider + 1 } })
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['provider_id']])
    expect((await listed()).meta.total).toBe(1)
  })

  it.each([
    [{}, ''],
    [{ provider_id: 'x' }, ''],
    [undefined, ''],
    [undefined, '?provider_id=x'],
    [undefined, '?provider_id=0'],
  ])('refuses %j %s', async (json, query) => {
    const answer = await key.call('DELETE', path + query, json && { json })
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['provider_id']])
    expect((await listed()).meta.total).toBe(1)
  })

  it('takes no notice of what else a query has', async () => {
    expect((await key.delete(`${path}?provider_id=${provider}&_=5`)).status).toBe(200)
  })

  it('finds none twice, and none of somebody else’s', async () => {
    const theirs = await stranger.call('DELETE', path, { json: { provider_id: provider } })
    expect(theirs.status).toBe(404)
    expect((await key.call('DELETE', path, { json: { provider_id: provider } })).status).toBe(200)
    expect((await key.call('DELETE', path, { json: { provider_id: provider } })).status).toBe(404)
    expect((await key.call('DELETE', '/api/monitors/999999/notifications', { json: { provider_id: 1 } })).status).toBe(
      404,
    )
  })
})

describe('a provider with assign_by_default', () => {
  it('is assigned to every new monitor of its user, and to no older one', async () => {
    const wide = await addProvider(key, { assign_by_default: true })
    await addProvider(stranger, { assign_by_default: true })
    const next = await addMonitor(key)
    const { data } = (await key.get(`/api/monitors/${next}/notifications`)).body
    expect(data).toMatchObject([{ monitor_id: next, provider_id: wide, enabled: true }])
    expect((await listed()).data).toEqual([])
    await key.delete(`${providers}/${wide}`)
    expect((await key.get(`/api/monitors/${next}/notifications`)).body.data).toEqual([])
  })
})

describe('a monitor made while a default provider goes', () => {
  it('is there without it', async () => {
    const wide = await addProvider(key, { assign_by_default: true })
    const deleted = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const deleting = server.services.db.transaction(async (q) => {
      await q.query('delete from providers where id = $1', [wide])
      deleted.resolve()
      await gone.promise
    })
    await deleted.promise
    const making = key.post('/api/monitors', { friendly_name: 'Late', url: 'https://example.com' })
    await until(async () => {
      const [waiting] = await server.services.db.query(
        `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return waiting?.['count'] > 0
    })
    gone.resolve()
    await deleting
    const { status, body } = await making
    expect(status).toBe(201)
    expect((await key.get(`/api/monitors/${body.data.id}/notifications`)).body.data).toEqual([])
  })
})

describe('assignments', () => {
  it('are listed by provider, and go with their monitor', async () => {
    const second = await addProvider(key)
    await key.post(path, { provider_id: second })
    await key.post(path, { provider_id: provider, enabled: false })
    const { data } = await listed()
    expect(data.map((one: { provider_id: number }) => one.provider_id)).toEqual([provider, second])
    await key.delete(`/api/monitors/${monitor}`)
    expect((await key.get(path)).status).toBe(404)
    expect(await server.services.db.query('select 1 from assignments where monitor_id = $1', [monitor])).toEqual([])
  })
})
