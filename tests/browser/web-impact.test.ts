/** The page of a monitor shows how incidents affected visitors. Belfry itself measures this from stored traffic. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { measureIncident } from '../../src/impact/measure.ts'
import type { IncidentList } from '../../src/incidents/schema.ts'
import { DAY_MS, DAY_SECONDS } from '../../src/shared/time.ts'
import { openBrowser, overflowsSideways, type TestBrowser } from '../support/browser.ts'
import { getSample } from '../support/channels.ts'
import { addChecks, createTestChecks } from '../support/check-results.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { addIncident, addMonitoredPeriod, createMonitor, setFirstStatus } from '../support/monitors.ts'
import { showPage } from '../support/open-in-app.ts'
import { panel } from '../support/panel.ts'
import { insertPastVisits } from '../support/past-visits.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'
import { createSite } from '../support/traffic.ts'

vi.setConfig({ testTimeout: 120_000 })

const HOUR_SECONDS = 3_600
const MINUTE_SECONDS = 60

let server: TestServer
let browser: TestBrowser
let tab: SharedTab
let owner: TestUser

beforeAll(async () => {
  server = await startTestServer()
  browser = await openBrowser()
  tab = new SharedTab(server, browser)
  owner = await server.createUser('owner')
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const findTimeAgo = (seconds: number) => new Date(server.clock.now().getTime() - 1_000 * seconds)

interface Outage {
  /** Seconds before now. */
  from: number
  to?: number
  /** The share of the usual visitors that arrived. */
  share: number
}

/** Returns about four visits for each 5 minutes, and fewer at night, with the same numbers at every call. */
function countUsualVisits(at: Date): number {
  const noise = (Math.floor(at.getTime() / 300_000) * 2_654_435_761) % 2 ** 32
  return (at.getUTCHours() < 5 ? 1 : 2) + Math.floor((5 * noise) / 2 ** 32)
}

/** Adds a website with nine weeks of traffic, and a monitor with measured incidents. Returns the monitor's id. */
async function addMeasuredMonitor(domain: string, outages: readonly Outage[], visitsFactor = 1): Promise<number> {
  const { db, rollup } = server.services
  const websiteId = await createSite(owner, domain, { time_zone: 'UTC' })
  const { id } = await createMonitor(owner.session, {
    friendly_name: domain,
    url: `https://${domain}/`,
    is_active: false,
  })
  await db.query('update monitors set created_at = $2 where id = $1', [id, findTimeAgo(40 * DAY_SECONDS)])
  await addMonitoredPeriod(server, id, { from: 40 * DAY_SECONDS, to: 10 })
  await setFirstStatus(server, id, outages.some(({ to }) => to === undefined) ? 'down' : 'up')
  await db.query('delete from incidents where monitor_id = $1', [id])
  await insertPastVisits(db, websiteId, {
    days: 64,
    // Only days that end before `to` are stored, so today is included only if `to` is tomorrow.
    to: new Date(server.clock.now().getTime() + DAY_MS),
    countAt(at) {
      if (at >= server.clock.now().getTime()) return 0
      const outage = outages.find(
        ({ from, to = 0 }) => at >= findTimeAgo(from).getTime() && at < findTimeAgo(to).getTime(),
      )
      return Math.round(countUsualVisits(new Date(at)) * visitsFactor * (outage?.share ?? 1))
    },
  })
  for (const outage of outages) {
    const incidentId = await addIncident(server, id, { ...outage, detail: 'No response in 10 s' })
    await measureIncident({ db, clock: server.clock, rollup }, { teamId: owner.id, monitorId: id, incidentId })
  }
  return id
}

/** Lists the incidents, newest first. */
async function listIncidents(monitorId: number) {
  return (await owner.session.get(`/api/monitors/${monitorId}/incidents?window=30d`)).body as IncidentList
}

async function open(path: string) {
  const openedPage = await tab.open(owner)
  await openedPage.page.clock.setFixedTime(server.clock.now())
  await showPage(openedPage.page, path)
  return openedPage
}

const findIncident = (page: Page, id: number) => page.locator(`#incident-${id}`)

describe('an incident', () => {
  it('says how many visits it cost, and shows them in a chart', async () => {
    // The incident has just ended, because each slot after it would be one more row in the table, which axe checks.
    const monitorId = await addMeasuredMonitor('shop.example.com', [{ from: HOUR_SECONDS, to: 60, share: 0 }])
    const [incident] = (await listIncidents(monitorId)).data
    const { visits_expected, visits_missed, visits_missed_low, visits_missed_high } = incident?.impact ?? {}
    expect(incident?.visitors).toBe('gone')
    const missedText = `About ${visits_missed} visits missed (${visits_missed_low} to ${visits_missed_high})`

    const { page, consoleErrors, externalRequests } = await open(`/monitors/${monitorId}`)
    const item = findIncident(page, incident?.id ?? 0)
    await item.getByText(missedText).waitFor()
    await item.getByText(`No visits recorded during the outage (${visits_expected} expected)`).waitFor()

    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    const getVisitRequests = () => requests.filter((url) => url.endsWith('/visits'))
    expect(getVisitRequests()).toEqual([])
    await item.getByText('Visits around the incident').click()
    const label = `Visits around the incident: 0 visits recorded, ${visits_expected} expected during it`
    await item.getByRole('img', { name: label }).waitFor()
    expect(getVisitRequests()).toHaveLength(1)

    const path = `/api/monitors/${monitorId}/incidents/${incident?.id}/visits`
    const { slots } = (await owner.session.get(path)).body.data
    const tooltip = item.locator('.line-chart-tooltip')
    await item.locator('.line-chart-surface').focus()
    await page.keyboard.press('Home')
    await tooltip.getByText(`${slots[0].seen}`, { exact: true }).waitFor()
    await tooltip.getByText(`(${slots[0].low} to ${slots[0].high})`).waitFor()
    await page.keyboard.press('Escape')
    await item.getByText('View as table').click()
    await expect.poll(() => item.locator('tbody tr').count()).toBe(slots.length)
    await item.locator('tbody tr', { hasText: 'Timeout' }).first().waitFor()
    await expectNoViolations(page)

    // The tooltip of today's bar shows the missed visits, too.
    const bars = page.locator('.monitor-days .uptime-bars')
    await bars.focus()
    await vi.waitFor(async () => {
      // Scrolling to the bars hides the tooltip. This key shows it again, and the last bar stays selected.
      await page.keyboard.press('ArrowRight')
      await page.getByRole('tooltip').getByText(missedText).waitFor({ timeout: 2_000 })
    }, 20_000)
    expect(consoleErrors).toEqual([])
    expect(externalRequests).toEqual([])
  })

  it('shows in the chart of response times how many visits it cost', async () => {
    const monitorId = await addMeasuredMonitor('api.example.com', [
      { from: 12 * HOUR_SECONDS, to: 11 * HOUR_SECONDS, share: 0 },
    ])
    const checks = createTestChecks({ from: findTimeAgo(DAY_SECONDS), to: findTimeAgo(60), everyMs: 300_000 })
    await addChecks(server.services.db, monitorId, checks)
    const { page } = await open(`/monitors/${monitorId}?window=24h`)
    await page.getByRole('img', { name: /^Response times in the last 24 hours/ }).waitFor()
    const surface = page.locator('.line-chart-surface').first()
    const { width = 0 } = (await surface.boundingBox()) ?? {}
    await surface.hover({ position: { x: width / 2 + 16, y: 60 } })
    await page
      .locator('.line-chart-tooltip')
      .getByText(/No response in 10 s\. About \d+ visits missed/)
      .waitFor()
  })

  it('shows immediately whether visitors confirm it, while it is ongoing', async () => {
    const monitorId = await addMeasuredMonitor('news.example.com', [{ from: 50 * MINUTE_SECONDS, share: 0 }])
    const [incident] = (await listIncidents(monitorId)).data
    const { page, consoleErrors } = await open(`/monitors/${monitorId}`)
    onTestFinished(() => page.setViewportSize({ width: 1280, height: 720 }))
    await page.setViewportSize({ width: 320, height: 720 })
    const item = findIncident(page, incident?.id ?? 0)
    await item.getByText(/^No visits recorded during the outage/).waitFor()
    await item.getByRole('img', { name: /^Visits around the incident: 0 visits recorded/ }).waitFor()
    expect(await overflowsSideways(page)).toBe(false)
    expect(consoleErrors).toEqual([])
  })

  it('says that visitors kept arriving, or that there is too little traffic', async () => {
    const outage = { from: 3 * HOUR_SECONDS, to: 2 * HOUR_SECONDS, share: 1 }
    const monitorId = await addMeasuredMonitor('blog.example.com', [outage])
    const [incident] = (await listIncidents(monitorId)).data
    const { visits_seen, visits_expected } = incident?.impact ?? {}
    const { page } = await open(`/monitors/${monitorId}`)
    const incidents = panel(page, /^Incidents in the last/)
    await incidents
      .getByText(`Visitors kept arriving as usual (${visits_seen} of ${visits_expected} expected)`)
      .waitFor()
    expect(await incidents.getByText('missed').count()).toBe(0)

    const quietId = await addMeasuredMonitor('quiet.example.com', [{ ...outage, to: 10_500 }], 0.1)
    await showPage(page, `/monitors/${quietId}`)
    await incidents.getByText('Too little traffic to estimate the visits missed').waitFor()
    expect(await incidents.getByText('Visits around the incident').count()).toBe(0)
  })
})

describe('the page of all incidents', () => {
  // The tests above have created an ongoing incident of news.example.com, and resolved incidents of other monitors.
  it('lists ongoing incidents first, filters them, and lets people acknowledge them', async () => {
    const { page, consoleErrors } = await tab.open(owner)
    await page.goto('/incidents')
    const names = page.locator('.incidents-row a')
    await names.nth(2).waitFor()
    expect(await names.allTextContents()).toEqual([
      'news.example.com',
      'shop.example.com',
      'quiet.example.com',
      'blog.example.com',
      'api.example.com',
    ])
    await page.getByRole('button', { name: 'Acknowledge the incident of news.example.com' }).waitFor()
    await expectNoViolations(page)

    // Arrow keys move between rows.
    await names.first().focus()
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('shop.example.com')

    await page.getByRole('button', { name: 'Monitor', exact: true }).click()
    await page.keyboard.type('blog')
    await page.getByRole('option', { name: 'blog.example.com' }).waitFor()
    await page.keyboard.press('Enter')
    await names.nth(1).waitFor({ state: 'detached' })
    expect(await names.allTextContents()).toEqual(['blog.example.com'])
    await page.getByRole('button', { name: 'Ongoing 0' }).click()
    await page.getByText('No ongoing incidents match these filters').waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Remove filter Monitor: blog.example.com' }).click()
    await names.nth(4).waitFor()
    expect(new URL(page.url()).search).toBe('')

    const badge = page.getByRole('navigation').getByText('1 not acknowledged')
    await badge.waitFor()
    await page.getByRole('button', { name: /^Acknowledge the incident/ }).click()
    await page.locator('.incidents-acknowledged').getByText(owner.email).waitFor()
    await page.getByRole('button', { name: 'Acknowledged 1' }).waitFor()
    await badge.waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.textContent')).toBe('news.example.com')

    // A new incident appears without a reload.
    const { id } = await createMonitor(owner.session, { friendly_name: 'Stable', url: 'https://stable.example.net/' })
    await setFirstStatus(server, id, 'down')
    await page.getByRole('button', { name: 'Acknowledge the incident of Stable' }).waitFor()
    expect(consoleErrors).toEqual([])
  })

  it('opens an incident, which shows what happened and has notes', async () => {
    const [incident] = (await owner.session.get('/api/incidents?state=acknowledged')).body.data
    const { page, consoleErrors } = await open(`/incidents/${incident.id}`)
    await page.getByRole('img', { name: /^Visits around the incident/ }).waitFor()
    const timeline = panel(page, 'Timeline')
    await timeline.getByText('Incident started').waitFor()
    await timeline.getByText(`Acknowledged by ${owner.email}`).waitFor()
    const note = timeline.getByRole('textbox', { name: 'Note' })
    await note.fill('Disk full, see https://wiki.example.com/disks.')
    await page.keyboard.press('Control+Enter')
    await timeline.getByRole('link', { name: 'https://wiki.example.com/disks' }).waitFor()
    expect(await note.inputValue()).toBe('')
    await expectNoViolations(page)
    await timeline.getByRole('button', { name: /^Delete note/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete note' }).click()
    await timeline.getByText('Disk full').waitFor({ state: 'detached' })

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('news')
    await page.getByRole('group', { name: 'Incidents' }).getByRole('option', { name: 'news.example.com' }).waitFor()
    await page.keyboard.press('Escape')
    expect(consoleErrors).toEqual([])
    await showPage(page, '/incidents/999999')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  })
})

describe('a traffic monitor', () => {
  it('shows whether visits arrive, and has few settings of its own', async () => {
    const websiteId = await createSite(owner, 'garden.example.com', { time_zone: 'UTC' })
    expect((await owner.session.put(`/api/v1/websites/${websiteId}`, { watch_traffic: true })).status).toBe(200)
    const { id } = (await owner.session.get('/api/monitors?type=traffic')).body.data[0]
    const { page, consoleErrors } = await open('/monitors?type=traffic')
    const link = page.getByRole('link', { name: 'garden.example.com', exact: true })
    await page.getByText('Visits to garden.example.com').waitFor()
    await link.first().click()
    await page.getByText('Waiting for enough traffic to know what is usual').waitFor()
    await page.getByText('Visits arriving, last 24 hours').waitFor()
    expect(await page.getByRole('button', { name: 'Check now' }).count()).toBe(0)
    expect(await panel(page, 'Response time').count()).toBe(0)
    const settings = panel(page, 'Settings')
    expect(await settings.getByRole('link').getAttribute('href')).toBe('/garden.example.com/settings')
    expect(await settings.getByText('Interval').count()).toBe(0)
    await expectNoViolations(page)

    const channel = (await owner.session.post('/api/providers', { ...getSample('slack'), name: 'Ops' })).body.data
    const since = findTimeAgo(HOUR_SECONDS)
    const details = { visits: 1312, expected: 40.2, factor: 32.6, source: 'Lobsters', source_visits: 1250, since }
    await server.services.db.query(
      `insert into alerts (user_id, monitor_id, provider_id, event, title, body, state, created_at, details)
       values ($1, $2, $3, 'spike', 'Traffic spike: garden.example.com', '', 'sent', $4, $5)`,
      [owner.id, id, channel.id, server.clock.now(), JSON.stringify(details)],
    )
    await setFirstStatus(server, id, 'down')
    await page.goto(`/monitors/${id}`)
    const spikes = panel(page, 'Traffic spikes')
    await spikes.getByText('Traffic spike to Ops').waitFor()
    await spikes.getByText('1,312 visits, 40 expected').waitFor()
    await spikes.getByText('Most came from Lobsters (1,250).').waitFor()
    await page.locator('.monitor-state').getByText('No visits').waitFor()

    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByText('This monitor watches the visits to garden.example.com.').waitFor()
    expect(await page.getByRole('group', { name: 'Type' }).count()).toBe(0)
    expect(await page.getByLabel('Interval').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Run test' }).count()).toBe(0)
    await page.getByLabel('Name', { exact: true }).fill('Garden visits')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('heading', { level: 1, name: 'Garden visits' }).waitFor()

    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The traffic alerts of the website will be turned off').waitFor()
    await dialog.getByRole('button', { name: 'Delete monitor' }).click()
    await vi.waitFor(async () => {
      expect((await owner.session.get(`/api/v1/websites/${websiteId}`)).body.data.watch_traffic).toBe(false)
    }, 20_000)
    expect(consoleErrors).toEqual([])
  })
})
