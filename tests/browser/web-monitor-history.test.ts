/** The chart and the history on the monitor page in a browser, with past checks and incidents. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type AlertFixture, startAlertFixture } from '../support/alerts.ts'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { addChecks, createTestChecks } from '../support/check-results.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { addIncident, addMonitoredPeriod, createMonitor, setFirstStatus } from '../support/monitors.ts'
import { panel } from '../support/panel.ts'
import { SharedTab } from '../support/shared-tab.ts'

const HOUR_SECONDS = 3_600
const DAY_SECONDS = 24 * HOUR_SECONDS

let fixture: AlertFixture
let browser: TestBrowser
let tab: SharedTab

beforeAll(async () => {
  fixture = await startAlertFixture()
  browser = await openBrowser()
  tab = new SharedTab(fixture.server, browser)
})
afterAll(async () => {
  await browser.close()
  await fixture.close()
})

/** Returns the tab with the time of the server's clock. */
async function openTab() {
  const openedPage = await tab.open(fixture.owner)
  await openedPage.page.clock.setFixedTime(fixture.clock.now())
  return openedPage
}
const addMonitor = (fields: object) => createMonitor(fixture.owner.session, fields)

/** Moves the mouse over the chart, `fraction` of its width from the left. */
async function pointAt(page: Page, fraction: number): Promise<void> {
  const surface = page.locator('.line-chart-surface')
  const { width = 0, height = 0 } = (await surface.boundingBox()) ?? {}
  await surface.hover({ position: { x: width * fraction, y: height / 2 } })
}

describe('the chart of a new monitor', () => {
  it('has a point for each check, with the values of the API, for mouse and keyboard', async () => {
    const { server, clock, owner } = fixture
    const { id } = await addMonitor({ friendly_name: 'Fresh', is_active: false })
    const minutesAgo = (minutes: number) => new Date(clock.now().getTime() - 60_000 * minutes)
    await addChecks(server.services.db, id, [
      { at: minutesAgo(40), ms: 120, cause: null },
      { at: minutesAgo(20), ms: null, cause: 'timeout' },
      { at: minutesAgo(1), ms: 87, cause: null },
    ])
    const incidentId = await addIncident(server, id, { from: 1_200, to: 600, detail: 'No response in 10 s' })
    const { page, consoleErrors } = await openTab()
    await page.goto(`/monitors/${id}`)
    await page.getByRole('img', { name: 'Checks of the last hour: 3 checks, 1 failed' }).waitFor()
    expect(await page.getByRole('button', { name: 'Last hour' }).getAttribute('aria-pressed')).toBe('true')

    const { recent } = (await owner.session.get(`/api/monitors/${id}/checks?window=1h`)).body.meta
    const tooltip = page.locator('.line-chart-tooltip')
    await pointAt(page, 0.15)
    await tooltip.getByText(`${recent[2].response_ms} ms`, { exact: true }).waitFor()
    await pointAt(page, 0.6)
    await tooltip.getByText('Timeout. Timeout.').waitFor()
    await tooltip.getByText('Incident: Timeout').waitFor()

    // The crosshair starts at the last check, and the tooltip is read out.
    await page.locator('.line-chart-surface').focus()
    await page.keyboard.press('End')
    const announcement = page.locator('[role=status][aria-live=polite]').filter({ has: tooltip })
    await announcement.getByText(`${recent[0].response_ms} ms`, { exact: true }).waitFor()
    await page.keyboard.press('Home')
    await announcement.getByText(`${recent[2].response_ms} ms`, { exact: true }).waitFor()
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Enter')
    await page.getByRole('img', { name: /^Checks of the last hour/ }).waitFor()
    await page.getByRole('button', { name: 'Reset zoom' }).click()

    await page.locator('.line-chart-surface').focus()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await page.locator(`#incident-${incidentId}:focus`).waitFor()
    expect(new URL(page.url()).search).toBe(`?window=1h&incident=${incidentId}`)
    expect(consoleErrors).toEqual([])
  })
})

describe('the history of a monitor', () => {
  it('shows uptime, response times and incidents for each time range', async () => {
    const { server, clock } = fixture
    const { id } = await addMonitor({ friendly_name: 'Aged', url: 'https://aged.example.com/', is_active: false })
    const ago = (seconds: number) => new Date(clock.now().getTime() - 1_000 * seconds)
    // The page of a new monitor would show only the last hour, so make the monitor older.
    await server.services.db.query('update monitors set created_at = $2 where id = $1', [id, ago(40 * DAY_SECONDS)])
    await addMonitoredPeriod(server, id, { from: 40 * DAY_SECONDS, to: 10 })
    await setFirstStatus(server, id, 'up')
    await addIncident(server, id, {
      from: 2 * HOUR_SECONDS,
      to: HOUR_SECONDS,
      detail: 'Response took longer than 10 s',
    })
    for (let day = 2; day < 27; day++) {
      await addIncident(server, id, {
        from: day * DAY_SECONDS,
        to: day * DAY_SECONDS - 60,
        cause: 'dns',
        detail: `lookup ${day} failed`,
      })
    }
    await addChecks(
      server.services.db,
      id,
      createTestChecks({ from: ago(5 * HOUR_SECONDS), to: ago(60), everyMs: 300_000 }),
    )

    const { page, consoleErrors } = await openTab()
    onTestFinished(() => page.setViewportSize({ width: 1280, height: 720 }))
    await page.setViewportSize({ width: 360, height: 800 })
    await page.goto(`/monitors/${id}`)
    await page.locator('dl div').filter({ hasText: 'Uptime, last 24 hours' }).getByText('Down for 1h').waitFor()
    await page.getByRole('img', { name: /^Response times in the last 24 hours: median/ }).waitFor()
    await panel(page, 'Incidents in the last 24 hours').getByText('Timeout', { exact: true }).waitFor()
    await panel(page, 'Incidents in the last 24 hours').getByText('No notifications sent').waitFor()

    await page.getByRole('button', { name: '30d' }).click()
    const incidents = panel(page, 'Incidents in the last 30 days')
    await incidents.getByText('26 incidents, 1h 25m downtime').waitFor()
    expect(new URL(page.url()).search).toBe('?window=30d')
    expect(await incidents.getByRole('listitem').count()).toBe(20)
    await page.getByText('View as table').click()
    // The accessibility check comes before the page shows more incidents, which would only make it slower.
    await expectNoViolations(page)
    await incidents.getByRole('button', { name: 'Show more' }).click()
    await incidents.getByText('Lookup 26 failed.').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')).toBe(
      true,
    )

    // The link in an old alert leads to an incident that is older than the default time range. The page has to show
    // more than the first 20 incidents of the last 30 days to include it.
    const [oldestIncident] = (
      await fixture.owner.session.get(`/api/monitors/${id}/incidents?window=30d`)
    ).body.data.slice(-1)
    await page.goto(`/monitors/${id}?incident=${oldestIncident.id}`)
    await page.locator(`#incident-${oldestIncident.id}:focus`).getByText('Lookup 26 failed.').waitFor()
    expect(new URL(page.url()).search).toBe(`?window=30d&incident=${oldestIncident.id}`)
    await page.goto(`/monitors/${id}?incident=999999`)
    await page.getByText("This incident isn't listed").waitFor()
    expect(consoleErrors).toEqual([])
  })
})
