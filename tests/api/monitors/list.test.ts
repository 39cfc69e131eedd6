import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import {
  createMonitor,
  type ListedMonitor,
  listedMonitorsNewestFirst,
  monitorsPath,
  shareMonitorListFixture,
  toListedMonitors,
} from '../../support/monitors.ts'
import type { TestServer, TestUser } from '../../support/server.ts'

let server: TestServer
let keyClient: Client
let stranger: TestUser

beforeAll(async () => {
  ;({ server, keyClient, stranger } = await shareMonitorListFixture())
})
afterAll(() => server.close())

const list = async (query = '', client = keyClient) => (await client.get(`${monitorsPath}?${query}`)).body

const filters: [query: string, matches: (monitor: ListedMonitor) => boolean][] = [
  ['', () => true],
  ['status=up', ({ status }) => status === 'up'],
  ['status=down', ({ status }) => status === 'down'],
  ['type=http', ({ type }) => type === 'http'],
  ['type=ping', ({ type }) => type === 'ping'],
  ['status=up&type=ping', ({ status, type }) => status === 'up' && type === 'ping'],
  ['status=down&type=http', ({ status, type }) => status === 'down' && type === 'http'],
  ['search=shop', ({ friendly_name }) => friendly_name.startsWith('Shop')],
  ['search=shop&status=up', ({ friendly_name, status }) => friendly_name.startsWith('Shop') && status === 'up'],
  ['search=path_&status=down&type=http', ({ type, status }) => type === 'http' && status === 'down'],
]

describe('GET /api/monitors', () => {
  it('returns the newest 20 by default', async () => {
    const response = await keyClient.get(monitorsPath)
    expect(response.status).toBe(200)
    expect(Object.keys(response.body)).toEqual(['data', 'meta'])
    expect(toListedMonitors(response.body.data)).toEqual(listedMonitorsNewestFirst.slice(0, 20))
    expect(response.body.meta).toEqual({ page: 1, pageSize: 20, total: 45, totalPages: 3 })
  })

  it('returns the same records as GET of a single monitor', async () => {
    const { data } = await list('pageSize=3')
    for (const monitor of data)
      expect((await keyClient.get(`${monitorsPath}/${monitor.id}`)).body.data).toEqual(monitor)
  })

  describe.each(filters)('with %j', (query, matches) => {
    const expectedMonitors = listedMonitorsNewestFirst.filter(matches)
    const total = expectedMonitors.length

    it('matches some monitors but not all', () => {
      expect(total).toBeGreaterThan(2)
      if (query !== '') expect(total).toBeLessThan(listedMonitorsNewestFirst.length)
    })

    it.each([1, 2, 4, 7, 20, 22, 23, 44, 45, 46, 100])('returns the same monitors in pages of %i', async (pageSize) => {
      const totalPages = Math.ceil(total / pageSize)
      for (let page = 1; page <= totalPages + 1; page++) {
        const { data, meta } = await list(`${query}&pageSize=${pageSize}&page=${page}`)
        expect(toListedMonitors(data)).toEqual(expectedMonitors.slice((page - 1) * pageSize, page * pageSize))
        expect(meta).toEqual({ page, pageSize, total, totalPages })
      }
    })

    it('is empty far beyond the end, with the correct total', async () => {
      const { data, meta } = await list(`${query}&page=1000000000&pageSize=100`)
      expect([data, meta.total]).toEqual([[], total])
    })
  })

  it('is empty for a user without monitors', async () => {
    const newcomer = await server.createUser('newcomer')
    const meta = { page: 1, pageSize: 20, total: 0, totalPages: 0 }
    for (const [query] of filters) expect(await list(query, newcomer.session)).toEqual({ data: [], meta })
  })

  it('contains no monitors of other users', async () => {
    const ownIds = new Set((await list('pageSize=100')).data.map(({ id }: { id: number }) => id))
    for (const [query, matches] of filters) {
      const { data, meta } = await list(`${query}&pageSize=100`, stranger.session)
      expect(data.filter(({ id }: { id: number }) => ownIds.has(id))).toEqual([])
      const strangersMonitors = listedMonitorsNewestFirst.filter((monitor, n) => n % 2 === 0 && matches(monitor))
      expect(toListedMonitors(data)).toEqual(strangersMonitors)
      expect(meta.total).toBe(strangersMonitors.length)
    }
  })

  it.each([
    ['status=pending', 'must be up or down'],
    ['status=paused', 'must be up or down'],
    ['status=UP', 'must be up or down'],
    ['status=', 'must be up or down'],
    ['status=up&status=down', 'must be a string'],
    ['type=gopher', 'must be one of http, ping, tcp, dns, tls, domain, heartbeat or traffic'],
    ['type=', 'must be one of http, ping, tcp, dns, tls, domain, heartbeat or traffic'],
    ['page=0', 'must be between 1 and 1000000000'],
    ['page=-1', 'must be between 1 and 1000000000'],
    ['page=1.5', 'must be a whole number'],
    ['page=', 'must be a whole number'],
    ['page=1000000001', 'must be between 1 and 1000000000'],
    ['pageSize=0', 'must be between 1 and 100'],
    ['pageSize=101', 'must be between 1 and 100'],
    ['pageSize=ten', 'must be a whole number'],
    ['search=a&search=b', 'must be a string'],
    ['search=%00', 'must not contain a null character'],
  ])('rejects %s', async (query, fault) => {
    const response = await keyClient.get(`${monitorsPath}?${query}`)
    expect(response.status).toBe(422)
    const field = query.split('=')[0] as string
    expect(response.body.errors[field]).toContain(`\`${field}\` ${fault}.`)
    expect(Object.keys(response.body.errors)).toEqual([field])
  })

  it('works with HEAD and with any Accept header', async () => {
    const head = await keyClient.call('HEAD', monitorsPath)
    expect([head.status, head.text]).toEqual([200, ''])
    const response = await keyClient.get(monitorsPath, { headers: { accept: 'text/html' } })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })
})

describe('a changing list', () => {
  it('has a correct total while monitors are created, changed and deleted concurrently', async () => {
    const { session } = await server.createUser('busy')
    const changes = Array.from({ length: 6 }, async (_, worker) => {
      for (let n = 0; n < 4; n++) {
        const { id } = await createMonitor(session, { type: n % 2 ? 'ping' : 'http', friendly_name: `${worker}-${n}` })
        await session.put(`${monitorsPath}/${id}`, { is_active: false })
        if (n === 1) await session.delete(`${monitorsPath}/${id}`)
        if (n === 2) await session.post(`${monitorsPath}/bulk`, { ids: [id], action: 'delete' })
      }
    })
    const allChanges = Promise.all(changes)
    for (let n = 0; n < 10; n++) {
      const { data, meta } = await list('pageSize=100', session)
      expect(data).toHaveLength(meta.total)
    }
    await allChanges
    const { data, meta } = await list('pageSize=100', session)
    expect([data.length, meta.total]).toEqual([12, 12])
    const [{ total: pingTotal }, { total: searchTotal }] = [
      (await list('type=ping', session)).meta,
      (await list('search=-3', session)).meta,
    ]
    expect([pingTotal, searchTotal]).toEqual([6, 6])
  })
})
