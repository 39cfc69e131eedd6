/** The monitor page in a browser: while checks run, and its chart and history of past checks and incidents. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type AlertFixture, type AlertNode, startAlertFixture } from '../support/alerts.ts'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { addChecks, createTestChecks } from '../support/check-results.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { allowLoopbackOnly, type LoopbackOnly } from '../support/loopback-only.ts'
import { addIncident, addMonitoredPeriod, createMonitor, getMonitor, setFirstStatus } from '../support/monitors.ts'
import { openForTest, showPage } from '../support/open-in-app.ts'
import { panel } from '../support/panel.ts'
import { SharedTab } from '../support/shared-tab.ts'
import { openSignedIn } from '../support/signed-in.ts'

const longTimeout = { timeout: 20_000 }
const HOUR_SECONDS = 3_600
const DAY_SECONDS = 24 * HOUR_SECONDS

let fixture: AlertFixture
let browser: TestBrowser
let checker: TestChecker
let node: AlertNode
let target: HttpReceiver
let tab: SharedTab
/** A tab whose clock shows the server's time. */
let clockTab: SharedTab
let network: LoopbackOnly
/** The channel exists before the first page is loaded, so that tests can open pages without loading the document again. */
let emailChannelId: number

beforeAll(async () => {
  fixture = await startAlertFixture()
  browser = await openBrowser()
  tab = new SharedTab(fixture.server, browser)
  clockTab = new SharedTab(fixture.server, browser)
  checker = await startChecker(fixture.server)
  node = await fixture.startNode()
  target = await startHttpReceiver()
  network = allowLoopbackOnly()
  // The fixture's monitor checks a host that doesn't exist, so pause it.
  await fixture.owner.session.put(`/api/monitors/${fixture.monitorId}`, { is_active: false })
  const emailFields = { provider_type: 'email', recipient_email: 'ops@example.com', webhook_url: undefined }
  emailChannelId = await fixture.createChannel(emailFields)
})
afterAll(async () => {
  await browser.close()
  await checker.stop()
  await fixture.close()
  await target.close()
  network.end()
})
beforeEach(() => target.respondWith(200, 'ok'))

const addMonitor = (fields: object = {}) =>
  createMonitor(fixture.owner.session, { url: target.address, retries: 0, ...fields })
const status = (page: Page) => page.locator('.monitor-status .status')

async function openClockTab() {
  const openedPage = await clockTab.open(fixture.owner)
  await openedPage.page.clock.setFixedTime(fixture.clock.now())
  return openedPage
}

async function checkAfter(seconds: number): Promise<void> {
  fixture.clock.advance({ seconds })
  await checker.run()
}

/**
 * An alert becomes due when its check ends. A check takes a few milliseconds, but the test clock stands still, so the alert
 * is due only after the clock advances.
 */
async function deliverAlerts(): Promise<void> {
  fixture.clock.advance({ seconds: 1 })
  await node.outbox.runOnce()
}

describe('the monitor page', () => {
  it('shows an incident, its recovery and the sent alerts without a reload', async () => {
    const channelId = await fixture.createChannel({ name: 'Ops' })
    const { id } = await addMonitor({ friendly_name: 'Shop' })
    await fixture.owner.session.post(`/api/monitors/${id}/notifications`, { provider_id: channelId })
    const { page, consoleErrors, externalRequests } = await tab.open(fixture.owner)
    await page.goto(`/monitors/${id}`)
    await page.getByText('Waiting for the first check').waitFor()
    await panel(page, 'Incidents in the last 24 hours').getByText('No incidents in the last 24 hours.').waitFor()

    await checkAfter(1)
    await page.getByRole('status').getByText('Shop is up.').waitFor({ state: 'attached' })
    await status(page).getByText('Up').waitFor()
    await page.getByRole('img', { name: 'Checks of the last hour: 1 check, all passed' }).waitFor()

    target.respondWith(503, 'no')
    await checkAfter(60)
    await page.getByRole('status').getByText('Shop is down.').waitFor({ state: 'attached' })
    await status(page).getByText('Down').waitFor()
    await page.getByText('Unexpected status code. Status 503, expected 200–399.').waitFor()
    const incidents = panel(page, 'Incidents in the last 24 hours')
    await incidents.getByText(/^Ongoing for/).waitFor()
    await incidents.getByText(/\d\d:\d\d:\d\d$/).waitFor()

    await deliverAlerts()
    await incidents.getByText('1 notification sent').click()
    await incidents.getByText('Down alert to Ops (Slack)').waitFor()
    await expectNoViolations(page)

    target.respondWith(200, 'ok')
    await checkAfter(120)
    await page.getByRole('status').getByText('Shop is up.').waitFor({ state: 'attached' })
    await status(page).getByText('Up').waitFor()
    await incidents.getByText(/^Resolved after 2 min/).waitFor()
    await deliverAlerts()
    await incidents.getByText('2 notifications sent').waitFor()
    await incidents.getByText('Recovery alert to Ops (Slack)').waitFor()
    await page.getByRole('img', { name: /^Monitored since .*, down on 1 day/ }).waitFor()
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  }, 60_000)

  it('runs a check on demand and shows its result', async () => {
    const { id } = await addMonitor({ friendly_name: 'On demand' })
    const { page } = await tab.open(fixture.owner)
    await showPage(page, `/monitors/${id}`)
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText(/^Check passed: status 200 in \d+ ms$/).waitFor()
    await page.getByText('Waiting for response').first().waitFor()
    await status(page).getByText('Up').waitFor()
    await page.getByRole('button', { name: 'Close result' }).click()
    await page.getByText(/^Check passed/).waitFor({ state: 'detached' })

    // The page hides the result of "Check now" when a later scheduled check contradicts it.
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText(/^Check passed/).waitFor()
    target.respondWith(503, 'no')
    await checkAfter(60)
    await status(page).getByText('Down').waitFor()
    await page.getByText(/^Check passed/).waitFor({ state: 'detached' })
  })

  it('says what a pending monitor waits for', async () => {
    const { id } = await addMonitor({ friendly_name: 'Unsure', retries: 2 })
    target.respondWith(503, 'no')
    await checkAfter(1)
    const { page } = await tab.open(fixture.owner)
    await showPage(page, `/monitors/${id}`)
    await page.getByText('Check failed, retrying').waitFor()
    fixture.clock.advance({ seconds: 1 })
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Waiting for the next check').waitFor()
  })

  it('pauses the monitor, with undo', async () => {
    const { id } = await addMonitor({ friendly_name: 'Tired' })
    const { page } = await tab.open(fixture.owner)
    await showPage(page, `/monitors/${id}`)
    await page.getByRole('button', { name: 'Pause' }).click()
    await status(page).getByText('Paused').waitFor()
    const toast = page.locator('.toast').filter({ hasText: 'Tired paused.' })
    await toast.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    expect((await getMonitor(fixture.owner.session, id)).is_active).toBe(true)
  })

  it('deletes the monitor after confirmation', async () => {
    const { id } = await addMonitor({ friendly_name: 'Old' })
    // A new tab has no page to which the application could return after deleting.
    const { page } = await openSignedIn(browser, fixture.server, fixture.owner)
    await page.goto(`/monitors/${id}`)
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog', { name: 'Delete Old?' }).getByText("This can't be undone.").waitFor()
    await page.getByRole('button', { name: 'Delete monitor' }).click()
    await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor()
    await page.getByText('Old deleted.').waitFor()
    expect(await page.getByRole('link', { name: 'Old', exact: true }).count()).toBe(0)
    for (const path of [`/monitors/${id}`, `/monitors/${id}/edit`]) {
      await showPage(page, path)
      await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    }
  })

  it('is skipped by the Back button after the monitor is deleted', async () => {
    const { id } = await addMonitor({ friendly_name: 'Short-lived' })
    const { page } = await tab.open(fixture.owner)
    await showPage(page, '/')
    await page.getByRole('link', { name: 'Monitors' }).click()
    await page.getByRole('link', { name: 'Short-lived', exact: true }).click()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Renamed')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/monitors/${id}`)
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete monitor' }).click()
    await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor()
    await page.getByText('Renamed deleted.').waitFor()
    await page.evaluate('history.back()')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  })
})

describe('the monitor page', () => {
  it('manages notification channels, with undo', async () => {
    const { id } = await addMonitor({ friendly_name: 'Notified' })
    const fetchAssignments = async () =>
      (await fixture.owner.session.get(`/api/monitors/${id}/notifications`)).body.data.map(
        (assignment: { provider_id: number; enabled: boolean }) => [assignment.provider_id, assignment.enabled],
      )
    const { page } = await tab.open(fixture.owner)
    await showPage(page, `/monitors/${id}`)
    const notifications = panel(page, 'Notification channels')
    await notifications.getByText('No notifications will be sent.').waitFor()
    await notifications.getByLabel('Add channel').selectOption('ops@example.com (Email)')
    await notifications.getByRole('button', { name: 'Add' }).click()
    await notifications.getByText('No notifications will be sent.').waitFor({ state: 'detached' })
    await notifications.getByText("Email isn't configured on this server.").waitFor()
    expect(await fetchAssignments()).toEqual([[emailChannelId, true]])

    await notifications.getByRole('checkbox', { name: 'ops@example.com' }).uncheck()
    await notifications.getByText('No notifications will be sent.').waitFor()
    await vi.waitFor(async () => expect(await fetchAssignments()).toEqual([[emailChannelId, false]]), longTimeout)

    await notifications.getByRole('button', { name: 'Remove ops@example.com' }).click()
    await vi.waitFor(async () => expect(await fetchAssignments()).toEqual([]), longTimeout)
    await notifications.locator('select:focus').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await notifications.getByRole('checkbox', { name: 'ops@example.com' }).waitFor()
    expect(await fetchAssignments()).toEqual([[emailChannelId, false]])
  })

  it('says which setting allows a blocked address', async () => {
    const { id } = await addMonitor({ friendly_name: 'Metadata', url: 'http://169.254.169.254/' })
    const assignment = { provider_id: emailChannelId, enabled: false }
    await fixture.owner.session.post(`/api/monitors/${id}/notifications`, assignment)
    const { page, externalRequests } = await tab.open(fixture.owner)
    await showPage(page, `/monitors/${id}`)
    await panel(page, 'Notification channels').getByRole('checkbox', { name: 'ops@example.com' }).waitFor()
    await page.getByRole('button', { name: 'Check now' }).click()
    const result = page.getByRole('status').filter({ hasText: 'Address not allowed' })
    await result.getByText('only if BELFRY_PRIVATE_TARGETS lists that address').waitFor()
    await result
      .getByText('Belfry connects to private and reserved networks only if the server operator allows it')
      .waitFor()
    await expectNoViolations(page)
    expect([...externalRequests, ...network.attempts]).toEqual([])
  })
})

describe('the downtime of a monitor', () => {
  it('is the same in its status, tiles and incidents, on the overview and in the list of monitors', async () => {
    const { server, clock } = fixture
    const { id } = await addMonitor({ friendly_name: 'Broken', retries: 2, retry_interval: 30 })
    await checkAfter(1)
    target.respondWith(503, 'no')
    // The second retry confirms the failure, so the monitor has been down for a minute by then.
    await checkAfter(60)
    await checkAfter(30)
    await checkAfter(30)
    clock.advance({ seconds: 65 })
    const { status, down_since } = await getMonitor(fixture.owner.session, id)
    expect([status, down_since]).toEqual(['down', new Date(clock.now().getTime() - 125_000).toISOString()])
    const { page } = await openClockTab()
    await showPage(page, `/monitors/${id}`)
    await page.locator('.monitor-state').getByText('for 2 min 5 s,').waitFor()
    // A new monitor has one tile for its whole history, and no percentage.
    const tile = page.locator('dl div').filter({ hasText: 'Uptime since' }).filter({ hasText: '1 incident' })
    await tile.getByText('Down for 2 min 5 s').waitFor()
    expect(await page.getByText('Uptime, last').count()).toBe(0)
    const incidents = panel(page, 'Incidents in the last 24 hours')
    await incidents.getByText('1 incident, 2 min 5 s downtime').waitFor()
    await incidents.getByText('Ongoing for 2 min 5 s').waitFor()

    // All durations tick together. The page is offline, because a response would reset its clock to the server's time.
    onTestFinished(() => page.context().setOffline(false))
    await page.context().setOffline(true)
    await page.clock.setFixedTime(clock.now().getTime() + 30_000)
    await page.locator('.monitor-state').getByText('for 2 min 35 s,').waitFor()
    await incidents.getByText('1 incident, 2 min 35 s downtime').waitFor()
    await incidents.getByText('Ongoing for 2 min 35 s').waitFor()
    await tile.getByText('Down for 2 min 35 s').waitFor()

    await page.context().setOffline(false)
    await page.clock.setFixedTime(clock.now())
    for (const path of ['/', '/monitors']) {
      await showPage(page, path)
      const row = page.locator('.overview-row, .monitors-row').filter({ hasText: 'Broken' })
      await row.getByText('Down for 2 min 5 s').waitFor()
    }
    await server.services.db.query('delete from monitors where id = $1', [id])
  })
})

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
    const { page, consoleErrors } = await openClockTab()
    await showPage(page, `/monitors/${id}`)
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
      createTestChecks({ from: ago(5 * HOUR_SECONDS), to: ago(60), everyMs: 1_800_000 }),
    )

    const { page, consoleErrors } = await openClockTab()
    onTestFinished(() => page.setViewportSize({ width: 1280, height: 720 }))
    await page.setViewportSize({ width: 360, height: 800 })
    await showPage(page, `/monitors/${id}`)
    await page.locator('dl div').filter({ hasText: 'Uptime, last 24 hours' }).getByText('Down for 1 h').waitFor()
    await page.getByRole('img', { name: /^Response times in the last 24 hours: median/ }).waitFor()
    await panel(page, 'Incidents in the last 24 hours').getByText('Timeout', { exact: true }).waitFor()
    await panel(page, 'Incidents in the last 24 hours').getByText('No notifications sent').waitFor()
    await page.getByText('View as table').click()
    // Other time ranges have the same elements, but many more of them, so checking their accessibility would take much longer.
    await expectNoViolations(page)

    await page.getByRole('button', { name: '30d' }).click()
    const incidents = panel(page, 'Incidents in the last 30 days')
    await incidents.getByText('26 incidents, 1 h 25 min downtime').waitFor()
    expect(new URL(page.url()).search).toBe('?window=30d')
    expect(await incidents.getByRole('listitem').count()).toBe(20)
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
    await openForTest(page, `/monitors/${id}?incident=999999`)
    await page.getByText("This incident isn't listed").waitFor()
    expect(consoleErrors).toEqual([])
  })
})

it('the monitor page names the parent monitor that explains an incident', async () => {
  const { session } = fixture.owner
  const router = await createMonitor(session, { friendly_name: 'Router', url: 'http://127.0.0.1:9/', retries: 0 })
  const shop = await createMonitor(session, { url: 'http://127.0.0.1:9/', retries: 0, depends_on: router.id })
  await session.post(`/api/monitors/${router.id}/check`)
  await session.post(`/api/monitors/${shop.id}/check`)
  const { page } = await tab.open(fixture.owner)
  // The page must know the new parent monitor, so load it.
  await page.goto(`/monitors/${shop.id}`)
  await page.locator('.monitor-incident').getByText('Because Router is down').waitFor()
  await session.put(`/api/monitors/${router.id}`, { is_active: false })
  await page.locator('.monitor-incident').getByText('Because Router was down').waitFor()
  await page.locator('.monitor-incident').getByRole('link', { name: 'Router' }).click()
  await page.getByRole('heading', { level: 1, name: 'Router' }).waitFor()
})
