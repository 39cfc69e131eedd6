import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { openBrowser, overflowsSideways, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { createEventAt } from '../support/inbox-events.ts'
import { addIncident, addMonitoredPeriod, createMonitor } from '../support/monitors.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, sendView } from '../support/traffic.ts'
import { chooseInMenu, findButton, WebsitePages, waitForVisitors } from '../support/website-page.ts'

let server: TestServer
let browser: TestBrowser
let pages: WebsitePages
let owner: TestUser

const hostilePath = `/<img src=x onerror="document.title='broken'">${'x'.repeat(300)}`
const password = 'open sesame'
/** With the three other pages of the website, there are more pages than a panel shows. */
const blogPages = Array.from({ length: 9 }, (_, n) => `/blog/${n + 1}`)

beforeAll(async () => {
  ;[server, browser] = await Promise.all([startTestServer({ env: { BELFRY_ROLES: 'web,worker' } }), openBrowser()])
  pages = new WebsitePages(server, browser)
  owner = await server.createUser('owner')
  const [publicId, lockedId] = [
    await createSite(owner, 'example.com', { time_zone: 'Europe/Berlin' }),
    await createSite(owner, 'locked.example.com', { privacy: 2, password }),
  ]
  await createSite(owner, 'private.example.com', { privacy: 1 })
  await createSite(owner, 'new.example.com')
  const munich = { source: 'xn--mnchen-3ya.example', referrer: 'xn--mnchen-3ya.example/blog' }
  const createEventToday = (id: number, visitor: number, fields: object) =>
    createEventAt(id, '2026-01-05T09:57:00Z', { visitor, hour: 10, ...fields })
  await insertBatch(server.services.db, [
    ...['/pricing', ...blogPages].map((page) =>
      createEventToday(publicId, 1, { page, country: 'DE', browser: 'Firefox', region: 'DE-BY' }),
    ),
    createEventToday(publicId, 2, { page: '/pricing', country: 'FR', browser: 'Chrome', ...munich }),
    ...[hostilePath, hostilePath].map((page) =>
      createEventToday(publicId, 2, { page, country: 'FR', browser: 'Chrome', source: hostilePath }),
    ),
    createEventToday(publicId, 2, { kind: 'custom', name: 'signup', country: 'FR', browser: 'Chrome' }),
    ...['/*', '/*'].map((page) =>
      createEventAt(publicId, '2026-01-02T12:00:00Z', { visitor: 3, page, country: 'DE', browser: 'Firefox' }),
    ),
    createEventAt(publicId, '2025-12-01T12:00:00Z', { visitor: 4, page: '/pricing', country: 'DE' }),
    createEventToday(lockedId, 1, { page: '/inside' }),
  ])
  const monitor = { friendly_name: 'Shop', url: 'https://www.example.com/' }
  const { id: monitorId } = await createMonitor(owner.session, monitor)
  await addMonitoredPeriod(server, monitorId, { from: 10 * 86_400 })
  await addIncident(server, monitorId, { from: 42 * 3_600, to: 36 * 3_600 })
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

/** Reads how far the content moved while the page loaded (Cumulative Layout Shift). Less than 0.1 counts as good. */
const readLayoutShift = (page: Page) =>
  page.evaluate(`(() => {
    const observer = new PerformanceObserver(() => {})
    observer.observe({ type: 'layout-shift', buffered: true })
    return observer.takeRecords().reduce((sum, { value }) => sum + value, 0)
  })()`)

describe('the page of a website', { timeout: 60_000 }, () => {
  it('shows its owner the figures, the monitors and a link to the settings', async () => {
    const { page, externalRequests, consoleErrors } = await pages.open('/example.com', owner)
    await waitForVisitors(page, 3)
    await page
      .getByText(
        '7 Dec 2025 – 5 Jan 2026 compared with the same weekdays, 2 Nov – 1 Dec 2025, which has data since 1 Dec 2025',
      )
      .waitFor()
    await page.getByRole('heading', { level: 1, name: 'example.com' }).waitFor()
    await page.getByRole('list', { name: 'Monitors for this website' }).getByRole('link', { name: /Shop/ }).waitFor()
    await page.getByRole('link', { name: 'Settings' }).waitFor()
    await findButton(page, /^Events 1/).click()
    await page.getByRole('img', { name: /^Events per day, .*: 1 in total, peak of 1/ }).waitFor()
    expect([...externalRequests, ...consoleErrors]).toEqual([])
  })

  it('filters by a clicked row until the owner goes back', async () => {
    const { page, consoleErrors } = await pages.open('/example.com', owner)
    await findButton(page, /^Germany 2 visitors, 66.7%/).click()
    await waitForVisitors(page, 2)
    expect(new URL(page.url()).searchParams.getAll('filter')).toEqual(['country:DE'])
    await findButton(page, /^Firefox 2 visitors, 100%/).click()
    await page.waitForURL(/filter=browser/)
    await findButton(page, 'Clear all').waitFor()
    await page.getByText('No data matches these filters').first().waitFor()
    await page.goBack()
    await page.goBack()
    await waitForVisitors(page, 3)
    expect(new URL(page.url()).search).toBe('')
    expect(consoleErrors).toEqual([])
  })

  it('filters by a value that contains an asterisk until the filter is removed', async () => {
    const { page, consoleErrors } = await pages.open('/example.com', owner)
    await findButton(page, /^\/\* 2 page views/).click()
    await waitForVisitors(page, 1)
    await findButton(page, 'Remove filter Page: /*').click()
    await waitForVisitors(page, 3)
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Period: Last 30 days')
    expect(consoleErrors).toEqual([])
  })

  // The stored values are `xn--mnchen-3ya.example/blog` and `DE-BY`.
  it('shows names that people can read instead of the stored values', async () => {
    const { page, externalRequests, consoleErrors } = await pages.open('/example.com', owner)
    await findButton(page, 'Referrers').click()
    await findButton(page, /^münchen\.example\/blog 1 visitor/).waitFor()
    await findButton(page, 'Regions').click()
    await findButton(page, /^Bavaria 1 visitor/).waitFor()
    expect([...externalRequests, ...consoleErrors]).toEqual([])
  })

  it('keeps period and comparison in the URL and over a reload', async () => {
    const { page, consoleErrors } = await pages.open('/example.com', owner)
    await waitForVisitors(page, 3)
    await chooseInMenu(page, /^Period/, 'Today')
    await waitForVisitors(page, 2)
    await findButton(page, 'Campaigns').click()
    await page.getByText('No data for this day').waitFor()
    await chooseInMenu(page, /^Comparison/, 'Year over year')
    await page.getByText('5 Jan 2026 compared with the same weekday, 6 Jan 2025, which has no data').waitFor()
    await chooseInMenu(page, /^Comparison/, 'Match day of week')
    await page.waitForURL(/\?period=today&compare=year&match_weekday=false$/)
    await page.getByText('5 Jan 2026 compared with 5 Jan 2025, which has no data').waitFor()
    await page.reload()
    await waitForVisitors(page, 2)
    await chooseInMenu(page, /^Comparison/, 'No comparison')
    await page.waitForURL(/\?period=today&compare=off/)
    expect(consoleErrors).toEqual([])
  })

  it('has a keyboard shortcut for each period, except while the user is typing', async () => {
    const { page, consoleErrors } = await pages.open('/example.com?period=today&compare=off', owner)
    await waitForVisitors(page, 2)
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: 'Custom range' })
    await dialog.getByLabel('From').fill('2025-12-01')
    await dialog.getByLabel('To', { exact: true }).fill('2025-12-31')
    await page.keyboard.press('m')
    await findButton(page, 'Apply').click()
    await waitForVisitors(page, 1)
    expect(new URL(page.url()).searchParams.get('from')).toBe('2025-12-01')
    await page.keyboard.press('a')
    await page.waitForURL(/\?period=all/)
    await waitForVisitors(page, 4)
    await page.getByText('1 Dec 2025 – 5 Jan 2026', { exact: true }).waitFor()
    expect(consoleErrors).toEqual([])
  })

  it('shows countries on a map, where a click filters as in the list', async () => {
    const { page, externalRequests, consoleErrors } = await pages.open('/example.com?compare=year', owner)
    // If the bar at the top covers part of a row, axe reports that the row is too small to click. In a window as high as the page,
    // the bar covers none.
    await page.setViewportSize({ width: 1280, height: 2400 })
    // The accessibility check below covers an empty panel, a comparison without data, and an outage, too.
    await findButton(page, 'Campaigns').click()
    await page.getByText('No data for this period').waitFor()
    await page.getByText(/compared with .*, which has no data$/).waitFor()
    await page.getByText(/^1 outage, 6 h/).waitFor()
    await findButton(page, 'Map').click()
    await page.getByRole('img', { name: 'Map of visitors from 2 countries' }).waitFor()
    await page.locator('path.world-map-5').first().hover()
    await page.getByRole('tooltip').getByText('Germany').waitFor()
    await page.getByRole('tooltip').getByText('2 visitors (66.7%)').waitFor()
    await expectNoViolations(page)
    await page.locator('path.world-map-5').first().click()
    await page.waitForURL(/filter=country%3ADE/)
    await waitForVisitors(page, 2)
    expect([...externalRequests, ...consoleErrors]).toEqual([])
  })

  it('shows all rows of a panel, searches them and downloads CSV', async () => {
    const { page, consoleErrors } = await pages.open('/example.com', owner)
    await waitForVisitors(page, 3)
    const download = page.waitForEvent('download')
    await findButton(page, 'Download countries as CSV').click()
    expect((await download).suggestedFilename()).toBe('example.com-country-2025-12-07-2026-01-05.csv')

    await findButton(page, 'View all pages').click()
    const dialog = page.getByRole('dialog', { name: 'Pages' })
    await dialog.getByText('1–12 of 12').waitFor()
    const readCells = async (value: RegExp) =>
      dialog
        .getByRole('row')
        .filter({ has: page.getByRole('button', { name: value }) })
        .getByRole('cell')
        .allTextContents()
    expect(await dialog.getByRole('columnheader').allTextContents()).toEqual([
      'Page',
      'Visitors',
      'Page views',
      'Bounce rate',
      'Visit duration',
    ])
    expect(await readCells(/^\/pricing/)).toEqual(['2', '2', '0%', '0 s'])
    await dialog.getByRole('button', { name: 'Visitors' }).click()
    await dialog.getByRole('columnheader', { name: 'Visitors' }).and(page.locator('[aria-sort=descending]')).waitFor()
    await dialog.getByLabel('Search').fill('PRIC')
    await dialog.getByText('1–1 of 1').waitFor()
    await expectNoViolations(page)
    await dialog.getByLabel('Search').fill('')
    await dialog.getByText('1–12 of 12').waitFor()
    const pagesDownload = page.waitForEvent('download')
    await findButton(page, 'Download CSV').click()
    const file = await pagesDownload
    expect(file.suggestedFilename()).toBe('example.com-page-2025-12-07-2026-01-05.csv')
    expect(await readFile(await file.path(), 'utf8')).toMatch(
      /^page,count,visitors,visits,pageviews,bounce_rate,visit_duration\r\n\/pricing,2,2,2,2,0,0\r\n/,
    )
    await dialog.getByRole('button', { name: /^\/pricing/ }).click()
    await waitForVisitors(page, 2)
    expect(consoleErrors).toEqual([])
  })

  it('shows the conversion rate of a filtered event instead of a bounce rate', async () => {
    const { page } = await pages.open('/example.com?filter=event:signup', owner)
    await waitForVisitors(page, 1)
    // The rate needs the number of all visitors, which the page requests separately.
    await page.getByText('Conversion rate').waitFor()
    const figures = await page.locator('.website-figure').allInnerTexts()
    expect(figures.map((text) => text.split('\n').slice(0, 2))).toEqual([
      ['Visitors', '1'],
      ['Visits', '1'],
      ['Page views', '3'],
      ['Views per visit', '3'],
      ['Visit duration', '0 s'],
      ['Events', '1'],
      ['Conversion rate', '33.3%'],
    ])
  })

  it('updates live with new visits, including the first visit', async () => {
    const { page, consoleErrors } = await pages.open('/new.example.com', owner)
    await page.getByText('Waiting for the first visit…').waitFor()
    await page.getByText(`<script defer src="${server.address}/b.js" data-domain="new.example.com"></script>`).waitFor()
    await sendView(server, 'new.example.com', '/one')
    await waitForVisitors(page, 1)
    await page.getByText('1 visitor now').waitFor()
    await sendView(server, 'new.example.com', '/two', { browser: 'safari' })
    await waitForVisitors(page, 2)
    await page.getByText('2 visitors now').waitFor()
    expect(consoleErrors).toEqual([])
  })

  it('of a private website is visible to its owner', async () => {
    const { page } = await pages.open('/private.example.com', owner)
    await page.getByText('Waiting for the first visit…').waitFor()
  })

  it("of a public website hides the owner's controls from visitors, and fits a phone", async () => {
    const { page, externalRequests, consoleErrors } = await pages.visit('/example.com', undefined, {
      width: 320,
      height: 640,
    })
    await waitForVisitors(page, 3)
    expect(await readLayoutShift(page)).toBeLessThan(0.02)
    expect(await overflowsSideways(page)).toBe(false)
    expect(await page.getByRole('navigation').count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Settings' }).count()).toBe(0)
    expect(await page.getByRole('list', { name: 'Monitors for this website' }).count()).toBe(0)
    await page.getByText(hostilePath).first().waitFor()
    await findButton(page, /^\/<img/)
      .first()
      .click()
    await waitForVisitors(page, 1)
    expect(await page.title()).toBe('example.com · Belfry')
    expect(await overflowsSideways(page)).toBe(false)
    expect([...externalRequests, ...consoleErrors]).toEqual([])
  })

  it('unlocks with its password by keyboard, and stays unlocked', async () => {
    const { page } = await pages.visit('/locked.example.com')
    await page.getByLabel('Password').waitFor()
    await expectNoViolations(page)
    await page.keyboard.type('wrong')
    await page.keyboard.press('Enter')
    await page.getByText('Incorrect password.').waitFor()
    expect(await page.getByRole('heading', { name: 'Pages' }).count()).toBe(0)
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await waitForVisitors(page, 1)
    await findButton(page, /^\/inside/).waitFor()
    await page.reload()
    await waitForVisitors(page, 1)
  })

  it('looks the same for private and unknown websites', async () => {
    const { page } = await pages.visit('/private.example.com')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    const privatePageText = await page.locator('body').innerText()
    await page.goto('/unknown.example.com')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    expect(await page.locator('body').innerText()).toBe(privatePageText)
  })
})
