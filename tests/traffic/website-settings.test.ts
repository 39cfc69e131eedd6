/** The collector caches websites, yet a saved change applies to the very next event. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { browsers, createSite, fetchOverview, fetchStatistics, sendEvent, sendView } from '../support/traffic.ts'

const today = 'from=2026-01-05&to=2026-01-05'

let database: TestDatabase
let server: TestServer
let other: TestServer
let ada: TestUser
let siteCount = 0
let domain: string
let site: number

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startTestServer({ database })
  other = await startTestServer({ database, clock: server.clock })
  ada = await server.createUser('ada')
})
afterAll(async () => {
  await Promise.all([server?.close(), other?.close()])
  await database?.drop()
})
beforeEach(async () => {
  domain = `site-${++siteCount}.example.com`
  site = await createSite(ada, domain)
})

const visit = (path: string) => ({ n: 'pageview', u: `https://${domain}${path}`, d: domain })

describe('a saved change of a website applies to the next event on every node', () => {
  const nodes = () => [server, other, server, other]

  async function save(settings: object): Promise<void> {
    expect((await ada.session.put(`/api/v1/websites/${site}`, settings)).status).toBe(200)
  }
  const sendAndGetDropReason = async (node: TestServer, address: string, agent: string = browsers.chrome.agent) => {
    const { status, headers } = await sendEvent(node, visit('/page'), { address, agent })
    expect(status).toBe(202)
    return headers.get('x-belfry-dropped')
  }

  it('to its excluded IPs', async () => {
    const reasons = () => Promise.all(nodes().map((node) => sendAndGetDropReason(node, '203.0.113.9')))
    expect(await reasons()).toEqual([null, null, null, null])
    await save({ exclude_ips: '203.0.113.0/24' })
    expect(await reasons()).toEqual(['ip', 'ip', 'ip', 'ip'])
    await save({ exclude_ips: '' })
    expect(await reasons()).toEqual([null, null, null, null])
  })

  it('to counting bots', async () => {
    const bot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
    const reasons = () => Promise.all(nodes().map((node) => sendAndGetDropReason(node, '203.0.113.9', bot)))
    expect(await reasons()).toEqual(['bot', 'bot', 'bot', 'bot'])
    await save({ exclude_bots: 0 })
    expect(await reasons()).toEqual([null, null, null, null])
    await save({ exclude_bots: 1 })
    expect(await reasons()).toEqual(['bot', 'bot', 'bot', 'bot'])
  })

  it('to its ignored URL parameters', async () => {
    for (const node of nodes()) await sendView(node, domain, '/?token=1&page=2')
    await save({ exclude_params: 'token' })
    for (const node of nodes()) await sendView(node, domain, '/?token=1&page=2')
    await save({ exclude_params: '&' })
    await sendView(other, domain, '/?token=1&page=2')
    const pages = await fetchStatistics(ada.session, site, `name=page&${today}&sort_by=value`)
    expect(pages).toEqual([
      { value: '/', count: 1 },
      { value: '/?page=2', count: 4 },
      { value: '/?token=1&page=2', count: 4 },
    ])
  })

  it('to its time zone', async () => {
    for (const node of nodes()) await sendView(node, domain, '/')
    await save({ time_zone: 'Pacific/Kiritimati' })
    for (const node of nodes()) await sendView(node, domain, '/')
    const days = await fetchStatistics(ada.session, site, 'name=pageviews&from=2026-01-05&to=2026-01-06')
    expect(days.map(({ count }) => count)).toEqual([4, 4])
  })

  it('to who can see its statistics', async () => {
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

  it('when a website for a subdomain is created and deleted', async () => {
    const sendToAll = () =>
      Promise.all(nodes().map((node) => sendEvent(node, { ...visit('/'), d: `a.shop.${domain}` })))
    const countViews = async (id: number) => (await fetchOverview(ada.session, id, today)).totals.pageviews
    await sendToAll()
    const shop = await createSite(ada, `shop.${domain}`)
    await sendToAll()
    expect([await countViews(site), await countViews(shop)]).toEqual([4, 4])
    await ada.session.delete(`/api/v1/websites/${shop}`)
    await sendToAll()
    expect(await countViews(site)).toBe(8)
  })

  it('when the website itself is created and deleted', async () => {
    const newDomain = `new.${domain.replace('.example.com', '.example.org')}`
    const reasons = async () => {
      const responses = nodes().map((node) =>
        sendEvent(node, { n: 'pageview', u: `https://${newDomain}/`, d: newDomain }),
      )
      return (await Promise.all(responses)).map(({ headers }) => headers.get('x-belfry-dropped'))
    }
    const unknown = Array(4).fill('unknown_site')
    expect(await reasons()).toEqual(unknown)
    const id = await createSite(ada, newDomain)
    expect(await reasons()).toEqual([null, null, null, null])
    await ada.session.delete(`/api/v1/websites/${id}`)
    expect(await reasons()).toEqual(unknown)
    // A second website with the same domain has none of the first one's events.
    const secondId = await createSite(ada, newDomain)
    expect(await reasons()).toEqual([null, null, null, null])
    expect((await fetchOverview(ada.session, secondId, today)).totals.pageviews).toBe(4)
  })
})
