import { readFile } from 'node:fs/promises'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { expectNoViolations } from '../support/axe.ts'
import { type OpenedPage, openBrowser, openPage, type TestBrowser } from '../support/browser.ts'
import { createEventAt } from '../support/inbox-events.ts'
import { addIncident, addWatch, createMonitor } from '../support/monitors.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, sendView } from '../support/traffic.ts'

let server: TestServer
let browser: TestBrowser
let owner: TestUser
const contexts: BrowserContext[] = []

const hostilePath = `/<img src=x onerror="document.title='broken'">${'x'.repeat(300)}`
const password = 'open sesame'

beforeAll(async () => {
  ;[server, browser] = await Promise.all([startTestServer({ env: { BELFRY_ROLES: 'web,worker' } }), openBrowser()])
  owner = await server.createUser('owner')
  const [publicId, lockedId] = [
    await createSite(owner, 'example.com', { time_zone: 'Europe/Berlin' }),
    await createSite(owner, 'locked.example.com', { privacy: 2, password }),
  ]
  await createSite(owner, 'private.example.com', { privacy: 1 })
  const createEventToday = (id: number, visitor: number, fields: object) =>
    createEventAt(id, '2026-01-05T09:57:00Z', { visitor, hour: 10, ...fields })
  await insertBatch(server.services.db, [
    createEventToday(publicId, 1, { page: '/pricing', country: 'DE', browser: 'Firefox' }),
    createEventToday(publicId, 2, { page: '/pricing', country: 'FR', browser: 'Chrome', source: 'Google' }),
    createEventToday(publicId, 2, { page: hostilePath, country: 'FR', browser: 'Chrome', source: hostilePath }),
    createEventToday(publicId, 2, { kind: 'custom', name: 'signup', country: 'FR', browser: 'Chrome' }),
    createEventAt(publicId, '2026-01-02T12:00:00Z', { visitor: 3, page: '/*', country: 'DE', browser: 'Firefox' }),
    createEventAt(publicId, '2025-12-01T12:00:00Z', { visitor: 4, page: '/pricing', country: 'DE' }),
    createEventToday(lockedId, 1, { page: '/inside' }),
  ])
  const { id: monitorId } = await createMonitor(owner.session, {
    friendly_name: 'Shop',
    url: 'https://www.example.com/',
  })
  await addWatch(server, monitorId, { from: 10 * 86_400 })
  // The incident starts at 23:30 on 3 January in the website's time zone.
  await addIncident(server, monitorId, { from: 35.5 * 3_600, to: 34.5 * 3_600 })
})
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close()
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

/** Opens a page whose clock shows the time of the test server. */
async function visit(path: string, person?: TestUser, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'America/New_York', ...options })
  contexts.push(context)
  context.setDefaultTimeout(30_000)
  if (person !== undefined) {
    const value = person.session.credentials.cookie as string
    await context.addCookies([{ name: 'belfry_session', value, url: server.address }])
  }
  const openedPage = await openPage(context, server.address)
  await openedPage.page.clock.setFixedTime(server.clock.now())
  await openedPage.page.goto(server.address + path)
  return openedPage
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const waitForVisitors = (page: Page, count: number) => button(page, new RegExp(`^Visitors ${count}\\b`)).waitFor()

const scrollsSideways = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

describe('the page of a website', { timeout: 60_000 }, () => {
  it('shows its owner the figures, and filters by a clicked row until the owner goes back', async () => {
    const { page, externalRequests, consoleErrors } = await visit('/example.com', owner)
    await waitForVisitors(page, 3)
    await page.getByText("Today's data is incomplete").waitFor()
    await page.getByRole('heading', { level: 1, name: 'example.com' }).waitFor()
    await page.getByRole('link', { name: 'Settings' }).waitFor()

    await button(page, /^Germany 2 visitors, 66.7%/).click()
    await waitForVisitors(page, 2)
    expect(new URL(page.url()).searchParams.getAll('filter')).toEqual(['country:DE'])
    await button(page, /^Firefox 2 visitors, 100%/).click()
    await page.waitForURL(/filter=browser/)
    await button(page, 'Clear all').waitFor()
    await page.getByText('No data matches these filters').first().waitFor()
    await page.goBack()
    await page.goBack()
    await waitForVisitors(page, 3)
    expect(new URL(page.url()).search).toBe('')

    // An asterisk in a value is literal.
    await button(page, /^\/\* 1 page view/).click()
    await waitForVisitors(page, 1)
    await button(page, 'Remove filter Page: /*').click()
    await waitForVisitors(page, 3)
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Period')
    expect(externalRequests).toEqual([])
    expect(consoleErrors).toEqual([])
  })

  it('keeps period and comparison in the URL and over a reload', async () => {
    const { page, consoleErrors } = await visit('/example.com', owner)
    await waitForVisitors(page, 3)
    await page.getByLabel('Period').selectOption('Today')
    await waitForVisitors(page, 2)
    // An unfinished day isn't compared with a whole day.
    await button(page, 'Visitors 2 so far').waitFor()
    await button(page, 'Campaigns').click()
    await page.getByText('No data for this day').waitFor()
    await page.getByRole('button', { name: 'Compare', exact: true }).click()
    await page.waitForURL(/period=today&compare=previous/)
    await page.reload()
    await waitForVisitors(page, 2)
    await button(page, /^Page views 3 .* Previously 0$/).click()
    await page.getByRole('img', { name: /^Page views per hour, 5 Jan 2026: 3 in total, peak of 3 at 10:00$/ }).waitFor()
    await page.getByText('Previous period').first().waitFor()

    await page.getByLabel('Period').selectOption('Custom range')
    await page.getByLabel('From').fill('2025-12-01')
    await page.getByLabel('To', { exact: true }).fill('2025-12-31')
    await button(page, 'Apply').click()
    await waitForVisitors(page, 1)
    expect(new URL(page.url()).searchParams.get('from')).toBe('2025-12-01')
    expect(await page.getByText("Today's data is incomplete").count()).toBe(0)
    expect(consoleErrors).toEqual([])
  })

  it('shows when a monitor was down, by days in the time zone of the website', async () => {
    const { page } = await visit('/example.com?period=7d', owner)
    await page.getByRole('list', { name: 'Monitors for this website' }).getByRole('link', { name: /Shop/ }).waitFor()
    await page.getByText('View as table').click()
    await page.getByRole('row', { name: /3 January 2026 0 Shop was down$/ }).waitFor()
    await page.getByRole('row', { name: /4 January 2026 0 Shop was down$/ }).waitFor()
    expect(await page.getByRole('row', { name: /was down/ }).count()).toBe(2)
  })

  it('shows countries on a map, where a click filters as in the list', async () => {
    const { page, externalRequests, consoleErrors } = await visit('/example.com', owner)
    await button(page, 'Map').click()
    await page.getByRole('img', { name: 'Map of visitors from 2 countries' }).waitFor()
    await page.getByText('View as table').click()
    await expectNoViolations(page)
    await page.locator('.world-map-5').first().click()
    await page.waitForURL(/filter=country%3ADE/)
    await waitForVisitors(page, 2)
    expect([...externalRequests, ...consoleErrors]).toEqual([])
  })

  it('shows all rows of a panel, searches them by displayed name and downloads CSV', async () => {
    const { page, consoleErrors } = await visit('/example.com', owner)
    await button(page, 'View all countries').click()
    const dialog = page.getByRole('dialog', { name: 'Countries' })
    await dialog.getByText('1–2 of 2').waitFor()
    await dialog.getByLabel('Search').fill('germ')
    await dialog.getByText('1–1 of 1').waitFor()
    await expectNoViolations(page)
    await dialog.getByRole('button', { name: 'Close' }).click()

    await button(page, 'View all pages').click()
    const download = page.waitForEvent('download')
    await button(page, 'Download CSV').click()
    const file = await download
    expect(file.suggestedFilename()).toBe('example.com-page-2025-12-07-2026-01-05.csv')
    expect(await readFile(await file.path(), 'utf8')).toMatch(/^page,count\r\n\/pricing,2\r\n/)
    await page.getByRole('dialog').getByLabel('Search').fill('PRIC')
    await page.getByRole('dialog').getByText('1–1 of 1').waitFor()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^\/pricing/ })
      .click()
    await waitForVisitors(page, 2)
    expect(consoleErrors).toEqual([])
  })

  it('updates live with new visits, including the first', async () => {
    await createSite(owner, 'new.example.com')
    const { page, consoleErrors } = await visit('/new.example.com', owner)
    await page.getByText('Waiting for the first visit…').waitFor()
    await page.getByText(`<script defer src="${server.address}/b.js" data-domain="new.example.com"></script>`).waitFor()
    await expectNoViolations(page)
    await sendView(server, 'new.example.com', '/one')
    await waitForVisitors(page, 1)
    await page.getByText('1 visitor now').waitFor()
    await sendView(server, 'new.example.com', '/two', { browser: 'safari' })
    await waitForVisitors(page, 2)
    await page.getByText('2 visitors now').waitFor()
    expect(consoleErrors).toEqual([])
  })

  it("is public, hides the owner's controls from visitors and fits a phone", async () => {
    const { page, externalRequests, consoleErrors } = await visit('/example.com', undefined, {
      viewport: { width: 360, height: 800 },
    })
    await waitForVisitors(page, 3)
    expect(await page.getByRole('navigation').count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Settings' }).count()).toBe(0)
    expect(await page.getByRole('list', { name: 'Monitors for this website' }).count()).toBe(0)
    await page.getByText(hostilePath).first().waitFor()
    await button(page, /^\/<img/)
      .first()
      .click()
    await waitForVisitors(page, 1)
    expect(await page.title()).toBe('example.com · Belfry')
    expect(await scrollsSideways(page)).toBe(false)
    expect([...externalRequests, ...consoleErrors]).toEqual([])
  })

  it('unlocks with its password by keyboard, and stays unlocked', async () => {
    const { page } = await visit('/locked.example.com')
    await page.getByLabel('Password').waitFor()
    await expectNoViolations(page)
    await page.keyboard.type('wrong')
    await page.keyboard.press('Enter')
    await page.getByText('Incorrect password.').waitFor()
    expect(await page.getByRole('heading', { name: 'Pages' }).count()).toBe(0)
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await waitForVisitors(page, 1)
    await button(page, /^\/inside/).waitFor()
    await page.reload()
    await waitForVisitors(page, 1)
  })

  it('looks the same for private and unknown websites', async () => {
    const { page } = await visit('/private.example.com')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    const privatePageText = await page.locator('body').innerText()
    await page.goto(`${server.address}/unknown.example.com`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    expect(await page.locator('body').innerText()).toBe(privatePageText)
    const { page: ownerPage } = await visit('/private.example.com', owner)
    await ownerPage.getByText('Waiting for the first visit…').waitFor()
  })
})
