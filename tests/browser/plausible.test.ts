/** Plausible's published tracker packages, configured to send to Belfry. */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
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
  })
})
afterAll(async () => {
  await browser.close()
  await Promise.all([server.close(), site.close()])
})

interface Visit {
  page: Page
  id: number
  responses: string[]
  consoleErrors: string[]
}

async function visit(name: string): Promise<Visit> {
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
    const { page, id, responses, consoleErrors } = await visit('newer')
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
    const { page, id, responses, consoleErrors } = await visit('older')
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
