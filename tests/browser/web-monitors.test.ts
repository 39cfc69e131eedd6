/** The monitor list in a browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { MonitorRecord } from '../../src/monitors/schema.ts'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { addIncident, addMonitoredPeriod, createMonitor, insertMonitors, setFirstStatus } from '../support/monitors.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'

const longTimeout = { timeout: 20_000 }
const DAY_SECONDS = 86_400

let server: TestServer
let browser: TestBrowser
let tab: SharedTab
let ada: TestUser

beforeAll(async () => {
  server = await startTestServer()
  browser = await openBrowser()
  tab = new SharedTab(server, browser)
  ada = await createMonitorOwner('ada')
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

/** Creates a user with five monitors. Tests that change the monitors have their own user. */
async function createMonitorOwner(userName: string): Promise<TestUser> {
  const owner = await server.createUser(userName)
  const addMonitor = async (friendly_name: string, status: 'up' | 'down' | undefined, fields: object = {}) => {
    const { id } = await createMonitor(owner.session, {
      friendly_name,
      url: `https://${friendly_name.toLowerCase()}.example.com/`,
      ...fields,
    })
    await addMonitoredPeriod(server, id, { from: 20 * DAY_SECONDS, to: 10 })
    if (status !== undefined) await setFirstStatus(server, id, status)
    return id
  }
  await addIncident(server, await addMonitor('Shop', 'up'), { from: 3 * DAY_SECONDS, to: 3 * DAY_SECONDS - 7_200 })
  await addMonitor('Blog', 'up')
  await addMonitor('Docs', 'down')
  await addMonitor('Gateway', 'up', { type: 'ping', url: '192.0.2.1' })
  await addMonitor('Images', undefined, { is_active: false })
  return owner
}

const rows = (page: Page) => page.getByRole('list', { name: 'Monitors' }).getByRole('listitem')
const readNames = (page: Page) => rows(page).locator('[data-row-focus]').allTextContents()
const expectNames = (page: Page, expected: string[]) =>
  vi.waitFor(async () => expect(await readNames(page)).toEqual(expected), longTimeout)
const checkbox = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}` })

async function fetchStatuses(person: TestUser): Promise<Record<string, string>> {
  const { body } = await person.session.get('/api/monitors?pageSize=100')
  return Object.fromEntries(body.data.map((monitor: MonitorRecord) => [monitor.friendly_name, monitor.status]))
}

describe('the monitor list', () => {
  it('shows the status and figures of each monitor, and lists monitors that are down first', async () => {
    const { page, consoleErrors, externalRequests } = await tab.open(ada)
    await page.goto('/monitors')
    await expectNames(page, ['Docs', 'Blog', 'Gateway', 'Shop', 'Images'])
    const text = await rows(page).first().textContent()
    expect(text).toContain('Down')
    expect(text).toContain('https://docs.example.com/')
    expect(text).toMatch(/Down for .* · Response took longer than 10 s/)
    const shopRow = rows(page).filter({ hasText: 'Shop' })
    expect(await shopRow.textContent()).toMatch(/Response time 87 ms.*Uptime 99\.\d+%/)
    // This is the bar of three days ago, when the shop was down for two hours.
    await shopRow.locator('.uptime-bars').hover({ position: { x: 4 * 86 + 1, y: 10 } })
    await page.getByRole('tooltip').getByText('1 incident, down for 2h').waitFor()
    await page.getByRole('button', { name: 'Paused 1' }).waitFor()
    await expectNoViolations(page)
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('keeps search, filters and sort order in the URL', async () => {
    const { page } = await tab.open(ada)
    await page.goto('/monitors')
    await page.getByRole('button', { name: 'Up 3' }).click()
    await page.getByLabel('Sort by').selectOption('Lowest uptime first')
    await expectNames(page, ['Shop', 'Blog', 'Gateway'])
    await page.getByLabel('Type').selectOption('HTTP')
    await page.getByLabel('Search by name or URL').fill('SHOP')
    await expectNames(page, ['Shop'])
    expect(new URL(page.url()).search).toBe('?q=SHOP&status=up&type=http&sort=uptime')
    await page.reload()
    await expectNames(page, ['Shop'])
    await page.getByLabel('Search by name or URL').fill('matches nothing')
    await page.getByRole('heading', { name: 'No matching monitors' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await vi.waitFor(async () => expect(await rows(page).count()).toBe(5), longTimeout)
  })

  it('lets users move between rows, select and open monitors by keyboard', async () => {
    const { page } = await tab.open(ada)
    await page.goto('/monitors')
    await rows(page).first().waitFor()
    const focusedText = () => page.evaluate('document.activeElement.textContent')
    await page.keyboard.press('/')
    await vi.waitFor(async () => expect(await page.evaluate('document.activeElement.type')).toBe('search'), longTimeout)
    await page.getByRole('link', { name: 'Docs' }).focus()
    await page.keyboard.press('End')
    await vi.waitFor(async () => expect(await focusedText()).toBe('Images'), longTimeout)
    await page.keyboard.press('ArrowUp')
    const nameAbove = await focusedText()
    expect(nameAbove).not.toBe('Images')
    await page.keyboard.press('Space')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: `${nameAbove}` }).waitFor()
  })

  it('pauses several monitors, with undo', async () => {
    const owner = await createMonitorOwner('pauser')
    const { page, consoleErrors } = await tab.open(owner)
    await page.goto('/monitors')
    await checkbox(page, 'Blog').check()
    await checkbox(page, 'Shop').click({ modifiers: ['Shift'] })
    await page.getByRole('group', { name: 'Selected monitors' }).getByText('3 selected').waitFor()
    await expectNoViolations(page)
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('3 monitors paused.').waitFor()
    await page.getByRole('button', { name: 'Paused 4' }).waitFor()
    expect(await fetchStatuses(owner)).toMatchObject({
      Blog: 'paused',
      Gateway: 'paused',
      Shop: 'paused',
      Docs: 'down',
    })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('3 monitors resumed.').waitFor()
    await page.getByRole('button', { name: 'Paused 1' }).waitFor()
    expect(await fetchStatuses(owner)).toMatchObject({
      Blog: 'pending',
      Gateway: 'pending',
      Shop: 'pending',
      Images: 'paused',
    })
    expect(consoleErrors).toEqual([])
  })

  it('asks before deleting, and names the number of monitors', async () => {
    const eve = await server.createUser('eve')
    for (const friendly_name of ['One', 'Two', 'Three']) await createMonitor(eve.session, { friendly_name })
    const { page } = await tab.open(eve)
    await page.goto('/monitors')
    await checkbox(page, 'One').check()
    await checkbox(page, 'Two').check()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog', { name: 'Delete 2 monitors?' }).waitFor()
    await page.getByRole('button', { name: 'Delete 2 monitors' }).click()
    await page.getByText('2 monitors deleted.').waitFor()
    await expectNames(page, ['Three'])
    expect(await fetchStatuses(eve)).toEqual({ Three: 'pending' })
    await vi.waitFor(async () => {
      expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Select all 1 monitor')
    }, longTimeout)
  })

  it('explains monitors to a user who has none', async () => {
    const { page } = await tab.open(await server.createUser('newcomer'))
    await page.goto('/monitors')
    await page.getByRole('heading', { name: 'No monitors yet' }).waitFor()
    await page.getByRole('link', { name: 'Add your first monitor' }).waitFor()
    await expectNoViolations(page)
  })
})

describe('a long monitor list', () => {
  const MONITOR_COUNT = 1_200

  it('renders only visible rows, fits a phone, and pauses all monitors in several requests', async () => {
    const owner = await server.createUser('many')
    await insertMonitors(server, owner.id, MONITOR_COUNT)
    const { page, consoleErrors } = await tab.open(owner)
    onTestFinished(() => page.setViewportSize({ width: 1280, height: 720 }))
    await page.setViewportSize({ width: 320, height: 800 })
    await page.goto('/monitors')
    await rows(page).first().waitFor()
    expect(await rows(page).count()).toBeLessThan(60)
    expect(
      await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    ).toBeLessThanOrEqual(0)
    await page.getByRole('link', { name: 'Host 1', exact: true }).focus()
    await page.keyboard.press('End')
    await vi.waitFor(async () => {
      expect(await page.evaluate('document.activeElement.textContent')).toBe(`Host ${MONITOR_COUNT}`)
    }, longTimeout)
    let bulkRequestCount = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/api/monitors/bulk')) bulkRequestCount += 1
    })
    await page.getByRole('checkbox', { name: 'Select all 1,200 monitors' }).check()
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('1,200 monitors paused.').waitFor()
    expect(bulkRequestCount).toBe(2)
    expect(consoleErrors).toEqual([])
  })
})
