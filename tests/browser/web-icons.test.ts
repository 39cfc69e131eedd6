import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { openForTest } from '../support/open-in-app.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'
import { createSite, sendView } from '../support/traffic.ts'

let server: TestServer
let browser: TestBrowser
let tab: SharedTab
let ada: TestUser
let siteId: number

const icon = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1" fill="red"/></svg>'
const firefox = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0'

beforeAll(async () => {
  server = await startTestServer({ env: { BELFRY_FAVICONS: 'on', BELFRY_ROLES: 'web,worker' } })
  browser = await openBrowser()
  tab = new SharedTab(server, browser, { colorScheme: 'dark' })
  ada = await server.createUser('ada')
  siteId = await createSite(ada, 'example.com')
  const plainSiteId = await createSite(ada, 'plain.example.org')
  // The first website has an icon, the second has none. The server fetches neither of them, because it has cached both
  // results.
  await server.services.db.query(
    `insert into website_icons (user_id, website_id, content_type, image, expires_at, claimed_until)
     values ($1, $2, 'image/svg+xml', $4, $5, $5), ($1, $3, null, null, $5, $5)`,
    [ada.id, siteId, plainSiteId, Buffer.from(icon), new Date(server.clock.now().getTime() + 86_400_000)],
  )
  const referrers = ['https://www.google.co.uk/', 'https://github.com/example/lantern', 'https://unknown.example.net/']
  for (const [index, referrer] of referrers.entries()) {
    await sendView(server, 'example.com', '/', {
      address: `81.2.69.${142 + index}`,
      agent: firefox,
      fields: { r: referrer },
    })
  }
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

describe('icons', { timeout: 60_000 }, () => {
  it('show the icon of a website, or its first letter', async () => {
    const { page, consoleErrors, externalRequests } = await tab.open(ada)
    await page.goto('/')
    await page.locator('.site-icon').waitFor()
    expect(await page.locator('.site-icon').count()).toBe(1)
    expect(
      await page
        .locator('.site-icon')
        .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0),
    ).toBe(true)
    expect(await page.locator('.monogram').allTextContents()).toEqual(['P'])
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('appear beside values, load lazily from the same server, and become a letter if loading fails', async () => {
    const { page, consoleErrors, externalRequests } = await tab.open(ada)
    await page.route('**/logos/google-icon.svg', (route) =>
      route.fulfill({ status: 200, contentType: 'text/html', body: 'gone' }),
    )
    await page.clock.setFixedTime(server.clock.now())
    await openForTest(page, '/example.com')
    const sources = page.getByRole('list', { name: 'Sources' }).getByRole('listitem')
    await sources.filter({ hasText: 'GitHub' }).waitFor()
    // The file of Google's logo is missing, so the page shows a letter instead.
    await sources.filter({ hasText: 'Google' }).locator('.monogram').waitFor()
    expect(await sources.filter({ hasText: 'unknown.example.net' }).locator('.monogram').textContent()).toBe('U')
    const flag = page.getByRole('list', { name: 'Countries' }).locator('img').first()
    await flag.scrollIntoViewIfNeeded()
    await expect
      .poll(() => flag.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth), {
        timeout: 20_000,
      })
      .toBeGreaterThan(0)
    expect(await flag.getAttribute('loading')).toBe('lazy')
    expect(await flag.getAttribute('src')).toMatch(/^assets\/icons-[\da-f]{8}\/flags\/gb\.svg$/)
    const { headers } = await server.anyone.get(`/${await flag.getAttribute('src')}`)
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    // A black logo takes the colour of the text, which is light on a dark background.
    const maskedLogo = sources.filter({ hasText: 'GitHub' }).locator('.value-icon-masked')
    expect(await maskedLogo.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe('rgb(241, 241, 246)')
    expect(await maskedLogo.evaluate((element) => getComputedStyle(element).maskImage)).toMatch(/logos\/github\.svg/)
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })
})

/** Code that the tests pass to `evaluate` runs in the page, which has this function. */
declare const getComputedStyle: (element: unknown) => { backgroundColor: string; maskImage: string }
