import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { type Listed, makeMonitor, newestFirst, path, pickListed, startListed } from '../../support/monitors.ts'
import type { Person, TestServer } from '../../support/server.ts'

let server: TestServer
let key: Client
let stranger: Person

beforeAll(async () => {
  ;({ server, key, stranger } = await startListed())
})
afterAll(() => server.close())

const list = async (query = '', client = key) => (await client.get(`${path}?${query}`)).body

const filters: [query: string, keep: (monitor: Listed) => boolean][] = [
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
  it('is the newest twenty unless asked otherwise', async () => {
    const answer = await key.get(path)
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body)).toEqual(['data', 'meta'])
    expect(pickListed(answer.body.data)).toEqual(newestFirst.slice(0, 20))
    expect(answer.body.meta).toEqual({ page: 1, pageSize: 20, total: 45, totalPages: 3 })
  })

  it('shows in the list what it shows alone', async () => {
    const { data } = await list('pageSize=3')
    for (const one of data) expect((await key.get(`${path}/${one.id}`)).body.data).toEqual(one)
  })

  describe.each(filters)('with %j', (query, keep) => {
    const expected = newestFirst.filter(keep)
    const total = expected.length

    it('has something to show, and something to leave out', () => {
      expect(total).toBeGreaterThan(2)
      if (query !== '') expect(total).toBeLessThan(newestFirst.length)
    })

    it.each([1, 2, 4, 7, 20, 22, 23, 44, 45, 46, 100])('is the same in pages of %i', async (pageSize) => {
      const totalPages = Math.ceil(total / pageSize)
      for (let page = 1; page <= totalPages + 1; page++) {
        const { data, meta } = await list(`${query}&pageSize=${pageSize}&page=${page}`)
        expect(pickListed(data)).toEqual(expected.slice((page - 1) * pageSize, page * pageSize))
        expect(meta).toEqual({ page, pageSize, total, totalPages })
      }
    })

    it('is empty far beyond its end, with the right figures', async () => {
      const { data, meta } = await list(`${query}&page=1000000000&pageSize=100`)
      expect([data, meta.total]).toEqual([[], total])
    })
  })

  it('is empty for whoever has none', async () => {
    const newcomer = await server.person('newcomer')
    const meta = { page: 1, pageSize: 20, total: 0, totalPages: 0 }
    for (const [query] of filters) expect(await list(query, newcomer.session)).toEqual({ data: [], meta })
  })

  it('has nothing of anybody else', async () => {
    const mine = new Set((await list('pageSize=100')).data.map(({ id }: { id: number }) => id))
    for (const [query, keep] of filters) {
      const { data, meta } = await list(`${query}&pageSize=100`, stranger.session)
      expect(data.filter(({ id }: { id: number }) => mine.has(id))).toEqual([])
      const theirs = newestFirst.filter((monitor, n) => n % 2 === 0 && keep(monitor))
      expect(pickListed(data)).toEqual(theirs)
      expect(meta.total).toBe(theirs.length)
    }
  })

  it.each([
    ['status=pending', 'must be up or down'],
    ['status=paused', 'must be up or down'],
    ['status=UP', 'must be up or down'],
    ['status=', 'must be up or down'],
    ['status=up&status=down', 'must be a string'],
    ['type=tcp', 'must be http or ping'],
    ['type=', 'must be http or ping'],
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
  ])('refuses %s', async (query, fault) => {
    const answer = await key.get(`${path}?${query}`)
    expect(answer.status).toBe(422)
    const field = query.split('=')[0] as string
    expect(answer.body.errors[field]).toContain(`\`${field}\` ${fault}.`)
    expect(Object.keys(answer.body.errors)).toEqual([field])
  })

  it('works with HEAD, and whatever Accept says', async () => {
    const head = await key.call('HEAD', path)
    expect([head.status, head.text]).toEqual([200, ''])
    const answer = await key.get(path, { headers: { accept: 'text/html' } })
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })
})

describe('a list that changes', () => {
  it('counts right when many come, change and go at the same moment', async () => {
    const { session } = await server.person('busy')
    const churn = Array.from({ length: 6 }, async (_, worker) => {
      for (let n = 0; n < 4; n++) {
        const { id } = await makeMonitor(session, { type: n % 2 ? 'ping' : 'http', friendly_name: `${worker}-${n}` })
        await session.put(`${path}/${id}`, { is_active: false })
        if (n === 1) await session.delete(`${path}/${id}`)
        if (n === 2) await session.post(`${path}/bulk`, { ids: [id], action: 'delete' })
      }
    })
    const isDone = Promise.all(churn)
    for (let n = 0; n < 10; n++) {
      const { data, meta } = await list('pageSize=100', session)
      expect(data).toHaveLength(meta.total)
    }
    await isDone
    const { data, meta } = await list('pageSize=100', session)
    expect([data.length, meta.total]).toEqual([12, 12])
    const [{ total: pings }, { total: searched }] = [
      (await list('type=ping', session)).meta,
      (await list('search=-3', session)).meta,
    ]
    expect([pings, searched]).toEqual([6, 6])
  })
})
