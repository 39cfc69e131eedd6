/** A status page in a browser, as visitors see it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { buildStatusPage } from '../../scripts/build-status-page.ts'
import { DAY_SECONDS } from '../../src/shared/time.ts'
import { openBrowser, openPage, overflowsSideways, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { addIncident, addMonitoredPeriod, createMonitor, setFirstStatus } from '../support/monitors.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

const MINUTE_SECONDS = 60
/** This is longer than the interval at which the script looks for a newer page. */
const REFRESH_MS = 16_000
const longTimeout = { timeout: 20_000 }

let server: TestServer
let browser: TestBrowser
let owner: TestUser
let pageId: number
let shopId: number

beforeAll(async () => {
  server = await startTestServer({
    env: {
      BELFRY_URL: 'http://localhost',
      BELFRY_SMTP_URL: 'smtp://localhost',
      BELFRY_MAIL_FROM: 'belfry@example.com',
    },
  })
  browser = await openBrowser()
  owner = await server.createUser('owner')
  shopId = (await createMonitor(owner.session, { friendly_name: 'Shop' })).id
  const apiId = (await createMonitor(owner.session, { friendly_name: 'API' })).id
  await setFirstStatus(server, shopId, 'up')
  await setFirstStatus(server, apiId, 'up')
  await addMonitoredPeriod(server, shopId, { from: 100 * DAY_SECONDS, to: 1 })
  // The incident lasted from 9:30 to 9:44 UTC two days ago.
  await addIncident(server, shopId, {
    from: 2 * DAY_SECONDS + 30 * MINUTE_SECONDS,
    to: 2 * DAY_SECONDS + 16 * MINUTE_SECONDS,
  })
  const { body } = await owner.session.post('/api/status-pages', {
    slug: 'example',
    title: 'Example status',
    time_zone: 'UTC',
    groups: [
      { name: 'Website', monitors: [{ monitor_id: shopId, label: 'Shop' }] },
      { name: 'Services', monitors: [{ monitor_id: apiId, label: 'Public API' }] },
    ],
  })
  pageId = body.data.id
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

/** Opens the page in its own tab, at the time of the server's clock. */
async function openStatusPage(options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ baseURL: server.address, timezoneId: 'UTC', ...options })
  const openedPage = await openPage(context, server.address)
  await openedPage.page.clock.install({ time: server.clock.now() })
  await openedPage.page.goto('/status/example')
  return openedPage
}

const barsOf = (page: Page, label: string) => page.getByRole('slider', { name: `${label}, uptime by day` })

/**
 * Lets the script look for a newer page until it shows the text. The server renders the page again only when its own
 * copy is old enough.
 */
async function waitForNewerPage(page: Page, text: string): Promise<void> {
  await vi.waitFor(async () => {
    server.clock.advance({ seconds: 3 })
    await page.clock.runFor(REFRESH_MS)
    expect(await page.getByText(text).count()).toBeGreaterThan(0)
  }, longTimeout)
}

describe('the files of status pages', () => {
  it('match the build of their sources, with a script of at most 4,000 bytes', async () => {
    const folder = join(import.meta.dirname, '..', '..', 'status-page')
    const { script, style } = await buildStatusPage()
    expect(script).toBe(await readFile(join(folder, 'page.js'), 'utf8'))
    expect(style).toBe(await readFile(join(folder, 'page.min.css'), 'utf8'))
    expect(script.length).toBeLessThanOrEqual(4_000)
  })
})

describe('a status page', () => {
  it('is accessible, loads nothing from other servers, and explains each day by keyboard and pointer', async () => {
    const { page, consoleErrors, externalRequests } = await openStatusPage()
    expect(await page.title()).toBe('All systems operational · Example status')
    await expectNoViolations(page)
    // A slow machine shows the page in a local font, so the test only loads the typeface.
    const loadFont = `fetch(document.querySelector('[as=font]').href).then(({ status, headers }) => [status, headers.get('content-type')])`
    expect(await page.evaluate(loadFont)).toEqual([200, 'font/woff2'])

    const bars = barsOf(page, 'Shop')
    await bars.focus()
    expect(await bars.getAttribute('aria-valuetext')).toBe('5 Jan 2026: no downtime')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    expect(await bars.getAttribute('aria-valuetext')).toBe('3 Jan 2026: down 14 minutes, 99.02% uptime')
    expect(await page.locator('.tooltip').innerText()).toBe('3 Jan 2026\nDown 14 minutes, 99.02% uptime')
    await expectNoViolations(page)
    await page.keyboard.press('Escape')
    expect(await page.locator('.tooltip').count()).toBe(0)
    await page.keyboard.press('Home')
    expect(await bars.getAttribute('aria-valuetext')).toBe('8 Oct 2025: no downtime')
    // The pointer over other bars doesn't change which day the keys continue from.
    await barsOf(page, 'Public API').hover()
    await page.keyboard.press('ArrowRight')
    expect(await bars.getAttribute('aria-valuetext')).toBe('9 Oct 2025: no downtime')
    await page.keyboard.press('Tab')
    const { width = 0, height = 0 } = (await bars.boundingBox()) ?? {}
    await bars.hover({ position: { x: width * (87.4 / 90), y: height / 2 } })
    expect(await page.locator('.tooltip').innerText()).toContain('3 Jan 2026')

    // Days before the first check are not monitored.
    const apiBars = barsOf(page, 'Public API')
    await apiBars.focus()
    await page.keyboard.press('Home')
    expect(await apiBars.getAttribute('aria-valuetext')).toBe('8 Oct 2025: not monitored')

    // A phone shows the last 30 days.
    await page.setViewportSize({ width: 320, height: 700 })
    expect(await overflowsSideways(page)).toBe(false)
    expect(
      await page
        .locator('.first-day')
        .first()
        .evaluate('getComputedStyle(document.querySelector(".first-day"), "::before").content'),
    ).toBe('"30"')
    await bars.focus()
    await page.keyboard.press('Home')
    expect(await bars.getAttribute('aria-valuetext')).toBe('7 Dec 2025: no downtime')
    expect(await overflowsSideways(page)).toBe(false)
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
    await page.context().close()
  })

  it("shows dates in the visitor's language and time zone", async () => {
    const { page } = await openStatusPage({ locale: 'de-DE', timezoneId: 'Asia/Tokyo' })
    const history = page.locator('#history')
    expect(await history.getByRole('heading', { level: 3 }).innerText()).toBe('03.01.2026')
    // The incident began at 9:30 UTC. The date is the same in Tokyo, so the page shows only the time.
    expect(await history.locator('.meta').innerText()).toBe('Resolved after 14 min · 18:30 – 18:44')
    expect(await page.locator('#zone').innerText()).toBe('Times are in Asia/Tokyo, days in UTC.')
    await barsOf(page, 'Shop').focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    expect(await barsOf(page, 'Shop').getAttribute('aria-valuetext')).toBe(
      '03.01.2026: down 14 minutes, 99,02\u00a0% uptime',
    )
    await page.context().close()
  })

  it('is useful without JavaScript', async () => {
    const { page } = await openStatusPage({ javaScriptEnabled: false })
    const text = await page.locator('main').innerText()
    expect(text).toContain('All systems operational')
    expect(text).toContain('Resolved after 14 min · 09:30 UTC – 09:44 UTC')
    expect(await page.locator('#groups .hidden').first().textContent()).toBe('3 January: down 14 min, 99.02%.')
    const form = page.locator('form')
    await page.getByRole('button', { name: 'Subscribe to updates' }).click()
    expect(await form.getAttribute('action')).toMatch(/\/status\/example\/subscribe$/)
    expect(await form.getByLabel('Email address').isVisible()).toBe(true)
    await page.context().close()
  })

  it('shows newer data and keeps the focus, typed text and closed groups, also while the connection is lost', async () => {
    const { page } = await openStatusPage()
    await page.locator('#groups summary', { hasText: 'Services' }).click()
    await page.getByRole('button', { name: 'Subscribe to updates' }).click()
    const email = page.getByLabel('Email address')
    await email.pressSequentially('grace@exam')
    const post = {
      title: 'Slow checkout',
      state: 'investigating',
      body: 'We are **looking** into it.',
      monitor_ids: [shopId],
    }
    const createResponse = await owner.session.post(`/api/status-pages/${pageId}/posts`, post)
    expect(createResponse.status, createResponse.text).toBe(201)
    await waitForNewerPage(page, 'Slow checkout')
    // The test's clock has jumped, so the server may first send its stored copy of the page, with a notice that the
    // copy is old.
    await vi.waitFor(async () => {
      await page.clock.runFor(REFRESH_MS)
      expect(await page.getByRole('status').first().innerText()).toBe('Incident in progress')
    }, longTimeout)
    expect(await page.title()).toBe('Incident in progress · Example status')
    await page.keyboard.type('ple.com')
    expect(await email.inputValue()).toBe('grace@example.com')
    expect(await page.locator('details', { hasText: 'Services' }).first().getAttribute('open')).toBeNull()

    // When the data of the focused bars change, the selected day and its tooltip stay.
    const bars = barsOf(page, 'Shop')
    await bars.focus()
    await page.keyboard.press('ArrowLeft')
    await addIncident(server, shopId, {
      from: DAY_SECONDS + 30 * MINUTE_SECONDS,
      to: DAY_SECONDS + 29 * MINUTE_SECONDS,
    })
    await vi.waitFor(async () => {
      server.clock.advance({ seconds: 61 })
      await page.clock.runFor(REFRESH_MS)
      expect(await bars.getAttribute('aria-valuetext')).toContain('4 Jan 2026: down 1 minute')
    }, longTimeout)
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('slider')
    expect(await page.locator('.tooltip').innerText()).toContain('Down 1 minute')

    await page.context().setOffline(true)
    await page.clock.runFor(REFRESH_MS)
    await page.getByText('Connection lost. Data may be out of date; retrying…').waitFor()
    await page.context().setOffline(false)
    await page.clock.runFor(REFRESH_MS)
    await vi.waitFor(async () => expect(await page.getByText('Connection lost').count()).toBe(0), longTimeout)

    // When the owner sets a password, the open page asks for it.
    const access = { privacy: 2, password: 'a long password' }
    const lockResponse = await owner.session.put(`/api/status-pages/${pageId}`, access)
    expect(lockResponse.status, lockResponse.text).toBe(200)
    await vi.waitFor(async () => {
      server.clock.advance({ seconds: 3 })
      await page.clock.runFor(REFRESH_MS)
      expect(await page.locator('input[type=password]').count()).toBe(1)
    }, longTimeout)
    await expectNoViolations(page)
    await page.context().close()
  })
})

describe('the URL of an SVG logo', () => {
  const image =
    '<svg xmlns="http://www.w3.org/2000/svg" onload="location.hash += \'-onload\'"><rect width="9" height="9"/><script>location.hash = "ran"</script></svg>'

  /** Stores the image as it is: the upload would remove the script. */
  async function createPageWithLogo(slug: string): Promise<void> {
    const { body } = await owner.session.post('/api/status-pages', { slug, title: 'Logo' })
    await server.services.db.query(
      `insert into status_page_logos (user_id, page_id, media_type, content, content_hash)
       values ($1, $2, 'image/svg+xml', $3, 'hash')`,
      [owner.id, body.data.id, Buffer.from(image)],
    )
  }

  it('runs no script of the image', async () => {
    await createPageWithLogo('scripted-logo')
    const { page, consoleErrors } = await openPage(browser, server.address)
    const url = `${server.address}/status/scripted-logo/logo`
    await page.goto(url)
    expect(await page.locator('rect').count()).toBe(1)
    expect(page.url()).toBe(url)
    expect(consoleErrors).toContainEqual(expect.stringMatching(/Blocked script execution|Content Security Policy/))
    await page.context().close()
  })

  it('would run the script without the Content-Security-Policy', async () => {
    await createPageWithLogo('scripted-logo-without-policy')
    const { page } = await openPage(browser, server.address)
    await page.route('**/logo', async (route) => {
      const response = await route.fetch()
      const { 'content-security-policy': _policy, ...headers } = response.headers()
      await route.fulfill({ response, headers })
    })
    const url = `${server.address}/status/scripted-logo-without-policy/logo`
    await page.goto(url)
    await vi.waitFor(() => expect(page.url()).toMatch(/#ran/))
    await page.context().close()
  })
})
