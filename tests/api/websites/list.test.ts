import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { sendRaw } from '../../support/raw.ts'
import { type Person, startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let owner: Person
let key: Client

const path = '/api/v1/websites'

/** In the order of their making; every fourth is a favourite. */
const domains = [
  ...Array.from({ length: 28 }, (_, n) => `shop-${(n * 5) % 28}.example.com`),
  'percent.example.org',
  'zebra.example.net',
  'müller.example.org',
  'ΟΔΟΣ.example.org',
  'muster.example.org',
]
const stored = (domain: string) => new URL(`http://${domain}`).hostname

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.person('owner')
  key = await owner.withKey('websites:read', 'websites:write')
  for (const [n, domain] of domains.entries()) await key.post(path, { domain, favorite: n % 4 === 0 })
  const stranger = await server.person('stranger')
  await stranger.session.post(path, { domain: 'shop.example.com', favorite: true })
})
afterAll(() => server.close())

const list = async (query = '', client = key) => (await client.get(`${path}${query}`)).body
const namesOf = (body: { data: { domain: string }[] }) => body.data.map(({ domain }) => domain)
const newestFirst = domains.map(stored).toReversed()

describe('GET /api/v1/websites', () => {
  it('is the newest ten, with links and figures, unless asked otherwise', async () => {
    const body = await list()
    expect(Object.keys(body)).toEqual(['data', 'links', 'meta'])
    expect(namesOf(body)).toEqual(newestFirst.slice(0, 10))
    const address = server.address + path
    expect(body.links).toEqual({
      first: `${address}?page=1`,
      last: `${address}?page=4`,
      prev: null,
      next: `${address}?page=2`,
    })
    expect(body.meta).toEqual({
      current_page: 1,
      from: 1,
      last_page: 4,
      path: address,
      per_page: 10,
      to: 10,
      total: 33,
    })
  })

  it('shows in the list what it shows alone', async () => {
    const [first] = (await list()).data
    expect(first).toEqual((await key.get(`${path}/${first.id}`)).body.data)
    const [searched] = (await list('?search=muster')).data
    expect(searched).toEqual(first)
  })

  it.each([10, 25, 50, 100])('has pages of %i', async (perPage) => {
    const body = await list(`?per_page=${perPage}`)
    expect(namesOf(body)).toEqual(newestFirst.slice(0, perPage))
    expect(body.meta).toMatchObject({
      per_page: perPage,
      last_page: Math.ceil(33 / perPage),
      to: Math.min(perPage, 33),
    })
  })

  it('can be walked by its links, which keep the query', async () => {
    const seen: string[] = []
    let next: string | null = `${server.address}${path}?search=shop&sort_by=domain&sort=asc&per_page=10&other=x%20y`
    const pages: string[] = []
    while (next !== null) {
      const body: { links: { next: string | null; prev: string | null }; data: { domain: string }[] } = await list(
        next.slice(`${server.address}${path}`.length),
      )
      seen.push(...namesOf(body))
      pages.push(String(body.links.prev))
      next = body.links.next
    }
    expect(seen).toEqual(domains.filter((domain) => domain.startsWith('shop')).sort())
    expect(pages).toEqual([
      'null',
      `${server.address}${path}?search=shop&sort_by=domain&sort=asc&per_page=10&other=x+y&page=1`,
      `${server.address}${path}?search=shop&sort_by=domain&sort=asc&per_page=10&other=x+y&page=2`,
    ])
  })

  it('keeps a query that holds further question marks', async () => {
    const { links, meta } = await list('?x=a?b&search=what?&favorite=false&per_page=25')
    const query = 'x=a%3Fb&search=what%3F&favorite=false&per_page=25&page=1'
    expect(links.first).toBe(`${server.address}${path}?${query}`)
    expect(meta).toMatchObject({ total: 0, per_page: 25 })
  })

  it('links to itself, whatever the first line and the host of the request look like', async () => {
    const authorization = `Authorization: Bearer ${key.credentials.key}\r\nConnection: close\r\n\r\n`
    const whole = await sendRaw(
      server.address,
      `GET http://evil.test${path} HTTP/1.1\r\nHost: h.test\r\n${authorization}`,
    )
    expect(whole).toContain(`"first":"http://h.test${path}?page=1"`)
    const hostless = await sendRaw(server.address, `GET ${path} HTTP/1.0\r\n${authorization}`)
    expect(hostless).toContain(`"first":"${server.address}${path}?page=1"`)
  })

  it.each(['', '&search=shop', '&favorite=true'])('is empty past the end (%s)', async (query) => {
    const body = await list(`?page=99${query}`)
    expect(body.data).toEqual([])
    expect(body.meta).toMatchObject({ current_page: 99, from: null, to: null })
    expect(body.meta.total).toBeGreaterThan(0)
    expect(body.links.next).toBe(null)
    expect(body.links.prev).toContain(`page=${body.meta.last_page}`)
  })

  it.each(['', '?search=x', '?favorite=true', '?favorite=false'])(
    'of somebody without websites is empty (%s)',
    async (query) => {
      const newcomer = await server.person(`newcomer${query.length}`)
      const body = await list(query, newcomer.session)
      expect(body.data).toEqual([])
      expect(body.meta).toMatchObject({ current_page: 1, from: null, to: null, last_page: 1, total: 0 })
      expect(body.links).toMatchObject({ prev: null, next: null })
    },
  )

  it.each([
    ['sort_by=id&sort=desc', newestFirst],
    ['sort_by=id&sort=asc', newestFirst.toReversed()],
    ['sort_by=domain&sort=asc', newestFirst.toSorted()],
    ['sort_by=domain&sort=desc', newestFirst.toSorted().toReversed()],
    ['sort_by=domain', newestFirst.toSorted().toReversed()],
    ['sort=asc', newestFirst.toReversed()],
  ])('is sorted by %s', async (query, expected) => {
    expect(namesOf(await list(`?${query}&per_page=50`))).toEqual(expected)
  })

  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('has favourites or the others: favorite=%s', async (sent, flag) => {
    const expected = newestFirst.filter((_, n) => ((32 - n) % 4 === 0) === flag)
    const body = await list(`?favorite=${sent}&per_page=50`)
    expect(namesOf(body)).toEqual(expected)
    expect(body.meta.total).toBe(expected.length)
    const searched = await list(`?favorite=${sent}&per_page=50&search=example`)
    expect(namesOf(searched)).toEqual(expected)
    expect(searched.meta.total).toBe(expected.length)
  })

  it('counts favourites as they change', async () => {
    const { data } = await list('?search=zebra')
    const before = (await list('?favorite=true')).meta.total
    await key.call('PATCH', `${path}/${data[0].id}`, { form: { favorite: 'true' } })
    expect((await list('?favorite=true')).meta.total).toBe(before + 1)
    expect(namesOf(await list('?favorite=true&search=zebra'))).toEqual(['zebra.example.net'])
    await key.call('PATCH', `${path}/${data[0].id}`, { form: { favorite: 'false' } })
    expect((await list('?favorite=true')).meta.total).toBe(before)
    expect(namesOf(await list('?favorite=true&search=zebra'))).toEqual([])
  })

  it.each([
    'search_by=name',
    'search_by=',
    'favorite=yes',
    'favorite=',
    'favorite=2',
    'sort_by=created_at',
    'sort_by=',
    'sort=up',
    'sort=DESC',
    'per_page=0',
    'per_page=11',
    'per_page=1000',
    'per_page=ten',
    'per_page=',
    'page=0',
    'page=-1',
    'page=1.5',
    'page=last',
    'page=10000000000',
    'search=a&search=b',
    'sort=asc&sort=desc',
    'search=%00',
  ])('refuses %s', async (query) => {
    const answer = await key.get(`${path}?${query}`)
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual([query.split('=')[0]])
  })

  it('works with HEAD, and whatever Accept says', async () => {
    const head = await key.call('HEAD', path)
    expect([head.status, head.text]).toEqual([200, ''])
    const answer = await key.get(path, { headers: { accept: 'text/html' } })
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('links under BELFRY_URL', async () => {
    const other = await startTestServer({ env: { BELFRY_URL: 'https://stats.example.com/belfry' } })
    try {
      const ada = await other.person('ada')
      const { links, meta } = await list('', ada.session)
      expect(meta.path).toBe(`https://stats.example.com/belfry${path}`)
      expect(links.first).toBe(`https://stats.example.com/belfry${path}?page=1`)
    } finally {
      await other.close()
    }
  })
})

describe('a search', () => {
  const find = async (term: string, query = '') => {
    const body = await list(`?search=${encodeURIComponent(term)}&per_page=100${query}`)
    expect(body.meta.total).toBe(body.data.length)
    return namesOf(body)
  }

  it.each([
    ['zebra', ['zebra.example.net']],
    ['ebr', ['zebra.example.net']],
    ['bra.ex', ['zebra.example.net']],
    ['.net', ['zebra.example.net']],
    ['zebra.example.net', ['zebra.example.net']],
    ['ZEBRA', ['zebra.example.net']],
    ['  zebra ', ['zebra.example.net']],
    ['z', ['zebra.example.net']],
    ['shop-13', ['shop-13.example.com']],
    ['-13.', ['shop-13.example.com']],
    ['giraffe', []],
    ['%', []],
    ['_', []],
    ['shop_13', []],
    ['%zebra', []],
    ['\\', []],
    ["'; drop table websites; --", []],
    ['zebra example', []],
    ['müller', ['xn--mller-kva.example.org']],
    ['MÜLL', ['xn--mller-kva.example.org']],
    ['mu\u0308ll', ['xn--mller-kva.example.org']],
    ['ü', ['xn--mller-kva.example.org']],
    ['xn--mller', ['xn--mller-kva.example.org']],
    ['🔔', []],
    ['ΟΔΟΣ', ['xn--pxavbq.example.org']],
    ['οδος', ['xn--pxavbq.example.org']],
    ['οδοσ.EX', ['xn--pxavbq.example.org']],
    ['x'.repeat(5_000), []],
  ])('for %j finds %j', async (term, expected) => {
    expect(await find(term)).toEqual(expected)
    expect(await find(term, '&search_by=domain')).toEqual(expected)
  })

  it('is none when it is empty', async () => {
    expect(await find('')).toHaveLength(33)
    expect(await find('   ')).toHaveLength(33)
  })

  it('counts a website once, however often it matches', async () => {
    expect(await find('e')).toEqual(newestFirst)
  })

  it('finds nothing of anybody else', async () => {
    expect(await find('shop.')).toEqual([])
    expect(namesOf(await list('?search=shop.', (await server.person('other')).session))).toEqual([])
  })

  it('sees at once what came, changed and went, however often it was asked before', async () => {
    for (let round = 0; round < 3; round++) {
      expect(await find('gazelle')).toEqual([])
      const { body } = await key.post(path, { domain: 'gazelle.example.com' })
      expect(await find('gazelle')).toEqual(['gazelle.example.com'])
      await key.call('PATCH', `${path}/${body.data.id}`, { form: { email: '1', favorite: 'true' } })
      const [shown] = (await list('?search=gazelle')).data
      expect(shown).toMatchObject({ email: 1, favorite: true })
      await key.delete(`${path}/${body.data.id}`)
    }
  })
})

describe('the list on several nodes', () => {
  it('never shows a page that contradicts its filter or its count, while everything changes', async () => {
    const other = await startTestServer({ database: server.database })
    const { session } = await server.person('restless')
    const nodes = [session, other.anyone.as(session.credentials)]
    let isChanging = true
    const writers = nodes.map(async (node, worker) => {
      for (let n = 0; n < 25; n++) {
        const { body } = await node.post(path, { domain: `torn-${worker}-${n}.example.com`, favorite: true })
        await node.call('PATCH', `${path}/${body.data.id}`, { json: { favorite: false } })
        if (n % 2 === 0) await node.delete(`${path}/${body.data.id}`)
      }
    })
    const queries = ['', 'search=torn', 'favorite=true', 'search=torn&favorite=true', 'search=torn&favorite=false']
    const readers = queries.map(async (query, n) => {
      while (isChanging) {
        const { data, meta } = await list(`?per_page=100&${query}`, nodes[n % 2])
        expect([query, data.length]).toEqual([query, meta.total])
        const wanted = /favorite=(\w+)/.exec(query)?.[1]
        if (wanted)
          expect(
            new Set(data.map((one: { favorite: boolean }) => `${one.favorite}`)).isSubsetOf(new Set([wanted])),
          ).toBe(true)
      }
    })
    await Promise.all(writers)
    isChanging = false
    await Promise.all(readers)
    await other.close()
  })

  it('is the same at once, also where it was searched before', async () => {
    const other = await startTestServer({ database: server.database })
    try {
      const there = other.anyone.as(key.credentials)
      for (const domain of ['okapi-1.example.com', 'okapi-2.example.com']) {
        const before = await list('?search=okapi')
        await there.post(path, { domain })
        const after = await list('?search=okapi')
        expect(after.meta.total).toBe(before.meta.total + 1)
        expect((await list('?search=okapi', there)).data).toEqual(after.data)
      }
      for (const { id } of (await list('?search=okapi')).data) await there.delete(`${path}/${id}`)
      expect((await list('?search=okapi')).data).toEqual([])
    } finally {
      await other.close()
    }
  })

  it('counts right when many come and go at the same moment', async () => {
    const { session } = await server.person('busy')
    const churn = Array.from({ length: 8 }, async (_, worker) => {
      for (let n = 0; n < 5; n++) {
        const domain = `busy-${worker}-${n}.example.com`
        const { body } = await session.post(path, { domain, favorite: n % 2 === 0 })
        await session.call('PATCH', `${path}/${body.data.id}`, { json: { favorite: n % 3 === 0 } })
        if (n % 2 === 1) await session.delete(`${path}/${body.data.id}`)
      }
    })
    await Promise.all(churn)
    const whole = await list('?per_page=100', session)
    expect(whole.data).toHaveLength(8 * 3)
    expect(whole.meta.total).toBe(8 * 3)
    const flagged = whole.data.filter(({ favorite }: { favorite: boolean }) => favorite).length
    expect((await list('?favorite=true', session)).meta.total).toBe(flagged)
    expect((await list('?favorite=false', session)).meta.total).toBe(8 * 3 - flagged)
  })
})

describe('a search that matches very much', () => {
  let many: Client
  const total = 2_500
  const names = Array.from(
    { length: total },
    (_, n) => `${n % 10 === 3 ? 'ü' : 'u'}-${String(n).padStart(4, '0')}.bulk.test`,
  )

  beforeAll(async () => {
    const person = await server.person('collector')
    many = await person.withKey('websites:read', 'websites:write')
    // One by one through the API would take most of a minute.
    await server.services.db.query(
      `insert into websites (user_id, domain, unicode, privacy, email, exclude_bots, favorite, time_zone, created_at, updated_at)
       select $1, replace(name, 'ü', 'xn--nonsense'), case when name like 'ü%' then name end, 0, 0, 1, n % 2 = 0, 'UTC', now(), now()
         from unnest($2::text[]) with ordinality as t (name, n)`,
      [person.id, names],
    )
  })

  const sorts = ['id', 'domain'].flatMap((by) => ['asc', 'desc'].map((direction) => [by, direction] as const))

  it.each(sorts)('gives the same pages as the whole list, by %s %s', async (by, direction) => {
    for (const page of [1, 2, 100, 250, 251]) {
      const query = `&sort_by=${by}&sort=${direction}&page=${page}`
      const whole = await list(`?${query.slice(1)}`, many)
      const searched = await list(`?search=bulk${query}`, many)
      expect(searched.data).toEqual(whole.data)
      expect(searched.meta).toEqual(whole.meta)
      expect(searched.meta.total).toBe(total)
    }
  })

  it('filters and counts', async () => {
    const flagged = await list('?search=bulk&favorite=true&per_page=100', many)
    expect(flagged.meta.total).toBe(total / 2)
    expect(flagged.data.every(({ favorite }: { favorite: boolean }) => favorite)).toBe(true)
    const dashes = await list('?search=-2&per_page=100&sort_by=domain&sort=asc', many)
    expect(dashes.meta.total).toBe(500)
    expect(dashes.data).toHaveLength(100)
    expect((await list('?search=%C3%BC&per_page=100', many)).meta.total).toBe(250)
  })

  it('keeps nobody waiting who wants to write, however many ask at once', async () => {
    const busy = Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        many.get(`${path}?search=${n % 2 ? 'bulk' : '.te'}&sort_by=domain&page=${n + 1}`),
      ),
    )
    const written = await key.post(path, { domain: 'meanwhile.example.com' })
    expect(written.status).toBe(201)
    expect(new Set((await busy).map(({ status }) => status))).toEqual(new Set([200]))
    await key.delete(`${path}/${written.body.data.id}`)
  })

  it('stays right when it is asked again, and after a change', async () => {
    const before = await list('?search=bulk', many)
    expect(await list('?search=bulk', many)).toEqual(before)
    await many.delete(`${path}/${before.data[0].id}`)
    const after = await list('?search=bulk', many)
    expect(after.meta.total).toBe(total - 1)
    expect(after.data.slice(0, 9)).toEqual(before.data.slice(1))
    expect((await list('', many)).meta.total).toBe(total - 1)
  })
})
