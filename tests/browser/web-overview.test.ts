/** The overview in a browser. */
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { createEventAt } from '../support/inbox-events.ts'
import { addIncident, addMonitoredPeriod, createMonitor, setFirstStatus } from '../support/monitors.ts'
import { openForTest } from '../support/open-in-app.ts'
import { figure, readFocusedText, readRowNames, row, rowsOf } from '../support/overview-page.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'
import { createSite, sendView } from '../support/traffic.ts'

let server: TestServer
let browser: TestBrowser
let tab: SharedTab
let ada: TestUser

/** Code that the test passes to `evaluate` runs in the page, which has this function. */
declare const getComputedStyle: (element: unknown) => { backgroundColor: string }

const DAY_SECONDS = 86_400
const waitOptions = { timeout: 20_000 }

beforeAll(async () => {
  // Visits become visible when the worker has aggregated them.
  server = await startTestServer({ env: { BELFRY_ROLES: 'web,worker' } })
  browser = await openBrowser()
  tab = new SharedTab(server, browser)
  ada = await server.createUser('ada')
  await addWebsites(ada, 'example.com', 'quiet.example.org')
  await addMonitors(ada, 'example.com')
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

/** Adds a website with two visitors today and one two days ago, and a website without any. */
async function addWebsites(owner: TestUser, busyDomain: string, quietDomain: string): Promise<void> {
  const id = await createSite(owner, busyDomain)
  await insertBatch(server.services.db, [createEventAt(id, '2026-01-03T12:00:00Z', { visitor: 1 })])
  await createSite(owner, quietDomain)
  await sendView(server, busyDomain, '/', { address: '81.2.69.142' })
  await sendView(server, busyDomain, '/prices', { address: '81.2.69.143' })
}

/** Adds two monitors of the website and one of another host. Returns the id of the monitor Checkout. */
async function addMonitors(owner: TestUser, domain: string): Promise<number> {
  const addMonitor = async (friendly_name: string, url: string) => {
    const { id } = await createMonitor(owner.session, { friendly_name, url })
    await addMonitoredPeriod(server, id, { from: 20 * DAY_SECONDS, to: 10 })
    await setFirstStatus(server, id, 'up')
    return id
  }
  const frontPageId = await addMonitor('Front page', `https://www.${domain}/`)
  await addIncident(server, frontPageId, { from: 3 * DAY_SECONDS, to: 3 * DAY_SECONDS - 7_200 })
  const checkoutId = await addMonitor('Checkout', `https://${domain}/checkout`)
  await addMonitor('Mail', 'https://mail.example.net/')
  return checkoutId
}

/** Writes the same columns as the checker. */
async function setStatus(id: number, status: 'up' | 'down'): Promise<void> {
  const { db } = server.services
  await db.query('update monitor_states set last_error = $2 where monitor_id = $1', [
    id,
    status === 'down' ? 'Status 503, expected 200–399' : null,
  ])
  const now = server.clock.now()
  await db.query('update monitors set status = $2, status_changed_at = $3 where id = $1', [id, status, now])
}

describe('the overview', { timeout: 60_000 }, () => {
  it('shows a website with its visitors and uptime, and its other monitors below', async () => {
    const { page, consoleErrors, externalRequests } = await tab.open(ada)
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.goto('/')
    // Under load, visits are rolled up after the page has loaded. Live updates then show current visitors before those of today.
    await figure(page, 'Visitors now', '2').waitFor(waitOptions)
    await figure(page, 'Visitors today', '2').waitFor(waitOptions)
    await figure(page, 'Up', '3').waitFor()
    expect(await readRowNames(page)).toEqual(['example.com', 'Checkout', 'Mail', 'quiet.example.org'])
    const websiteRow = row(page, 'example.com').first()
    expect(await websiteRow.textContent()).toContain('2 visitors today')
    await websiteRow.getByRole('img', { name: 'Visitors: 3 in 30 days' }).waitFor()
    // 7,200 s of downtime in 20 days
    await websiteRow.getByRole('link', { name: /^Front page: 99\.58% uptime since .*, down on 1 day/ }).waitFor()
    await figure(page, 'Uptime', '99.86%')
      .getByText(/^since /)
      .waitFor()
    const snippetLink = row(page, 'quiet.example.org').getByRole('link', { name: 'Get snippet for quiet.example.org' })
    expect(await snippetLink.getAttribute('href')).toBe('/quiet.example.org')
    await row(page, 'quiet.example.org').getByRole('link', { name: 'Add monitor for quiet.example.org' }).waitFor()

    await page.setViewportSize({ width: 320, height: 800 })
    await websiteRow.locator('.uptime-bars[data-points="30"]').waitFor()
    await expectNoViolations(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')).toBe(
      true,
    )

    // High-contrast mode replaces colours, but still shows the selected filter and the status.
    await page.setViewportSize({ width: 1280, height: 720 })
    onTestFinished(() => page.emulateMedia({ forcedColors: 'none' }))
    await page.emulateMedia({ forcedColors: 'active' })
    const readBackground = (locator: Locator) =>
      locator.evaluate((element) => getComputedStyle(element).backgroundColor)
    const filterButton = (name: string, pressed: boolean) => page.getByRole('button', { name, exact: true, pressed })
    expect(await readBackground(filterButton('All', true))).not.toBe(await readBackground(filterButton('Down', false)))
    const dot = row(page, 'Mail').getByRole('img', { name: 'Up', exact: true })
    expect(await readBackground(dot)).not.toBe(await readBackground(page.locator('.overview-list')))
    await expectNoViolations(page)
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('describes each day by pointer and key, collapses groups, and keeps search and filter in the URL', async () => {
    const { page, consoleErrors } = await tab.open(ada)
    await page.setViewportSize({ width: 1440, height: 900 })
    await openForTest(page, '/')
    const websiteRow = row(page, 'example.com').first()
    await websiteRow.getByRole('img', { name: 'Visitors: 3 in 30 days' }).hover({ position: { x: 1, y: 5 } })
    const tooltip = page.getByRole('tooltip')
    await tooltip.getByText('0 visitors').waitFor()
    // Bars are 4 pixels wide. The front page was down for two hours three days ago.
    await websiteRow.locator('.uptime-bars').hover({ position: { x: 4 * 86 + 1, y: 10 } })
    await tooltip.getByText('1 incident, down for 2 h').waitFor()
    expect(await tooltip.textContent()).toContain('2 Jan 202691.66%')
    expect(await websiteRow.locator('.bar-down').getAttribute('d')).toMatch(/^M344 [^M]*$/)
    await page.mouse.move(0, 0)
    await tooltip.waitFor({ state: 'detached' })

    await page.keyboard.press('j')
    await page.keyboard.press('ArrowLeft')
    await tooltip.getByText('5 Jan 2026, today').waitFor()
    for (let pressCount = 0; pressCount < 3; pressCount++) await page.keyboard.press('ArrowLeft')
    const announcement = page.getByRole('status').getByText('2 Jan 2026, 91.66%, 1 incident, down for 2 h')
    await announcement.waitFor({ state: 'attached' })
    await expectNoViolations(page)
    await page.keyboard.press('Escape')
    await tooltip.waitFor({ state: 'detached' })

    await page.keyboard.press('e')
    await row(page, 'Checkout').waitFor({ state: 'detached' })
    await websiteRow.getByText('+1').waitFor()
    expect(await readFocusedText(page)).toBe('example.com')
    // Search finds hidden monitors.
    await page.keyboard.press('/')
    await page.keyboard.type('check')
    await vi.waitFor(async () => expect(await readRowNames(page)).toEqual(['Checkout']), waitOptions)
    expect(new URL(page.url()).search).toBe('?q=check')
    await page.getByRole('button', { name: 'Websites' }).click()
    await page.getByText('No website or monitor matches “check”.').waitFor()

    await page.reload()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await row(page, 'Mail').waitFor()
    expect(await readRowNames(page)).toEqual(['example.com', 'Mail', 'quiet.example.org'])
    await page.getByRole('button', { name: 'Other monitors of example.com', expanded: false }).click()
    await row(page, 'Checkout').waitFor()
    await page.getByRole('button', { name: 'Down', exact: true }).click()
    await page.getByRole('heading', { name: 'No monitors are down' }).waitFor()
    expect(consoleErrors).toEqual([])
  })

  it('shows live when a monitor goes down and recovers, and announces it', async () => {
    onTestFinished(() => server.clock.reset())
    const owner = await server.createUser('watcher')
    await createSite(owner, 'live.example.org')
    const checkoutId = await addMonitors(owner, 'shop.example.org')
    const { page, consoleErrors } = await tab.open(owner)
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.goto('/')
    await row(page, 'Checkout').waitFor()
    server.clock.advance({ seconds: 30 })
    await setStatus(checkoutId, 'down')
    await figure(page, 'Down', '1').waitFor(waitOptions)
    await figure(page, 'Up', '2').waitFor()
    await row(page, 'Checkout').getByText('Status 503, expected 200–399').waitFor()
    // The bar of today is red while the monitor is down.
    expect(await row(page, 'Checkout').locator('.bar-down').getAttribute('d')).toMatch(/M356 [^M]*$/)
    // Both the announcement and the number of visitors take seconds, so wait for them together.
    await sendView(server, 'live.example.org', '/', { address: '81.2.69.144' })
    await page
      .getByRole('status')
      .getByText('Checkout went down.')
      .waitFor({ state: 'attached', ...waitOptions })
    expect(await page.title()).toBe('1 down · Belfry')
    await expectNoViolations(page)
    await row(page, 'live.example.org').getByText('1 visitor now').waitFor(waitOptions)
    await row(page, 'live.example.org').getByText('1 visitor today').waitFor(waitOptions)

    server.clock.advance({ seconds: 30 })
    await setStatus(checkoutId, 'up')
    await page
      .getByRole('status')
      .getByText('Checkout is back up.')
      .waitFor({ state: 'attached', ...waitOptions })
    expect(consoleErrors).toEqual([])
  })

  it('lets users add a favorite, undo it, list the shortcuts, and turn off letter shortcuts', async () => {
    const owner = await server.createUser('stargazer')
    await addWebsites(owner, 'busy.example.org', 'favorite.example.org')
    const { page } = await tab.open(owner)
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.goto('/')
    const star = page.getByRole('button', { name: 'Favorite: favorite.example.org' })
    await star.focus()
    await page.keyboard.press('Space')
    await page.getByText('favorite.example.org added to favorites.').waitFor()
    expect((await readRowNames(page))[0]).toBe('favorite.example.org')
    expect(await star.getAttribute('aria-pressed')).toBe('true')
    // The row has moved to the top and kept the focus.
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Favorite: favorite.example.org')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('favorite.example.org removed from favorites.').waitFor()
    expect((await readRowNames(page))[0]).toBe('busy.example.org')
    await vi.waitFor(async () => {
      const { body } = await owner.session.get('/api/v1/websites?favorite=true')
      expect(body.data).toEqual([])
    }, waitOptions)

    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.getByLabel('Enable letter and symbol shortcuts').uncheck()
    await expectNoViolations(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await page.keyboard.press('?')
    await page.keyboard.press('/')
    await page.keyboard.press('j')
    expect(await dialog.count()).toBe(0)
    expect(await readFocusedText(page)).not.toBe('busy.example.org')
    await page.getByRole('searchbox').focus()
    await page.keyboard.press('ArrowDown')
    expect(await readFocusedText(page)).toBe('busy.example.org')
  })
})

describe('the overview with more than a thousand monitors', { timeout: 60_000 }, () => {
  const monitorCount = 1_200
  let eve: TestUser

  beforeAll(async () => {
    eve = await server.createUser('eve')
    await server.services.db.query(
      `insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
         remind_every_minutes, status, status_changed_at, search_text, created_at, updated_at)
       select $1, 'Shop ' || n, 'shop-' || n || '.example', 'ping', 60, 2, 5, 0, 'up', now(), 'shop ' || n, now(), now()
         from generate_series(1, $2::int) n`,
      [eve.id, monitorCount],
    )
    await server.services.db.query(
      'insert into monitor_states (user_id, monitor_id) select user_id, id from monitors where user_id = $1 on conflict do nothing',
      [eve.id],
    )
  })

  it('shows the first rows and all figures before the other rows arrive, and restores the position after keyboard navigation', async () => {
    const { page, consoleErrors } = await tab.open(eve)
    // In a low window, the test needs fewer keys to reach rows that are not rendered yet.
    await page.setViewportSize({ width: 1280, height: 300 })
    const gate = Promise.withResolvers<void>()
    const requestOfAllRows = /\/api\/overview\?(?!.*limit=)/
    onTestFinished(() => page.unroute(requestOfAllRows))
    await page.route(requestOfAllRows, async (route) => {
      await gate.promise
      await route.continue()
    })
    await page.goto('/')
    await row(page, 'Shop 1').first().waitFor()
    await figure(page, 'Up', '1,200').waitFor()
    await figure(page, 'Uptime', '…').waitFor()
    const names = await readRowNames(page)
    await page.getByRole('searchbox').fill('shop 1199')
    await page.getByText('Loading more websites and monitors…').waitFor({ state: 'attached' })
    gate.resolve()
    await row(page, 'Shop 1199').waitFor(waitOptions)
    await page.getByRole('searchbox').fill('')
    await vi.waitFor(async () => expect(await readRowNames(page)).toEqual(names), waitOptions)
    await figure(page, 'Up', '1,200').waitFor()

    await page.getByRole('searchbox').blur()
    // Only a few rows are rendered, so the keys below also reach rows that are not rendered yet.
    expect(await rowsOf(page).count()).toBeLessThan(15)
    await page.keyboard.press('j')
    expect(await readFocusedText(page)).toBe('Shop 1')
    for (let pressCount = 0; pressCount < 15; pressCount++) await page.keyboard.press('ArrowDown')
    await vi.waitFor(async () => expect(await readFocusedText(page)).toBe('Shop 16'), waitOptions)
    await page.keyboard.press('k')
    await vi.waitFor(async () => expect(await readFocusedText(page)).toBe('Shop 15'), waitOptions)
    await page.keyboard.press('End')
    await vi.waitFor(async () => expect(await readFocusedText(page)).toBe('Shop 1200'), waitOptions)
    await page.keyboard.press('ArrowDown')
    expect(await readFocusedText(page)).toBe('Shop 1200')

    // Scrolling away keeps the focus.
    await page.evaluate('scrollTo(0, 20_000)')
    await row(page, 'Shop 390').first().waitFor()
    expect(await readFocusedText(page)).toBe('Shop 1200')
    await page.keyboard.press('Home')
    await vi.waitFor(async () => expect(await readFocusedText(page)).toBe('Shop 1'), waitOptions)
    expect(await page.evaluate('scrollY')).toBeLessThan(400)

    for (let pressCount = 0; pressCount < 8; pressCount++) await page.keyboard.press('j')
    await vi.waitFor(async () => expect(await readFocusedText(page)).toBe('Shop 9'), waitOptions)
    const scrollBefore = await page.evaluate('scrollY')
    expect(scrollBefore).toBeGreaterThan(0)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/monitors\/\d+$/)
    await vi.waitFor(async () => expect(await page.evaluate('scrollY')).toBe(0), waitOptions)
    await page.goBack()
    await row(page, 'Shop 9').first().waitFor()
    await vi.waitFor(async () => expect(await page.evaluate('scrollY')).toBe(scrollBefore), waitOptions)
    await vi.waitFor(async () => expect(await readFocusedText(page)).toBe('Shop 9'), waitOptions)
    // Opening the overview through a link restores neither the focused row nor the scroll position.
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/monitors\/\d+$/)
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click()
    await row(page, 'Shop 1').first().waitFor()
    expect(await readFocusedText(page)).toBe('Overview')
    expect(consoleErrors).toEqual([])
  })
})
