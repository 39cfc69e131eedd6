import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { sendRaw } from '../../support/raw.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { shareTestServer } from '../../support/shared-server.ts'
import {
  createListedWebsites,
  domainsNewestFirst,
  favoriteDomains,
  listDomains,
  listWebsites,
  websitesPath,
} from '../../support/websites.ts'

let server: TestServer
let keyClient: Client

beforeAll(async () => {
  server = await shareTestServer()
  keyClient = await createListedWebsites(server)
})
afterAll(() => server.close())

const list = (query = '', client = keyClient) => listWebsites(client, query)

describe('GET /api/v1/websites', () => {
  it('returns the newest ten by default, with links and totals', async () => {
    const body = await list()
    expect(Object.keys(body)).toEqual(['data', 'links', 'meta'])
    expect(listDomains(body)).toEqual(domainsNewestFirst.slice(0, 10))
    const address = server.address + websitesPath
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

  it('returns the same records as single requests', async () => {
    const [firstWebsite] = (await list()).data
    expect(firstWebsite).toEqual((await keyClient.get(`${websitesPath}/${firstWebsite.id}`)).body.data)
    const [searchedWebsite] = (await list('?search=muster')).data
    expect(searchedWebsite).toEqual(firstWebsite)
  })

  it.each([10, 25, 50, 100])('returns pages of %i', async (perPage) => {
    const body = await list(`?per_page=${perPage}`)
    expect(listDomains(body)).toEqual(domainsNewestFirst.slice(0, perPage))
    expect(body.meta).toMatchObject({
      per_page: perPage,
      last_page: Math.ceil(33 / perPage),
      to: Math.min(perPage, 33),
    })
  })

  it('links to all pages with the query of the request', async () => {
    const listedDomains: string[] = []
    let nextLink: string | null =
      `${server.address}${websitesPath}?search=shop&sort_by=domain&sort=asc&per_page=10&other=x%20y`
    const previousLinks: string[] = []
    while (nextLink !== null) {
      const body: { links: { next: string | null; prev: string | null }; data: { domain: string }[] } = await list(
        nextLink.slice(`${server.address}${websitesPath}`.length),
      )
      listedDomains.push(...listDomains(body))
      previousLinks.push(String(body.links.prev))
      nextLink = body.links.next
    }
    expect(listedDomains).toEqual(domainsNewestFirst.filter((domain) => domain.startsWith('shop')).sort())
    expect(previousLinks).toEqual([
      'null',
      `${server.address}${websitesPath}?search=shop&sort_by=domain&sort=asc&per_page=10&other=x+y&page=1`,
      `${server.address}${websitesPath}?search=shop&sort_by=domain&sort=asc&per_page=10&other=x+y&page=2`,
    ])
  })

  it('links to pages with the query of the request, even if it contains question marks', async () => {
    const { links, meta } = await list('?x=a?b&search=what?&favorite=false&per_page=25')
    const query = 'x=a%3Fb&search=what%3F&favorite=false&per_page=25&page=1'
    expect(links.first).toBe(`${server.address}${websitesPath}?${query}`)
    expect(meta).toMatchObject({ total: 0, per_page: 25 })
  })

  it('links to this server, even with an absolute request target or no host', async () => {
    const authorization = `Authorization: Bearer ${keyClient.credentials.key}\r\nConnection: close\r\n\r\n`
    const absoluteTargetResponse = await sendRaw(
      server.address,
      `GET http://evil.test${websitesPath} HTTP/1.1\r\nHost: h.test\r\n${authorization}`,
    )
    expect(absoluteTargetResponse).toContain(`"first":"http://h.test${websitesPath}?page=1"`)
    const hostlessResponse = await sendRaw(server.address, `GET ${websitesPath} HTTP/1.0\r\n${authorization}`)
    expect(hostlessResponse).toContain(`"first":"${server.address}${websitesPath}?page=1"`)
  })

  it.each(['', '&search=shop', '&favorite=true'])('is empty beyond the last page (%s)', async (query) => {
    const body = await list(`?page=99${query}`)
    expect(body.data).toEqual([])
    expect(body.meta).toMatchObject({ current_page: 99, from: null, to: null })
    expect(body.meta.total).toBeGreaterThan(0)
    expect(body.links.next).toBe(null)
    expect(body.links.prev).toContain(`page=${body.meta.last_page}`)
  })

  it.each(['', '?search=x', '?favorite=true', '?favorite=false'])(
    'is empty for a user without websites (%s)',
    async (query) => {
      const newcomer = await server.createUser(`newcomer${query.length}`)
      const body = await list(query, newcomer.session)
      expect(body.data).toEqual([])
      expect(body.meta).toMatchObject({ current_page: 1, from: null, to: null, last_page: 1, total: 0 })
      expect(body.links).toMatchObject({ prev: null, next: null })
    },
  )

  it.each([
    ['sort_by=id&sort=desc', domainsNewestFirst],
    ['sort_by=id&sort=asc', domainsNewestFirst.toReversed()],
    ['sort_by=domain&sort=asc', domainsNewestFirst.toSorted()],
    ['sort_by=domain&sort=desc', domainsNewestFirst.toSorted().toReversed()],
    ['sort_by=domain', domainsNewestFirst.toSorted().toReversed()],
    ['sort=asc', domainsNewestFirst.toReversed()],
  ])('is sorted by %s', async (query, expected) => {
    expect(listDomains(await list(`?${query}&per_page=50`))).toEqual(expected)
  })

  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('filters by favorite=%s', async (sentValue, isFavorite) => {
    const expectedDomains = domainsNewestFirst.filter((domain) => favoriteDomains.includes(domain) === isFavorite)
    const body = await list(`?favorite=${sentValue}&per_page=50`)
    expect(listDomains(body)).toEqual(expectedDomains)
    expect(body.meta.total).toBe(expectedDomains.length)
    const searchBody = await list(`?favorite=${sentValue}&per_page=50&search=example`)
    expect(listDomains(searchBody)).toEqual(expectedDomains)
    expect(searchBody.meta.total).toBe(expectedDomains.length)
  })

  it('counts favorites after changes', async () => {
    const { data } = await list('?search=zebra')
    const favoriteCountBefore = (await list('?favorite=true')).meta.total
    await keyClient.call('PATCH', `${websitesPath}/${data[0].id}`, { form: { favorite: 'true' } })
    expect((await list('?favorite=true')).meta.total).toBe(favoriteCountBefore + 1)
    expect(listDomains(await list('?favorite=true&search=zebra'))).toEqual(['zebra.example.net'])
    await keyClient.call('PATCH', `${websitesPath}/${data[0].id}`, { form: { favorite: 'false' } })
    expect((await list('?favorite=true')).meta.total).toBe(favoriteCountBefore)
    expect(listDomains(await list('?favorite=true&search=zebra'))).toEqual([])
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
  ])('rejects %s', async (query) => {
    const response = await keyClient.get(`${websitesPath}?${query}`)
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual([query.split('=')[0]])
  })

  it('supports HEAD and ignores Accept', async () => {
    const head = await keyClient.call('HEAD', websitesPath)
    expect([head.status, head.text]).toEqual([200, ''])
    const response = await keyClient.get(websitesPath, { headers: { accept: 'text/html' } })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('uses BELFRY_URL in links', async () => {
    const otherServer = await startTestServer({ env: { BELFRY_URL: 'https://stats.example.com/belfry' } })
    try {
      const ada = await otherServer.createUser('ada')
      const { links, meta } = await list('', ada.session)
      expect(meta.path).toBe(`https://stats.example.com/belfry${websitesPath}`)
      expect(links.first).toBe(`https://stats.example.com/belfry${websitesPath}?page=1`)
    } finally {
      await otherServer.close()
    }
  })
})
