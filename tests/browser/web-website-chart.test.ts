/** The chart of a website, and its outages: how long they lasted, and how many visits they cost. */
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { measureIncident } from '../../src/impact/measure.ts'
import { DAY_SECONDS, HOUR_MS } from '../../src/shared/time.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import type { StatisticsRow } from '../../src/traffic/stats/schema.ts'
import { openBrowser, overflowsSideways, type TestBrowser } from '../support/browser.ts'
import { createEventAt } from '../support/inbox-events.ts'
import { addIncident, addMonitoredPeriod, createMonitor } from '../support/monitors.ts'
import { openInApp } from '../support/open-in-app.ts'
import { insertPastVisits } from '../support/past-visits.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, fetchOverview } from '../support/traffic.ts'
import { findButton, WebsitePages, waitForVisitors } from '../support/website-page.ts'

const HOUR_SECONDS = 3_600

let server: TestServer
let browser: TestBrowser
let pages: WebsitePages
let owner: TestUser
let websiteId: number
let monitorId: number
let incidentId: number

beforeAll(async () => {
  ;[server, browser] = await Promise.all([startTestServer(), openBrowser()])
  pages = new WebsitePages(server, browser)
  owner = await server.createUser('owner')
  websiteId = await createSite(owner, 'example.com')
  // Each day has a different number of visits, and today has two more just after midnight.
  const events = Array.from({ length: 40 }, (_, daysAgo) => {
    const day = new Date(Date.parse('2026-01-05T08:20:00Z') - daysAgo * 86_400_000).toISOString()
    return Array.from({ length: 1 + ((daysAgo * 7) % 11) }, (_, visitor) =>
      createEventAt(websiteId, day, { visitor: visitor + 1, page: `/${visitor}` }),
    )
  }).flat()
  const nightEvents = [21, 22].map((visitor) => createEventAt(websiteId, '2026-01-05T00:02:00Z', { visitor }))
  await insertBatch(server.services.db, [...events, ...nightEvents])
  const monitor = await createMonitor(owner.session, { friendly_name: 'Shop', url: 'https://example.com/' })
  monitorId = monitor.id
  await addMonitoredPeriod(server, monitorId, { from: 10 * 86_400 })
  // The incident lasted from 16:00 to 22:00 on 3 January.
  incidentId = await addIncident(server, monitorId, { from: 42 * 3_600, to: 36 * 3_600, cause: 'timeout' })
  await storeMissedVisits()
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

/** Two outages, in hours before now: on 3 January from 16:00 to 22:00, and on 1 January from 10:00 to 11:00. */
const outages = [
  { from: 42, to: 36 },
  { from: 96, to: 95 },
]

/** Stores nine weeks of visits to missed.example, and measures how many visits its outages cost. */
async function storeMissedVisits(): Promise<void> {
  const domain = 'missed.example'
  const missedWebsiteId = await createSite(owner, domain, { time_zone: 'UTC', privacy: 0 })
  const monitor = await createMonitor(owner.session, { friendly_name: 'Shop', url: `https://${domain}/` })
  await addMonitoredPeriod(server, monitor.id, { from: 20 * DAY_SECONDS })
  const { clock } = server
  const { db, rollup } = server.services
  const isDown = (at: number) =>
    outages.some(({ from, to }) => {
      const hoursAgo = (clock.now().getTime() - at) / HOUR_MS
      return hoursAgo <= from && hoursAgo > to
    })
  await insertPastVisits(db, missedWebsiteId, { days: 63, to: clock.now(), countAt: (at) => (isDown(at) ? 0 : 2) })
  for (const { from, to } of outages) {
    const outage = { from: from * HOUR_SECONDS, to: to * HOUR_SECONDS }
    const missedIncidentId = await addIncident(server, monitor.id, outage)
    const incident = { teamId: owner.id, monitorId: monitor.id, incidentId: missedIncidentId }
    await measureIncident({ db, clock, rollup }, incident)
  }
}

const getSurface = (page: Page) => page.locator('.line-chart-surface')
const readTooltip = async (page: Page) => (await page.locator('.line-chart-tooltip').innerText()).split('\n')

async function getBox(element: Locator) {
  const box = await element.boundingBox()
  if (box === null) throw new Error('The element is not visible.')
  return box
}

const waitForChart = (page: Page, name: RegExp) => page.getByRole('img', { name }).waitFor()

describe('the chart of a website', { timeout: 60_000 }, () => {
  it('shows the values of the API, the current day as a dashed line, and outages in proportion to their duration', async () => {
    const { page, consoleErrors } = await pages.open('/example.com?period=7d', owner)
    await waitForChart(page, /^Visitors per day, 30 Dec 2025 – 5 Jan 2026/)
    const query = 'from=2025-12-30&to=2026-01-05&interval=day&compare=previous'
    const { series, previous, change } = await fetchOverview(owner.session, websiteId, query)
    const formatDate = (day: string) => `${Number(day.slice(8))} ${day.startsWith('2025') ? 'Dec 2025' : 'Jan 2026'}`
    const formatPercent = (percent: number) => `${Math.abs(Math.round(percent))}%`

    // The crosshair snaps to the nearest day.
    const { x, y, width, height } = await getBox(getSurface(page))
    for (const share of [0.2, 0.42, 0.71]) {
      await page.mouse.move(x + width * share, y + height / 2)
      const [, , changeText, date = '', count, previousDate = '', previousCount] = await readTooltip(page)
      const index = series.visitors.findIndex(({ value }: StatisticsRow) => date.includes(formatDate(value)))
      const [row, previousRow] = [series.visitors[index], previous.series.visitors[index]]
      expect([count, previousCount]).toEqual([`${row.count}`, `${previousRow.count}`])
      expect(previousDate).toContain(formatDate(previousRow.value))
      expect(changeText).toContain(formatPercent((100 * (row.count - previousRow.count)) / previousRow.count))
    }
    // The keyboard shows the same values. The current day is not compared with a whole day.
    await getSurface(page).focus()
    await page.keyboard.press('End')
    expect(await readTooltip(page)).toEqual(
      expect.arrayContaining(['so far', 'Mon, 5 Jan 2026', `${series.visitors[6].count}`]),
    )
    expect(series.incomplete).toBe('2026-01-05')
    const dashedPath = page.locator('.line-chart-incomplete').last()
    expect(await dashedPath.getAttribute('d')).toMatch(/^M.*L/)
    expect(await dashedPath.evaluate('(path) => getComputedStyle(path).strokeDasharray')).not.toBe('none')

    // The band that marks the incident covers 6 of the 168 hours.
    const band = await getBox(page.locator('.line-chart-band'))
    const plot = await getBox(page.locator('.line-chart-grid').first())
    expect(band.width / plot.width).toBeCloseTo(6 / 168, 2)
    expect((band.x - plot.x) / plot.width).toBeCloseTo((4 + 16 / 24) / 7, 2)
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    expect((await readTooltip(page)).join(' ')).toMatch(/Shop was down Timeout, 3 Jan, 16:00, for 6 h/)

    // The chart can show each figure.
    const figures = ['Visits', 'Page views', 'Views per visit', 'Bounce rate', 'Visit duration']
    for (const name of figures) {
      await findButton(page, new RegExp(`^${name}`)).click()
      await waitForChart(page, new RegExp(`^${name} per day`))
    }
    expect(new URL(page.url()).searchParams.get('metric')).toBe('visit_duration')
    expect(await findButton(page, /^Page views/).innerText()).toContain(formatPercent(change.pageviews))
    await page.locator('.line-chart-band-link').click()
    await page.waitForURL(`**/incidents/${incidentId}`)
    await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor()
    expect(consoleErrors).toEqual([])
  })

  it('zooms into a dragged range, and back with Escape', async () => {
    const { page } = await pages.open('/example.com?metric=visits', owner)
    await waitForChart(page, /^Visits per day/)
    const plot = await getBox(page.locator('.line-chart-grid').first())
    // The first line of the grid is the lowest.
    const y = plot.y - 80
    // Drags from the middle of the 11th day to the middle of the 20th of 30 days.
    await page.mouse.move(plot.x + (plot.width * 10.5) / 30, y)
    await page.mouse.down()
    await page.mouse.move(plot.x + (plot.width * 15) / 30, y)
    await page.mouse.move(plot.x + (plot.width * 19.5) / 30, y)
    await page.mouse.up()
    await page.waitForURL(/\?from=2025-12-17&to=2025-12-26&metric=visits$/)
    await waitForChart(page, /^Visits per day, 17 – 26 Dec 2025/)
    await findButton(page, 'Hours').click()
    await waitForChart(page, /^Visits per hour, 17 – 26 Dec 2025/)
    await page.keyboard.press('Escape')
    await waitForChart(page, /^Visits per day, 7 Dec 2025 – 5 Jan 2026/)
    expect(await findButton(page, 'Zoom out').count()).toBe(0)
    await page.goBack()
    await waitForChart(page, /^Visits per hour, 17 – 26 Dec 2025/)
    await findButton(page, 'Zoom out').click()
    await waitForChart(page, /^Visits per day, 7 Dec 2025 – 5 Jan 2026/)
    await findButton(page, 'Weeks').click()
    await page.waitForURL(/interval=week/)
    await waitForChart(page, /^Visits per week/)
    await pages.open('/example.com?period=12mo&interval=month', owner)
    await waitForChart(page, /^Visitors per month, 6 Jan 2025 – 5 Jan 2026.*\(December 2025\)$/)
  })

  it('moves to the previous and next period with buttons and arrow keys', async () => {
    const { page } = await pages.open('/example.com?period=month', owner)
    await waitForChart(page, /^Visitors per day, 1 – 5 Jan 2026/)
    const nextButton = findButton(page, /^Next period/)
    expect(await nextButton.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL(/\?period=last_month$/)
    await findButton(page, /^Previous period/).click()
    await page.waitForURL(/\?from=2025-11-01&to=2025-11-30$/)
    await waitForChart(page, /^Visitors per day, 1 – 30 Nov 2025/)
    // In the chart, arrow keys move the crosshair.
    await getSurface(page).focus()
    await page.keyboard.press('ArrowLeft')
    expect(page.url()).toMatch(/from=2025-11-01/)
    await nextButton.click()
    await page.waitForURL(/\?period=last_month$/)
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(/\?period=month$/)
  })

  it('compares a day that has just begun with the same minutes of the day before, and shows changes in a neutral colour', async () => {
    server.clock.advance({ hours: 14, minutes: 5 })
    try {
      const { page } = await pages.open('/example.com?period=today&match_weekday=false', owner)
      await waitForVisitors(page, 0)
      await page.getByText('6 Jan 2026 compared with 5 Jan 2026, up to 00:05').waitFor()
      expect(await findButton(page, /^Visitors 0/).innerText()).toMatch(/100% lower\s+from 2/)
      expect(await page.locator('.website-change-neutral').count()).toBeGreaterThan(0)
      expect(await page.locator('.website-change-bad').count()).toBe(0)
    } finally {
      server.clock.reset()
    }
  })
})

describe('the statistics of a website with outages', { timeout: 120_000 }, () => {
  it('add up the outages of the period, and say in the chart what each outage cost', async () => {
    const { page, consoleErrors } = await pages.open('/missed.example?period=7d', owner)
    // The website usually has 24 visits an hour.
    await page.getByText(/^2 outages, 7 h in total, about 168 visits missed \(\d+ to \d+\)$/).waitFor()
    await page.locator('.line-chart-band').nth(1).waitFor()
    await page.locator('.line-chart-surface').focus()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    const tooltip = await page.locator('.line-chart-tooltip').innerText()
    expect(tooltip).toMatch(/Shop was down\s+Timeout, 3 Jan, 16:00, for 6 h\. About 144 visits missed \(\d+ to \d+\)/)
    await page.getByText('View as table').click()
    await page.getByRole('cell', { name: /Timeout, 1 Jan, 10:00, for 1 h\. About 24 visits missed/ }).waitFor()

    await pages.open('/missed.example?from=2026-01-01&to=2026-01-01', owner)
    await page.getByText(/^1 outage, 1 h, about 24 visits missed/).waitFor()
    const outagesResponse = page.waitForResponse(/\/outages\?from=2025-12-01/)
    await pages.open('/missed.example?from=2025-12-01&to=2025-12-10', owner)
    expect((await (await outagesResponse).json()).data.outages).toBe(0)
    await page.getByRole('img', { name: /^Visitors per day/ }).waitFor()
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    expect(await page.locator('.website-outages').count()).toBe(0)
    expect(consoleErrors).toEqual([])
  })

  it('show the sum of outages on a phone', async () => {
    const { page } = await pages.open('/missed.example', owner, { width: 390, height: 844 })
    await page.getByText(/^2 outages/).waitFor()
    expect(await overflowsSideways(page)).toBe(false)
  })

  it("don't show the sum of outages of more than a year", async () => {
    const { page, consoleErrors } = await pages.open('/keys', owner)
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await openInApp(page, '/missed.example?from=2024-06-01&to=2026-01-05')
    await page.getByRole('img', { name: /^Visitors per/ }).waitFor()
    expect(requests.filter((url) => url.includes('/outages'))).toEqual([])
    expect(consoleErrors).toEqual([])
  })

  it("don't show the sum of outages to visitors", async () => {
    const { page, consoleErrors } = await pages.visit('/robots.txt')
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.goto('/missed.example')
    await page.getByRole('img', { name: /^Visitors per/ }).waitFor()
    expect(requests.filter((url) => url.includes('/outages'))).toEqual([])
    expect(consoleErrors).toEqual([])
  })
})
