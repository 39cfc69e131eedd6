/** The first steps: adding a website, installing its snippet and waiting for the first visit, or exploring sample data. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createHomePageFetcher } from '../../src/websites/verify/fetch-home-page.ts'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { openForTest } from '../support/open-in-app.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'
import { createSite, sendView } from '../support/traffic.ts'

let server: TestServer
/** The server of every website that a user verifies. */
let website: HttpReceiver
let browser: TestBrowser
let tab: SharedTab
const waitOptions = { timeout: 20_000 }
const isNotWiderThanScreen = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth'

beforeAll(async () => {
  // Visits become visible when the worker has aggregated them.
  website = await startHttpReceiver()
  const fetchHomePage = createHomePageFetcher(
    { allowsAll: false, ranges: ['127.0.0.0/8'] },
    { originsOf: () => [website.address] },
  )
  server = await startTestServer({ env: { BELFRY_ROLES: 'web,worker' }, fetchHomePage })
  browser = await openBrowser()
  tab = new SharedTab(server, browser)
})
afterAll(async () => {
  await browser.close()
  await server.close()
  await website.close()
})

describe('a new user', { timeout: 60_000 }, () => {
  /** Each test leaves this user without websites and monitors. */
  let sam: TestUser
  beforeAll(async () => {
    sam = await server.createUser('sam')
  })

  it('adds the first website on the welcome page and sees its first visit arrive', async () => {
    const ada = await server.createUser('ada')
    const { page, consoleErrors, externalRequests } = await tab.open(ada)
    const openStreams = new Set<string>()
    const isStream = (url: string) => url.includes('/api/live')
    page.on('request', (request) => isStream(request.url()) && openStreams.add(request.url()))
    page.on('requestfailed', (request) => openStreams.delete(request.url()))
    await page.goto('/')
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    await expectNoViolations(page)
    await page.getByText('If off, anyone with the link can view them.').waitFor()

    await page.getByLabel('Domain').fill('https://www.Example.com/about')
    await page.getByRole('button', { name: 'Add website' }).click()
    const snippet = `<script defer src="${server.address}/b.js" data-domain="example.com"></script>`
    await page.getByText(snippet).waitFor()
    const waitingText = page.getByRole('status').getByText('Waiting for the first visit…')
    await waitingText.waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^Add this snippet to the <head>/)
    await vi.waitFor(() => expect([...openStreams]).toEqual([expect.stringMatching(/\?website=\d+$/)]), waitOptions)
    const doneSteps = page.locator('.step-done').getByRole('heading')
    expect(await doneSteps.allInnerTexts()).toEqual([expect.stringContaining('Add a website')])

    await sendView(server, 'example.com', '/')
    await page.getByRole('status').getByText('First visit counted').waitFor(waitOptions)
    expect(await doneSteps.allInnerTexts()).toEqual(
      ['Add a website', 'Install the tracking snippet', 'Receive the first visit'].map((title) =>
        expect.stringContaining(title),
      ),
    )
    await expectNoViolations(page)
    await page.getByRole('link', { name: 'View statistics for example.com' }).click()
    await page.waitForURL('**/example.com')
    // The steps that remain stay above the statistics.
    const list = page.getByRole('region', { name: 'Get started 3 of 8 done' })
    await list.getByRole('link', { name: 'Monitor uptime' }).first().waitFor()
    await list.getByText('All steps').click()
    await list.getByText('Receive the first visit (done)').waitFor()
    await expectNoViolations(page)
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('can start with a monitor instead of a website', async () => {
    const { page, consoleErrors } = await tab.open(sam)
    await openForTest(page, '/')
    await page.getByLabel('URL').fill('shop.example.org')
    await page.getByRole('button', { name: 'Set up monitor' }).click()
    await page.waitForURL('**/monitors/new?url=https%3A%2F%2Fshop.example.org')
    await page.getByRole('heading', { level: 1, name: 'Add monitor' }).waitFor()
    expect(consoleErrors).toEqual([])
  })

  it('loads a sample shop whose pages say so, and removes it with one command', async () => {
    const { page, consoleErrors } = await tab.open(sam)
    await openForTest(page, '/')
    await page.getByRole('button', { name: 'Load sample shop' }).click()
    await page.waitForURL(/\/lantern-[a-z\d]+\.example$/, waitOptions)
    await page.getByRole('heading', { level: 1 }).getByText('Sample', { exact: true }).waitFor()
    await page.getByText('Sample shop loaded.').waitFor()
    expect(await page.getByText('Generating 90 days of visits…').count()).toBe(0)
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click()
    await page.locator('.overview-list').getByText('Sample', { exact: true }).waitFor()
    await expectNoViolations(page)

    await page.getByRole('button', { name: 'Remove sample shop' }).waitFor()

    await openForTest(page, '/incidents?period=all')
    await page.getByText('The numbers leave out the sample shop.').waitFor()
    await page.getByRole('button', { name: 'Resolved 0' }).waitFor()
    expect(await page.locator('.incidents-row').getByText('Sample', { exact: true }).count()).toBe(4)

    // A sample monitor is not checked, so nothing on its page may look as if it were.
    const [monitor] = (await sam.session.get('/api/monitors')).body.data
    await openForTest(page, `/monitors/${monitor.id}`)
    await page.getByText('Last 60 checks: all passed').waitFor()
    await page.locator('.monitor-state').getByText('Sample', { exact: true }).waitFor()
    for (const text of ['Check now', 'Resume', 'Live', 'Paused']) {
      expect(await page.getByText(text, { exact: true }).count(), text).toBe(0)
    }
    // The first use loads the script of the palette. Keys that are pressed in the meantime count.
    await page.keyboard.press('Control+k')
    await page.keyboard.type('remove sample')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    await page.getByText('Sample shop removed.').waitFor()
    for (const path of ['/api/v1/websites', '/api/monitors']) {
      expect((await sam.session.get(path)).body.meta.total).toBe(0)
    }
    expect(consoleErrors).toEqual([])
  })
})

describe('a user who waits for the first visit', { timeout: 60_000 }, () => {
  let uma: TestUser
  beforeAll(async () => {
    uma = await server.createUser('uma')
    await createSite(uma, 'uma.example')
  })

  it('sees the setup steps on the overview until they are hidden', async () => {
    const { page } = await tab.open(uma)
    await page.goto('/')
    const list = page.getByRole('region', { name: /^Get started 1 of 8 done/ })
    const monitorLink = list.getByRole('link', { name: 'Monitor uptime' })
    expect(await monitorLink.getAttribute('href')).toBe('/monitors/new?url=https%3A%2F%2Fuma.example%2F')
    await list.getByText('Add a website (done)').waitFor()
    await expectNoViolations(page)
    await list.getByRole('button', { name: 'Hide setup steps' }).click()
    await list.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('link', { name: 'uma.example', exact: true }).first().waitFor()
    expect(await list.count()).toBe(0)
  })

  it('fixes the causes of ignored visits', async () => {
    const { page } = await tab.open(uma)
    await page.setViewportSize({ width: 320, height: 800 })
    const loadArrivals = page.waitForResponse((response) => response.url().endsWith('/arrivals'))
    await openForTest(page, '/uma.example')
    await loadArrivals
    // Sends what the snippet of this domain sends in a browser on the owner's machine that counts as a bot.
    const visit = (host: string, domain: string) =>
      sendView(server, host, '/', {
        address: '127.0.0.1',
        agent: 'Googlebot/2.1 (+http://www.google.com/bot.html)',
        fields: { d: domain },
      })

    await visit('www.uma.example', 'uma.example')
    await page.getByText('1 visit ignored: bot').waitFor(waitOptions)
    await page.getByRole('button', { name: 'Count bots too' }).click()
    await page.getByText('Bots are counted now. Open your website again.').first().waitFor()
    expect((await uma.session.get('/api/v1/websites')).body.data).toMatchObject([{ exclude_bots: 0 }])

    await visit('shop.localhost', 'shop.localhost')
    await page.getByText('We received a visit for shop.localhost, but this website is uma.example').waitFor(waitOptions)
    await expectNoViolations(page)
    expect(await page.evaluate(isNotWiderThanScreen)).toBe(true)
    await page.getByRole('button', { name: 'Add shop.localhost as a website' }).click()
    await page.waitForURL('**/shop.localhost')
    const [shop] = (await uma.session.get('/api/v1/websites?search=shop.localhost')).body.data
    expect(shop).toMatchObject({ domain: 'shop.localhost', exclude_bots: 0 })

    // The page of the new website now waits for its first visit. A visit to the same page as before is now counted.
    await visit('shop.localhost', 'shop.localhost')
    await page.getByRole('heading', { name: 'No visits yet' }).waitFor({ state: 'detached', ...waitOptions })
  })
})

describe('the page for a new website', { timeout: 60_000 }, () => {
  it('shows errors at the field, keeps the input and continues to the snippet', async () => {
    const zoe = await server.createUser('zoe')
    await createSite(zoe, 'taken.example.org')
    const { page, consoleErrors, externalRequests } = await tab.open(zoe)
    await page.setViewportSize({ width: 360, height: 800 })
    await page.goto('/websites/new')
    const domainField = page.getByLabel('Domain')
    await domainField.fill('taken.example.org')
    await page.keyboard.press('Enter')
    await page.getByText('Has already been taken.').waitFor()
    expect(await domainField.inputValue()).toBe('taken.example.org')
    expect(await domainField.getAttribute('aria-invalid')).toBe('true')
    await expectNoViolations(page)
    consoleErrors.splice(0) // The browser logs the 422 response.

    await domainField.fill('fresh.example.org')
    expect(await page.getByLabel('Keep statistics private').isChecked()).toBe(true)
    await page.getByRole('button', { name: 'Add website' }).click()
    await page.getByRole('heading', { level: 1, name: 'fresh.example.org added' }).waitFor()
    await page.getByRole('button', { name: 'WordPress' }).click()
    await page.getByText('Header & Footer').waitFor()
    const snippet = `<script defer src="${server.address}/b.js" data-domain="fresh.example.org"></script>`
    const policy = { 'content-security-policy': "default-src 'self'", 'content-type': 'text/html' }
    website.respondWith(200, snippet, policy)
    const verifyButton = page.getByRole('button', { name: 'Verify installation' })
    await verifyButton.click()
    // The website of the test is on this machine, so the address of the server is no problem.
    await page.getByText(`connect-src 'self' ${server.address}`).waitFor()
    await expectNoViolations(page)
    website.respondWith(200, snippet, { 'content-type': 'text/html' })
    await verifyButton.click()
    await page.getByText('Snippet found', { exact: true }).waitFor()
    await page.locator('.step-done').getByText('Install the tracking snippet').waitFor()
    const overview = await page.context().newPage()
    await overview.goto(server.address)
    await overview.getByText('Install the tracking snippet (done)').waitFor()
    await overview.close()
    await page.getByText('Visit not showing up?').click()
    await page.getByText('Do Not Track and Global Privacy Control').waitFor()
    await expectNoViolations(page)
    expect(await page.evaluate(isNotWiderThanScreen)).toBe(true)
    const settingsLink = page.getByRole('link', {
      name: 'Choose who can see the statistics and which visits to exclude',
    })
    expect(await settingsLink.getAttribute('href')).toBe('/fresh.example.org/settings')
    const { body } = await zoe.session.get('/api/v1/websites?search=fresh')
    expect(body.data).toMatchObject([{ domain: 'fresh.example.org', privacy: 1 }])

    await sendView(server, 'fresh.example.org', '/')
    await page.getByRole('link', { name: 'View statistics for fresh.example.org' }).waitFor(waitOptions)
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })
})
