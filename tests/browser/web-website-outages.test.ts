/** Outages on the statistics page of a website: how long they lasted, and how many visits they cost. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { measureIncident } from '../../src/impact/measure.ts'
import { HOUR_MS } from '../../src/shared/time.ts'
import { openBrowser, overflowsSideways, type TestBrowser } from '../support/browser.ts'
import { addIncident, addMonitoredPeriod, createMonitor } from '../support/monitors.ts'
import { openInApp } from '../support/open-in-app.ts'
import { insertPastVisits } from '../support/past-visits.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite } from '../support/traffic.ts'
import { WebsitePages } from '../support/website-page.ts'

vi.setConfig({ testTimeout: 120_000 })

const HOUR_SECONDS = 3_600
const DAY_SECONDS = 86_400
/** Two outages, in hours before now: on 3 January from 16:00 to 22:00, and on 1 January from 10:00 to 11:00. */
const outages = [
  { from: 42, to: 36 },
  { from: 96, to: 95 },
]

let server: TestServer
let browser: TestBrowser
let pages: WebsitePages
let owner: TestUser

beforeAll(async () => {
  ;[server, browser] = await Promise.all([startTestServer(), openBrowser()])
  pages = new WebsitePages(server, browser)
  owner = await server.createUser('owner')
  const websiteId = await createSite(owner, 'example.com', { time_zone: 'UTC', privacy: 0 })
  const { id: monitorId } = await createMonitor(owner.session, { friendly_name: 'Shop', url: 'https://example.com/' })
  await addMonitoredPeriod(server, monitorId, { from: 20 * DAY_SECONDS })
  const { clock } = server
  const { db, rollup } = server.services
  const isDown = (at: number) =>
    outages.some(({ from, to }) => {
      const hoursAgo = (clock.now().getTime() - at) / HOUR_MS
      return hoursAgo <= from && hoursAgo > to
    })
  await insertPastVisits(db, websiteId, { days: 63, to: clock.now(), countAt: (at) => (isDown(at) ? 0 : 2) })
  for (const { from, to } of outages) {
    const incidentId = await addIncident(server, monitorId, { from: from * HOUR_SECONDS, to: to * HOUR_SECONDS })
    await measureIncident({ db, clock, rollup }, { userId: owner.id, monitorId, incidentId })
  }
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

describe('the statistics of a website', () => {
  it('add up the outages of the period, and say in the chart what each outage cost', async () => {
    const { page, consoleErrors } = await pages.open('/example.com?period=7d', owner)
    // The website usually has 24 visits an hour.
    await page.getByText(/^2 outages, 7h in total, about 168 visits missed \(\d+ to \d+\)$/).waitFor()
    await page.locator('.line-chart-band').nth(1).waitFor()
    await page.locator('.line-chart-surface').focus()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    const tooltip = await page.locator('.line-chart-tooltip').innerText()
    expect(tooltip).toMatch(/Shop was down\s+Timeout, 3 Jan, 16:00, for 6h\. About 144 visits missed \(\d+ to \d+\)/)
    await page.getByText('View as table').click()
    await page.getByRole('cell', { name: /Timeout, 1 Jan, 10:00, for 1h\. About 24 visits missed/ }).waitFor()

    await pages.open('/example.com?from=2026-01-01&to=2026-01-01', owner)
    await page.getByText(/^1 outage, 1h, about 24 visits missed/).waitFor()
    const outagesResponse = page.waitForResponse(/\/outages\?from=2025-12-01/)
    await pages.open('/example.com?from=2025-12-01&to=2025-12-10', owner)
    expect((await (await outagesResponse).json()).data.outages).toBe(0)
    await page.getByRole('img', { name: /^Visitors per day/ }).waitFor()
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    expect(await page.locator('.website-outages').count()).toBe(0)
    expect(consoleErrors).toEqual([])
  })

  it('show the sum of outages on a phone', async () => {
    const { page } = await pages.open('/example.com', owner, { width: 390, height: 844 })
    await page.getByText(/^2 outages/).waitFor()
    expect(await overflowsSideways(page)).toBe(false)
  })

  it("don't show the sum of outages of more than a year", async () => {
    const { page, consoleErrors } = await pages.open('/keys', owner)
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await openInApp(page, '/example.com?from=2024-06-01&to=2026-01-05')
    await page.getByRole('img', { name: /^Visitors per/ }).waitFor()
    expect(requests.filter((url) => url.includes('/outages'))).toEqual([])
    expect(consoleErrors).toEqual([])
  })

  it("don't show the sum of outages to guests", async () => {
    const { page, consoleErrors } = await pages.visit('/robots.txt')
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.goto('/example.com')
    await page.getByRole('img', { name: /^Visitors per/ }).waitFor()
    expect(requests.filter((url) => url.includes('/outages'))).toEqual([])
    expect(consoleErrors).toEqual([])
  })
})
