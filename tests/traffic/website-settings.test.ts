/** The collector caches websites, but a saved change applies to the next event. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { browsers, createSite, fetchOverview, fetchStatistics, sendEvent, sendView } from '../support/traffic.ts'

const today = 'from=2026-01-05&to=2026-01-05'

let database: TestDatabase
let server: TestServer
let otherNode: TestServer
let ada: TestUser
let siteCount = 0
let domain: string
let siteId: number

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startTestServer({ database })
  otherNode = await startTestServer({ database, clock: server.clock })
  ada = await server.createUser('ada')
})
afterAll(async () => {
  await Promise.all([server?.close(), otherNode?.close()])
  await database?.drop()
})
beforeEach(async () => {
  domain = `site-${++siteCount}.example.com`
  siteId = await createSite(ada, domain)
})

const createPageview = (path: string) => ({ n: 'pageview', u: `https://${domain}${path}`, d: domain })

describe('on every node, the next request follows', () => {
  const listNodesTwice = () => [server, otherNode, server, otherNode]

  async function saveSettings(settings: object): Promise<void> {
    expect((await ada.session.put(`/api/v1/websites/${siteId}`, settings)).status).toBe(200)
  }
  const sendAndGetDropReason = async (node: TestServer, address: string, agent: string = browsers.chrome.agent) => {
    const { status, headers } = await sendEvent(node, createPageview('/page'), { address, agent })
    expect(status).toBe(202)
    return headers.get('x-belfry-dropped')
  }

  it('a change of the excluded IPs', async () => {
    const sendEventsAndGetDropReasons = () =>
      Promise.all(listNodesTwice().map((node) => sendAndGetDropReason(node, '203.0.113.9')))
    expect(await sendEventsAndGetDropReasons()).toEqual([null, null, null, null])
    await saveSettings({ exclude_ips: '203.0.113.0/24' })
    expect(await sendEventsAndGetDropReasons()).toEqual(['ip', 'ip', 'ip', 'ip'])
    await saveSettings({ exclude_ips: '' })
    expect(await sendEventsAndGetDropReasons()).toEqual([null, null, null, null])
  })

  it('a change of whether bots are excluded', async () => {
    const bot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
    const sendEventsAndGetDropReasons = () =>
      Promise.all(listNodesTwice().map((node) => sendAndGetDropReason(node, '203.0.113.9', bot)))
    expect(await sendEventsAndGetDropReasons()).toEqual(['bot', 'bot', 'bot', 'bot'])
    await saveSettings({ exclude_bots: 0 })
    expect(await sendEventsAndGetDropReasons()).toEqual([null, null, null, null])
    await saveSettings({ exclude_bots: 1 })
    expect(await sendEventsAndGetDropReasons()).toEqual(['bot', 'bot', 'bot', 'bot'])
  })

  it('a change of the ignored URL parameters', async () => {
    for (const node of listNodesTwice()) await sendView(node, domain, '/?token=1&page=2')
    await saveSettings({ exclude_params: 'token' })
    for (const node of listNodesTwice()) await sendView(node, domain, '/?token=1&page=2')
    await saveSettings({ exclude_params: '&' })
    await sendView(otherNode, domain, '/?token=1&page=2')
    const pages = await fetchStatistics(ada.session, siteId, `name=page&${today}&sort_by=value`)
    expect(pages).toEqual([
      { value: '/', count: 1 },
      { value: '/?page=2', count: 4 },
      { value: '/?token=1&page=2', count: 4 },
    ])
  })

  it('a change of the time zone', async () => {
    for (const node of listNodesTwice()) await sendView(node, domain, '/')
    await saveSettings({ time_zone: 'Pacific/Kiritimati' })
    for (const node of listNodesTwice()) await sendView(node, domain, '/')
    const days = await fetchStatistics(ada.session, siteId, 'name=pageviews&from=2026-01-05&to=2026-01-06')
    expect(days.map(({ count }) => count)).toEqual([4, 4])
  })

  it('a change of who can see the statistics', async () => {
    const fetchStatuses = () =>
      Promise.all(
        [server, otherNode].map(async ({ anyone }) => (await anyone.get(`/api/v1/stats/${siteId}?name=page`)).status),
      )
    expect(await fetchStatuses()).toEqual([200, 200])
    await saveSettings({ privacy: 1 })
    expect(await fetchStatuses()).toEqual([404, 404])
    await saveSettings({ privacy: 2, password: 'open sesame' })
    expect(await fetchStatuses()).toEqual([401, 401])
    await saveSettings({ privacy: 0 })
    expect(await fetchStatuses()).toEqual([200, 200])
  })

  it('the creation and deletion of a website for a subdomain', async () => {
    const sendToAll = () =>
      Promise.all(listNodesTwice().map((node) => sendEvent(node, { ...createPageview('/'), d: `a.shop.${domain}` })))
    const countViews = async (id: number) => (await fetchOverview(ada.session, id, today)).totals.pageviews
    await sendToAll()
    const shopId = await createSite(ada, `shop.${domain}`)
    await sendToAll()
    expect([await countViews(siteId), await countViews(shopId)]).toEqual([4, 4])
    await ada.session.delete(`/api/v1/websites/${shopId}`)
    await sendToAll()
    expect(await countViews(siteId)).toBe(8)
  })

  it('the creation and deletion of the website itself', async () => {
    const newDomain = `new.${domain.replace('.example.com', '.example.org')}`
    const sendEventsAndGetDropReasons = async () => {
      const responses = listNodesTwice().map((node) =>
        sendEvent(node, { n: 'pageview', u: `https://${newDomain}/`, d: newDomain }),
      )
      return (await Promise.all(responses)).map(({ headers }) => headers.get('x-belfry-dropped'))
    }
    const unknownReasons = Array(4).fill('unknown_site')
    expect(await sendEventsAndGetDropReasons()).toEqual(unknownReasons)
    const id = await createSite(ada, newDomain)
    expect(await sendEventsAndGetDropReasons()).toEqual([null, null, null, null])
    await ada.session.delete(`/api/v1/websites/${id}`)
    expect(await sendEventsAndGetDropReasons()).toEqual(unknownReasons)
    // A second website with the same domain counts only the four events that are sent after its creation.
    const secondId = await createSite(ada, newDomain)
    expect(await sendEventsAndGetDropReasons()).toEqual([null, null, null, null])
    expect((await fetchOverview(ada.session, secondId, today)).totals.pageviews).toBe(4)
  })
})
