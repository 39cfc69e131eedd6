/** Tags of monitors and websites, and dependencies between monitors. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { createMonitor, monitorsPath, shareMonitorFixture } from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'

const websitesPath = '/api/v1/websites'

let server: TestServer
let client: Client
let stranger: Client

beforeAll(async () => {
  const fixture = await shareMonitorFixture()
  server = fixture.server
  client = fixture.owner.session
  stranger = (await server.createUser('stranger')).session
})
afterAll(() => server.close())

const namesOf = (response: Awaited<ReturnType<Client['get']>>) =>
  response.body.data.map(({ friendly_name }: { friendly_name: string }) => friendly_name)

describe('tags of monitors', () => {
  it('are stored in their order, filter the list, and change in bulk', async () => {
    const shop = await createMonitor(client, { friendly_name: 'shop', tags: [' Prod ', 'eu'] })
    const till = await createMonitor(client, { friendly_name: 'till', tags: ['prod'] })
    const lab = await createMonitor(client, { friendly_name: 'lab' })
    await createMonitor(stranger, { friendly_name: 'foreign', tags: ['prod'] })
    expect(shop.tags).toEqual(['Prod', 'eu'])
    expect(namesOf(await client.get(`${monitorsPath}?tag=PROD`))).toEqual(['till', 'shop'])
    expect((await client.get(`${monitorsPath}?tag=prod&pageSize=1`)).body.meta.total).toBe(2)
    expect(namesOf(await client.get(`${monitorsPath}?tag=prod&tag=eu`))).toEqual(['shop'])
    expect(namesOf(await client.get(`${monitorsPath}?tag=prod&search=till`))).toEqual(['till'])
    expect(namesOf(await client.get(`${monitorsPath}?tag=prod&page=200`))).toEqual([])

    const ids = [shop.id, till.id, lab.id, 999_999]
    const addResponse = await client.post(`${monitorsPath}/bulk`, { ids, action: 'add_tags', tags: ['EU', 'night'] })
    expect(addResponse.body.data).toEqual({ action: 'add_tags', ids: ids.slice(0, 3), not_found: [999_999] })
    expect((await client.get(`${monitorsPath}/${shop.id}`)).body.data.tags).toEqual(['Prod', 'eu', 'night'])
    expect((await client.get(`${monitorsPath}/${lab.id}`)).body.data.tags).toEqual(['EU', 'night'])
    await client.post(`${monitorsPath}/bulk`, { ids, action: 'remove_tags', tags: ['eu', 'prod'] })
    expect((await client.get(`${monitorsPath}/${shop.id}`)).body.data.tags).toEqual(['night'])
    await client.put(`${monitorsPath}/${shop.id}`, { friendly_name: 'shop' })
    expect((await client.get(`${monitorsPath}/${shop.id}`)).body.data.tags).toEqual(['night'])
    const clearResponse = await client.put(`${monitorsPath}/${shop.id}`, { tags: [] })
    expect(clearResponse.body.data.tags).toEqual([])
  })

  it('do not change for any monitor if one monitor would have too many tags', async () => {
    const twentyTags = Array.from({ length: 20 }, (_, n) => `tag ${n}`)
    const [a, b] = [await createMonitor(client, { tags: twentyTags }), await createMonitor(client, {})]
    const response = await client.post(`${monitorsPath}/bulk`, { ids: [a.id, b.id], action: 'add_tags', tags: ['x'] })
    expect(response.status).toBe(422)
    expect((await client.get(`${monitorsPath}/${b.id}`)).body.data.tags).toEqual([])
  })

  it.each([
    ['add_tags', undefined, '`tags` is required for the action add_tags.'],
    ['pause', ['x'], '`tags` is only allowed for the actions add_tags and remove_tags.'],
    ['add_tags', ['x', 'X'], '`tags` must not contain the same tag twice: X.'],
  ])('are rejected in a bulk request: %s %j', async (action, tags, message) => {
    const response = await client.post(`${monitorsPath}/bulk`, { ids: [1], action, tags })
    expect(response.body.errors).toEqual({ tags: [message] })
  })
})

describe('tags of websites', () => {
  it('are stored and filter the list', async () => {
    const [shop] = await Promise.all(
      [
        { domain: 'shop.example.com', tags: ['Prod'] },
        { domain: 'blog.example.com', tags: ['prod', 'eu'], favorite: true },
        { domain: 'lab.example.com' },
      ].map(async (fields) => (await client.post(websitesPath, fields)).body.data),
    )
    const list = async (query: string) => {
      const { data, meta } = (await client.get(`${websitesPath}?sort_by=domain&sort=asc&${query}`)).body
      return { domains: data.map(({ domain }: { domain: string }) => domain), total: meta.total }
    }
    expect(await list('tag=prod')).toEqual({ domains: ['blog.example.com', 'shop.example.com'], total: 2 })
    expect(await list('tag=prod&search=shop')).toEqual({ domains: ['shop.example.com'], total: 1 })
    expect(await list('tag=prod&favorite=true&per_page=10')).toEqual({ domains: ['blog.example.com'], total: 1 })
    const updateResponse = await client.put(`${websitesPath}/${shop.id}`, { tags: ['x'] })
    expect(updateResponse.body.data.tags).toEqual(['x'])
    expect((await list('tag=prod')).total).toBe(1)
    expect((await client.put(`${websitesPath}/${shop.id}`, { tags: ['a', 'A'] })).body.errors).toEqual({
      tags: ['`tags` must not contain the same tag twice: A.'],
    })
  })
})

describe('depends_on', () => {
  it('names another monitor of the same user, without cycles', async () => {
    const router = await createMonitor(client, {})
    const shop = await createMonitor(client, { depends_on: router.id })
    const till = await createMonitor(client, { depends_on: shop.id })
    expect(till.depends_on).toBe(shop.id)
    const errorOf = async (id: number, dependsOn: number) =>
      (await client.put(`${monitorsPath}/${id}`, { depends_on: dependsOn })).body.errors?.depends_on
    expect(await errorOf(router.id, till.id)).toEqual(['`depends_on` must not be a monitor that depends on this one.'])
    expect(await errorOf(router.id, router.id)).toEqual(['`depends_on` must be another monitor.'])
    const strangersMonitor = await createMonitor(stranger, {})
    expect(await errorOf(router.id, strangersMonitor.id)).toEqual(['`depends_on` is not one of your monitors.'])
    await client.delete(`${monitorsPath}/${shop.id}`)
    expect((await client.get(`${monitorsPath}/${till.id}`)).body.data.depends_on).toBeNull()
  })
})

describe('a heartbeat', () => {
  it('has a URL of its own, which can be sent back but not changed', async () => {
    const fields = { friendly_name: 'Backup', type: 'heartbeat', heartbeat: { cron: '30 2 * * *' } }
    const newMonitor = (await client.post(monitorsPath, fields)).body.data
    expect(newMonitor.url).toMatch(new RegExp(`^${server.address}/beat/[\\w-]{43}$`))
    expect(newMonitor.heartbeat).toEqual({ period: null, cron: '30 2 * * *', time_zone: null, grace: 300 })
    const path = `${monitorsPath}/${newMonitor.id}`
    const { url, heartbeat } = newMonitor
    expect((await client.put(path, { url, heartbeat: { ...heartbeat, grace: 60 } })).body.data).toMatchObject({
      url,
      heartbeat: { grace: 60 },
    })
    expect((await client.put(path, { url: 'https://example.com/' })).body.errors).toHaveProperty('url')
    expect((await client.put(path, { type: 'http' })).body.errors).toEqual({ url: ['`url` is required.'] })
    const typeChangeResponse = await client.put(path, { type: 'http', url: 'https://example.com/' })
    expect(typeChangeResponse.body.data).toMatchObject({ url: 'https://example.com/', heartbeat: null, interval: 60 })
  })

  it.each([
    [{}, { heartbeat: ['`heartbeat` must contain `period` or `cron`.'] }],
    [{ heartbeat: { period: 0 } }, { 'heartbeat.period': ['`heartbeat.period` must be between 10 and 31536000.'] }],
    [
      { heartbeat: { period: 60, cron: '@daily' } },
      { heartbeat: ["`heartbeat` can't contain both `period` and `cron`: set one of them to null."] },
    ],
    [
      { heartbeat: { cron: 'daily', time_zone: 'Mars' } },
      {
        'heartbeat.cron': ['`heartbeat.cron` must be a cron expression with five fields, such as 30 2 * * *.'],
        'heartbeat.time_zone': ['`heartbeat.time_zone` must be a time zone such as Europe/Berlin.'],
      },
    ],
  ])('rejects %j', async (fields, errors) => {
    const response = await client.post(monitorsPath, { friendly_name: 'Backup', type: 'heartbeat', ...fields })
    expect(response.status).toBe(422)
    expect(response.body.errors).toEqual(errors)
  })
})
