/** Visits in a real browser appear in the statistics, with Belfry's tracker and with Plausible's published packages. */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type OpenedPage, openBrowser, openPage, type TestBrowser } from '../support/browser.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import {
  createHtmlPage,
  openPausedPage,
  recordEventResponses,
  type SitePages,
  startTestSite,
  type TestSite,
} from '../support/tracked-site.ts'
import { createSite, fetchOverview } from '../support/traffic.ts'

let server: TestServer
let ada: TestUser
let browser: TestBrowser
let site: TestSite
let visitor: OpenedPage
let responses: string[]

/** Reads the files of both npm packages. The keys are the paths at which the test website serves them. */
async function readPackages(): Promise<SitePages> {
  const newerPath = fileURLToPath(import.meta.resolve('@plausible-analytics/tracker'))
  const olderFolder = join(dirname(fileURLToPath(import.meta.resolve('plausible-tracker'))), '..', 'module')
  return {
    '/modules/newer': await readFile(newerPath, 'utf8'),
    '/modules/older': await readFile(join(olderFolder, 'index.js'), 'utf8'),
    '/modules/lib/tracker': await readFile(join(olderFolder, 'lib', 'tracker.js'), 'utf8'),
    '/modules/lib/request': await readFile(join(olderFolder, 'lib', 'request.js'), 'utf8'),
  }
}

const bodyHtml = `<a id="outside" href="http://shop.example.net/offer">An offer</a><a id="file" href="/manual.pdf">Manual</a>
<form action="javascript:void 0"><button>Send</button></form>
<script>addEventListener('click', (event) => event.target.id && event.preventDefault())</script>`

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.createUser('ada')
  browser = await openBrowser()
  const createSnippet = (domain: string) =>
    `<script defer src="${server.address}/b.js" data-domain="${domain}"></script>`
  const newerSnippet = `<script type="module">
    import { init, track } from '/modules/newer'
    init({
      domain: 'newer.example.com', endpoint: '${server.address}/api/event', captureOnLocalhost: true,
      outboundLinks: true, fileDownloads: true, formSubmissions: true, customProperties: { theme: 'dark' },
    })
    window.track = track
  </script>`
  const olderSnippet = `<script type="module">
    import Plausible from '/modules/older'
    const plausible = Plausible({ domain: 'older.example.com', apiHost: '${server.address}', trackLocalhost: true })
    plausible.enableAutoPageviews()
    plausible.enableAutoOutboundTracking()
    window.track = plausible.trackEvent
  </script>`
  site = await startTestSite({
    ...(await readPackages()),
    '/newer': createHtmlPage(newerSnippet, bodyHtml),
    '/older': createHtmlPage(olderSnippet, bodyHtml),
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

interface PlausibleVisit {
  page: Page
  id: number
  responses: string[]
  consoleErrors: string[]
}

async function visitWithPlausible(name: string): Promise<PlausibleVisit> {
  // Headless browsers count as bots, so include bots.
  const id = await createSite(ada, `${name}.example.com`, { exclude_bots: 0 })
  const { page, consoleErrors } = await openPausedPage(browser)
  const responses = recordEventResponses(page)
  await page.goto(`${site.getOrigin(`${name}.example.com`)}/${name}`)
  return { page, id, responses, consoleErrors }
}

const expectResponses = (responses: string[], ...expected: string[]) =>
  vi.waitFor(() => expect(responses.toSorted()).toEqual(expected.toSorted()), { timeout: 15_000, interval: 20 })

describe('a website with', () => {
  it('@plausible-analytics/tracker is counted', async () => {
    const { page, id, responses, consoleErrors } = await visitWithPlausible('newer')
    await expectResponses(responses, '202 pageview')
    server.clock.advance({ seconds: 40 })
    await page.clock.fastForward(40_000)
    await page.evaluate("track('signup', { props: { plan: 'pro' }, revenue: { amount: 9.5, currency: 'EUR' } })")
    await page.evaluate("track('autoplay', { interactive: false })")
    await page.locator('#outside').click()
    await page.locator('#file').click()
    await page.getByRole('button').click()
    const events = ['signup', 'autoplay', 'Outbound Link: Click', 'File Download', 'Form: Submission']
    await expectResponses(responses, '202 pageview', ...events.map((name) => `202 ${name}`))
    responses.splice(0)
    await page.evaluate("history.pushState({}, '', '/newer/next?page=2')")
    await expectResponses(responses, '202 engagement', '202 pageview')

    const { totals, panels } = await fetchOverview(ada.session, id)
    expect(totals).toMatchObject({
      visitors: 1,
      visits: 1,
      pageviews: 2,
      events: 5,
      bounce_rate: 0,
      visit_duration: 40,
    })
    expect(panels.page.map(({ value }: { value: string }) => value).toSorted()).toEqual([
      '/newer',
      '/newer/next?page=2',
    ])
    expect(panels.event.map(({ value }: { value: string }) => value).toSorted()).toEqual(events.toSorted())
    expect(consoleErrors).toEqual([])
  })

  it('plausible-tracker is counted', async () => {
    const { page, id, responses, consoleErrors } = await visitWithPlausible('older')
    await expectResponses(responses, '202 pageview')
    const callbackResult = await page.evaluate(
      "new Promise((resolve) => track('signup', { props: { plan: 'pro', seats: 3 }, callback: () => resolve('done') }))",
    )
    expect(callbackResult).toBe('done')
    await page.evaluate("history.pushState({}, '', '/older/next')")
    await page.evaluate('history.back()')
    await expectResponses(responses, '202 pageview', '202 signup', '202 pageview', '202 pageview')
    await page.route('http://shop.example.net/**', (route) => route.fulfill({ body: 'An offer' }))
    responses.splice(0)
    await page.locator('#outside').click()
    await expectResponses(responses, '202 Outbound Link: Click')
    // The tracker delays the navigation until the event is sent.
    await page.clock.fastForward(1_000)
    await page.waitForURL('http://shop.example.net/offer')

    const { totals, panels } = await fetchOverview(ada.session, id)
    expect(totals).toMatchObject({ visitors: 1, visits: 1, pageviews: 3, events: 2 })
    expect(panels.page).toEqual([
      { value: '/older', count: 2 },
      { value: '/older/next', count: 1 },
    ])
    expect(panels.event.map(({ value }: { value: string }) => value).toSorted()).toEqual([
      'Outbound Link: Click',
      'signup',
    ])
    expect(consoleErrors).toEqual([])
  })
})
