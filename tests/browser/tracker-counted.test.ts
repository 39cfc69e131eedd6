/** A visit in a real browser appears in the statistics. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type OpenedPage, openBrowser, openPage, type TestBrowser } from '../support/browser.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createHtmlPage, recordEventResponses, startTestSite, type TestSite } from '../support/tracked-site.ts'
import { createSite, fetchOverview } from '../support/traffic.ts'

let server: TestServer
let ada: TestUser
let browser: TestBrowser
let site: TestSite
let visitor: OpenedPage
let responses: string[]

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.createUser('ada')
  browser = await openBrowser()
  const createSnippet = (domain: string) =>
    `<script defer src="${server.address}/b.js" data-domain="${domain}"></script>`
  site = await startTestSite({
    '/': createHtmlPage(createSnippet('example.com'), '<a href="/prices?plan=pro">Prices</a>'),
    '/prices': createHtmlPage(createSnippet('example.com')),
    '/hash': createHtmlPage(createSnippet('hash.example.org').replace('data-', 'data-hash data-')),
    '/bot': createHtmlPage(createSnippet('example.net')),
    '/unknown': createHtmlPage(createSnippet('unknown.example')),
  })
  const context = await browser.newContext({ locale: 'de-AT', screen: { width: 1920, height: 1080 } })
  visitor = await openPage(context, '')
  responses = recordEventResponses(visitor.page)
})
afterAll(async () => {
  await browser.close()
  await Promise.all([server.close(), site.close()])
})

/** Each test has a website of its own, so all can use one page: a new context takes half a second of processor time. */
async function visit(url: string) {
  const { page, consoleErrors } = visitor
  responses.splice(0)
  await page.goto(url)
  const expectResponses = (...expected: string[]) =>
    vi.waitFor(() => expect(responses.filter((response) => !response.includes('engagement'))).toEqual(expected), {
      timeout: 15_000,
    })
  return { page, consoleErrors, expectResponses }
}

describe('a visit in a browser', () => {
  it('appears in the statistics', async () => {
    // Headless browsers count as bots, so include bots.
    const id = await createSite(ada, 'example.com', { exclude_bots: 0, exclude_params: 'plan' })
    const { page, consoleErrors, expectResponses } = await visit(
      `${site.getOrigin('www.example.com')}/?utm_source=news`,
    )
    await expectResponses('202 pageview')
    server.clock.advance({ seconds: 30 })
    await page.getByRole('link').click()
    await expectResponses('202 pageview', '202 pageview')
    await page.evaluate("belfry('signup', { props: { plan: 'pro' } })")
    await expectResponses('202 pageview', '202 pageview', '202 signup')
    const { totals, panels } = await fetchOverview(ada.session, id)
    expect(totals).toEqual({
      visitors: 1,
      visits: 1,
      pageviews: 2,
      events: 1,
      bounce_rate: 0,
      visit_duration: 30,
      views_per_visit: 2,
    })
    expect(panels).toMatchObject({
      page: expect.arrayContaining([{ value: '/prices', count: 1 }]),
      landing_page: [{ value: '/', count: 1 }],
      exit_page: [{ value: '/prices', count: 1 }],
      source: [{ value: 'news', count: 1 }],
      language: [{ value: 'de', count: 1 }],
      resolution: [{ value: '1920x1080', count: 1 }],
      event: [{ value: 'signup', count: 1 }],
    })
    expect(consoleErrors).toEqual([])
  })

  it('includes the hash with data-hash', async () => {
    const id = await createSite(ada, 'hash.example.org', { exclude_bots: 0 })
    const { page, expectResponses } = await visit(`${site.getOrigin('hash.example.org')}/hash`)
    await page.evaluate("location.hash = '/users'")
    await expectResponses('202 pageview', '202 pageview')
    const { panels } = await fetchOverview(ada.session, id)
    expect(panels.page.map(({ value }: { value: string }) => value).toSorted()).toEqual(['/hash', '/hash#/users'])
  })

  it('gets a response with the reason if it is not counted', async () => {
    await createSite(ada, 'example.net')
    const bot = await visit(`${site.getOrigin('example.net')}/bot`)
    await bot.expectResponses('202 pageview bot')
    const unknownSiteVisit = await visit(`${site.getOrigin('example.net')}/unknown`)
    await unknownSiteVisit.expectResponses('202 pageview unknown_site')
    expect(visitor.consoleErrors).toEqual([])
  })
})
