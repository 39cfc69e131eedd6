/** The monitor list, tags, bulk changes, delays and maintenances in a browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { MonitorRecord } from '../../src/monitors/schema.ts'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { getSample } from '../support/channels.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import {
  addIncident,
  addMonitoredPeriod,
  createMonitor,
  getMonitor,
  insertMonitors,
  setFirstStatus,
} from '../support/monitors.ts'
import { openForTest } from '../support/open-in-app.ts'
import { panel } from '../support/panel.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'

const longTimeout = { timeout: 20_000 }
const DAY_SECONDS = 86_400

let server: TestServer
let browser: TestBrowser
let tab: SharedTab
let ada: TestUser
/** Has the monitors Shop and Blog, and the channel Ops. */
let bea: TestUser
let beasShopId: number
let beasChannelId: number

beforeAll(async () => {
  server = await startTestServer()
  browser = await openBrowser()
  tab = new SharedTab(server, browser, { timezoneId: 'Europe/Berlin' })
  ada = await createMonitorOwner('ada')
  bea = await server.createUser('bea')
  beasShopId = (await createMonitor(bea.session, { friendly_name: 'Shop', tags: ['old'] })).id
  await createMonitor(bea.session, { friendly_name: 'Blog', tags: ['blog'] })
  const channel = { ...getSample('slack'), name: 'Ops' }
  beasChannelId = (await bea.session.post('/api/providers', channel)).body.data.id
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

async function fetchTags({ session }: TestUser): Promise<Record<string, string[]>> {
  const { body } = await session.get('/api/monitors')
  return Object.fromEntries(body.data.map(({ friendly_name, tags }: MonitorRecord) => [friendly_name, tags]))
}
const chooseInMenu = async (page: Page, button: string, item: string) => {
  await page.getByRole('group', { name: 'Selected monitors' }).getByRole('button', { name: button }).click()
  await page.getByRole('menuitem', { name: item }).click()
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
    await page.getByRole('tooltip').getByText('1 incident, down for 2 h').waitFor()
    await page.getByRole('button', { name: 'Paused 1' }).waitFor()
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('keeps search, filters and sort order in the URL', async () => {
    const { page } = await tab.open(ada)
    await openForTest(page, '/monitors')
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
    await openForTest(page, '/monitors')
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

describe('tags', () => {
  it('filter the list of monitors, and are added to and removed from many monitors, with undo', async () => {
    const owner = await server.createUser('tagger')
    await createMonitor(owner.session, { friendly_name: 'Alpha', tags: ['Shop'] })
    await createMonitor(owner.session, { friendly_name: 'Beta', tags: ['eu'] })
    await createMonitor(owner.session, { friendly_name: 'Gamma' })
    const { page, consoleErrors, externalRequests } = await tab.open(owner)
    await page.goto('/monitors')
    await page.getByTitle('Filter by tag Shop').click()
    await expectNames(page, ['Alpha'])
    expect(new URL(page.url()).search).toBe('?tag=Shop')
    await page.getByRole('button', { name: 'Remove filter Shop' }).click()
    await expectNames(page, ['Alpha', 'Beta', 'Gamma'])

    await page.getByRole('checkbox', { name: 'Select all 3 monitors' }).check()
    await chooseInMenu(page, 'Tags', 'Add tags…')
    const dialog = page.getByRole('dialog', { name: 'Add tags to 3 monitors' })
    const input = dialog.getByRole('combobox', { name: 'Tags' })
    await input.fill('sh')
    await dialog.getByRole('option', { name: 'Shop' }).click()
    await input.fill('new')
    await page.keyboard.press('Enter')
    await input.fill('wrong,')
    await dialog.getByText('wrong', { exact: true }).waitFor()
    await page.keyboard.press('Backspace')
    await dialog.getByText('wrong', { exact: true }).waitFor({ state: 'detached' })
    await expectNoViolations(page)
    await dialog.getByRole('button', { name: 'Add tags', exact: true }).click()
    await page.getByText('Tags Shop, new added to 3 monitors.').waitFor()
    expect(await fetchTags(owner)).toEqual({
      Alpha: ['Shop', 'new'],
      Beta: ['eu', 'Shop', 'new'],
      Gamma: ['Shop', 'new'],
    })
    await page.getByRole('search').getByRole('button', { name: 'Tags' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'eu 1' }).click()
    await expectNames(page, ['Beta'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Tags Shop, new removed from 3 monitors.').waitFor()
    expect(await fetchTags(owner)).toEqual({ Alpha: ['Shop'], Beta: ['eu'], Gamma: [] })
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('and delays of channels are saved with a monitor, and a channel is added to many monitors', async () => {
    const listAssignments = async () =>
      (await bea.session.get(`/api/providers/${beasChannelId}/monitors`)).body.data.map(
        (assigned: { friendly_name: string; delay_minutes: number }) => [
          assigned.friendly_name,
          assigned.delay_minutes,
        ],
      )
    const { page, consoleErrors } = await tab.open(bea)
    await openForTest(page, `/monitors/${beasShopId}`)
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Remove tag old' }).click()
    // Leaving the field adds the tag, too.
    await page.getByRole('combobox', { name: 'Tags' }).fill('fresh')
    await page.getByRole('checkbox', { name: 'Ops' }).check()
    await page.getByLabel('When to notify Ops').selectOption('Notify after 30 minutes')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('list', { name: 'Tags' }).getByRole('link', { name: 'fresh' }).waitFor()
    expect((await getMonitor(bea.session, beasShopId)).tags).toEqual(['fresh'])
    expect(await listAssignments()).toEqual([['Shop', 30]])

    const notifications = panel(page, 'Notification channels')
    await notifications.getByLabel('When to notify Ops').selectOption('Custom…')
    await notifications.getByLabel('Minutes before Ops is notified').fill('7')
    await page.keyboard.press('Enter')
    await page.getByText('This channel is now notified after 7 minutes.').waitFor()

    await page.getByRole('link', { name: 'Monitors' }).click()
    await page.getByRole('checkbox', { name: 'Select all 2 monitors' }).check()
    await chooseInMenu(page, 'Channels', 'Add channel…')
    await page.getByRole('button', { name: 'Add channel', exact: true }).click()
    await page.getByText('Ops added to 1 monitor.').waitFor()
    await chooseInMenu(page, 'Channels', 'Remove channel…')
    await page.getByRole('button', { name: 'Remove channel', exact: true }).click()
    await page.getByText('Ops removed from 2 monitors.').waitFor()
    expect(await listAssignments()).toEqual([])
    await page.locator('.toast').filter({ hasText: 'removed' }).getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Changes undone.').waitFor()
    expect((await listAssignments()).sort()).toEqual([
      ['Blog', 0],
      ['Shop', 7],
    ])
    expect(consoleErrors).toEqual([])
  })
})

describe('a maintenance', () => {
  it('is started on the page of a monitor, shown wherever the status of the monitor is shown, and ended early', async () => {
    const owner = await server.createUser('operator')
    const { id } = await createMonitor(owner.session, { friendly_name: 'Shop' })
    const { page, consoleErrors } = await tab.open(owner)
    await page.goto(`/monitors/${id}`)
    await page.getByRole('button', { name: 'Maintenance' }).click()
    await page.getByRole('menuitem', { name: '30 minutes' }).click()
    await page.getByText(/^Maintenance of Shop started, until /).waitFor()
    const notice = page.locator('.monitor-maintenance')
    await notice.getByText(/^In maintenance until .*11:30\.$/).waitFor()
    expect(await getMonitor(owner.session, id)).toMatchObject({ in_maintenance: true })
    await expectNoViolations(page)
    await page.getByRole('link', { name: 'Monitors' }).click()
    await page.locator('.monitors-row .maintenance-badge').waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.locator('.overview-row .maintenance-badge').waitFor()
    await page.getByRole('link', { name: 'Shop', exact: true }).click()
    await notice.getByRole('button', { name: 'End now' }).click()
    await page.getByText('Maintenance of Shop ended.').waitFor()
    await notice.waitFor({ state: 'detached' })
    expect(await getMonitor(owner.session, id)).toMatchObject({ in_maintenance: false })

    // The page shows a maintenance that was started through the API, without a reload.
    const recurrence = { cron: '0 2 * * 6', time_zone: 'Europe/Berlin', duration_seconds: 3_600 }
    for (const fields of [
      { title: 'Reindex', recurrence },
      { title: 'Deploy', duration_seconds: 600 },
    ]) {
      const { status } = await owner.session.post('/api/maintenances', { ...fields, all_monitors: true })
      expect(status).toBe(201)
    }
    await notice.getByText('Deploy').waitFor()
    await page.getByRole('link', { name: 'Maintenance' }).click()
    await page.getByRole('button', { name: 'End now: Deploy' }).waitFor()
    await page.getByRole('link', { name: 'Edit Reindex' }).waitFor()
    await expectNoViolations(page)
    expect(consoleErrors).toEqual([])
  })

  it('is planned to recur, listed in words, changed and deleted', async () => {
    const { page, consoleErrors } = await tab.open(bea)
    await openForTest(page, '/maintenance')
    await page.getByRole('heading', { name: 'No maintenance planned' }).waitFor()
    await page.getByText(/^curl -fsS http.*\/api\/maintenances .*duration_seconds=900/).waitFor()
    await page.getByRole('link', { name: 'Plan maintenance' }).click()
    await page.getByLabel('Title').fill('Reindex')
    await page.getByRole('button', { name: 'Recurring' }).click()
    await page.getByRole('checkbox', { name: 'Saturday' }).check()
    await page.getByLabel('Duration').selectOption('1 hour')
    await page.getByRole('radio', { name: 'Monitors with a tag' }).check()
    await expectNoViolations(page)
    // The error is shown at its field, and the form keeps what was typed.
    await page.getByRole('button', { name: 'Plan maintenance' }).click()
    await page.getByText('Choose at least one monitor or tag.').waitFor()
    await page.getByRole('combobox', { name: 'Tags' }).fill('blog')
    await page.keyboard.press('Enter')
    await page.getByText('Monitors with any of these tags: 1 monitor now.').waitFor()
    await page.getByRole('button', { name: 'Plan maintenance' }).click()

    const row = page.getByRole('listitem').filter({ hasText: 'Reindex' })
    await row.getByText('Every Saturday and Sunday 02:00–03:00 Europe/Berlin').waitFor()
    await row.getByText('Next: Sat 10 Jan, 02:00–03:00').waitFor()
    await row.getByRole('link', { name: 'Edit Reindex' }).click()
    await page.getByRole('button', { name: 'Cron expression' }).click()
    await page.getByLabel('Cron expression').fill('0 4 1 * *')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await row.getByText('On day 1 of every month 04:00–05:00 Europe/Berlin').waitFor()
    await row.getByRole('button', { name: 'Delete Reindex' }).click()
    await page.getByRole('button', { name: 'Delete maintenance' }).click()
    await page.getByRole('heading', { name: 'No maintenance planned' }).waitFor()
    expect(consoleErrors).toEqual([
      'Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)',
    ])
  })
})
