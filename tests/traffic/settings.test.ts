/** Collecting remembers websites, and nobody notices: whatever is saved about one holds for the very next event. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import { browsers, createSite, overview, send, statistics, view } from '../support/traffic.ts'

const today = 'from=2026-01-05&to=2026-01-05'

let database: TestDatabase
let server: TestServer
let other: TestServer
let ada: Person
let sites = 0
let domain: string
let site: number

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startTestServer({ database })
  other = await startTestServer({ database, clock: server.clock })
  ada = await server.person('ada')
})
afterAll(async () => {
  await Promise.all([server?.close(), other?.close()])
  await database?.drop()
})
beforeEach(async () => {
  domain = `site-${++sites}.example.com`
  site = await createSite(ada, domain)
})

const visit = (path: string) => ({ n: 'pageview', u: `https://${domain}${path}`, d: domain })

describe('what is saved about a website holds for the very next event, on every node', () => {
  const nodes = () => [server, other, server, other]

  async function save(settings: object): Promise<void> {
    expect((await ada.session.put(`/api/v1/websites/${site}`, settings)).status).toBe(200)
  }
  const reasonFor = async (node: TestServer, address: string, agent: string = browsers.chrome.agent) => {
    const { status, headers } = await send(node, visit('/page'), { address, agent })
    expect(status).toBe(202)
    return headers.get('x-belfry-dropped')
  }

  it('its excluded addresses', async () => {
    const reasons = () => Promise.all(nodes().map((node) => reasonFor(node, '203.0.113.9')))
    expect(await reasons()).toEqual([null, null, null, null])
    await save({ exclude_ips: '203.0.113.0/24' })
    expect(await reasons()).toEqual(['ip', 'ip', 'ip', 'ip'])
    await save({ exclude_ips: '' })
    expect(await reasons()).toEqual([null, null, null, null])
  })

  it('whether bots count', async () => {
    const bot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
    const reasons = () => Promise.all(nodes().map((node) => reasonFor(node, '203.0.113.9', bot)))
    expect(await reasons()).toEqual(['bot', 'bot', 'bot', 'bot'])
    await save({ exclude_bots: 0 })
    expect(await reasons()).toEqual([null, null, null, null])
    await save({ exclude_bots: 1 })
    expect(await reasons()).toEqual(['bot', 'bot', 'bot', 'bot'])
  })

  it('its excluded parameters', async () => {
    for (const node of nodes()) await view(node, domain, '/?token=1&page=2')
    await save({ exclude_params: 'token' })
    for (const node of nodes()) await view(node, domain, '/?token=1&page=2')
    await save({ exclude_params: '&' })
    await view(other, domain, '/?token=1&page=2')
    const pages = await statistics(ada.session, site, `name=page&${today}&sort_by=value`)
    expect(pages).toEqual([
      { value: '/', count: 1 },
      { value: '/?page=2', count: 4 },
      { value: '/?token=1&page=2', count: 4 },
    ])
  })

  it('its time zone', async () => {
    for (const node of nodes()) await view(node, domain, '/')
    await save({ time_zone: 'Pacific/Kiritimati' })
    for (const node of nodes()) await view(node, domain, '/')
    const days = await statistics(ada.session, site, 'name=pageviews&from=2026-01-05&to=2026-01-06')
    expect(days.map(({ count }) => count)).toEqual([4, 4])
  })

  it('who may see its statistics', async () => {
    const statuses = () =>
      Promise.all(
        [server, other].map(async ({ anyone }) => (await anyone.get(`/api/v1/stats/${site}?name=page`)).status),
      )
    expect(await statuses()).toEqual([200, 200])
    await save({ privacy: 1 })
    expect(await statuses()).toEqual([404, 404])
    await save({ privacy: 2, password: 'open sesame' })
    expect(await statuses()).toEqual([401, 401])
    await save({ privacy: 0 })
    expect(await statuses()).toEqual([200, 200])
  })

  it('that a longer end of a domain has been registered, and is gone again', async () => {
    const sent = () => Promise.all(nodes().map((node) => send(node, { ...visit('/'), d: `a.shop.${domain}` })))
    const viewsOf = async (id: number) => (await overview(ada.session, id, today)).totals.pageviews
    await sent()
    const shop = await createSite(ada, `shop.${domain}`)
    await sent()
    expect([await viewsOf(site), await viewsOf(shop)]).toEqual([4, 4])
    await ada.session.delete(`/api/v1/websites/${shop}`)
    await sent()
    expect(await viewsOf(site)).toBe(8)
  })

  it('that it is there at all, and that it is no more', async () => {
    const late = `late.${domain.replace('.example.com', '.example.org')}`
    const reasons = async () => {
      const answers = nodes().map((node) => send(node, { n: 'pageview', u: `https://${late}/`, d: late }))
      return (await Promise.all(answers)).map(({ headers }) => headers.get('x-belfry-dropped'))
    }
    const unknown = Array(4).fill('unknown_site')
    expect(await reasons()).toEqual(unknown)
    const id = await createSite(ada, late)
    expect(await reasons()).toEqual([null, null, null, null])
    await ada.session.delete(`/api/v1/websites/${id}`)
    expect(await reasons()).toEqual(unknown)
    // As another one of that name, which has nothing of the first.
    const anew = await createSite(ada, late)
    expect(await reasons()).toEqual([null, null, null, null])
    expect((await overview(ada.session, anew, today)).totals.pageviews).toBe(4)
  })
})
