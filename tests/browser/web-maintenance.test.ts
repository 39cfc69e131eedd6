/** Tags, bulk changes, delays and maintenances in a browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { MonitorRecord } from '../../src/monitors/schema.ts'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { getSample } from '../support/channels.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { createMonitor, getMonitor } from '../support/monitors.ts'
import { panel } from '../support/panel.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'

const longTimeout = { timeout: 20_000 }

let server: TestServer
let browser: TestBrowser
let tab: SharedTab

beforeAll(async () => {
  server = await startTestServer()
  browser = await openBrowser()
  tab = new SharedTab(server, browser, { timezoneId: 'Europe/Berlin' })
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const expectNames = (page: Page, expected: string[]) =>
  vi.waitFor(
    async () => expect(await page.locator('.monitors-row [data-row-focus]').allTextContents()).toEqual(expected),
    longTimeout,
  )
async function fetchTags({ session }: TestUser): Promise<Record<string, string[]>> {
  const { body } = await session.get('/api/monitors')
  return Object.fromEntries(body.data.map(({ friendly_name, tags }: MonitorRecord) => [friendly_name, tags]))
}
const chooseInMenu = async (page: Page, button: string, item: string) => {
  await page.getByRole('group', { name: 'Selected monitors' }).getByRole('button', { name: button }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

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
    const owner = await server.createUser('editor')
    const { id } = await createMonitor(owner.session, { friendly_name: 'Shop', tags: ['old'] })
    await createMonitor(owner.session, { friendly_name: 'Blog' })
    const channel = { ...getSample('slack'), name: 'Ops' }
    const { id: channelId } = (await owner.session.post('/api/providers', channel)).body.data
    const listAssignments = async () =>
      (await owner.session.get(`/api/providers/${channelId}/monitors`)).body.data.map(
        (assigned: { friendly_name: string; delay_minutes: number }) => [
          assigned.friendly_name,
          assigned.delay_minutes,
        ],
      )
    const { page, consoleErrors } = await tab.open(owner)
    await page.goto(`/monitors/${id}`)
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Remove tag old' }).click()
    // Leaving the field adds the tag, too.
    await page.getByRole('combobox', { name: 'Tags' }).fill('fresh')
    await page.getByRole('checkbox', { name: 'Ops' }).check()
    await page.getByLabel('When to notify Ops').selectOption('Notify after 30 minutes')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('list', { name: 'Tags' }).getByRole('link', { name: 'fresh' }).waitFor()
    expect((await getMonitor(owner.session, id)).tags).toEqual(['fresh'])
    expect(await listAssignments()).toEqual([['Shop', 30]])

    const notifications = panel(page, 'Notifications')
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
    const body = { title: 'Deploy', duration_seconds: 600, all_monitors: true }
    expect((await owner.session.post('/api/maintenances', body)).status).toBe(201)
    await notice.getByText('Deploy').waitFor()
    await page.getByRole('link', { name: 'Maintenance' }).click()
    await page.getByRole('button', { name: 'End now: Deploy' }).waitFor()
    await expectNoViolations(page)
    expect(consoleErrors).toEqual([])
  })

  it('is planned to recur, listed in words, changed and deleted', async () => {
    const owner = await server.createUser('planner')
    await createMonitor(owner.session, { friendly_name: 'Shop', tags: ['shop'] })
    const { page, consoleErrors } = await tab.open(owner)
    await page.goto('/maintenance')
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
    await page.getByRole('combobox', { name: 'Tags' }).fill('shop')
    await page.keyboard.press('Enter')
    await page.getByText('Monitors with any of these tags: 1 monitor now.').waitFor()
    await page.getByRole('button', { name: 'Plan maintenance' }).click()

    const row = page.getByRole('listitem').filter({ hasText: 'Reindex' })
    await row.getByText('Every Saturday and Sunday 02:00–03:00 Europe/Berlin').waitFor()
    await row.getByText('Next: Sat 10 Jan, 02:00–03:00').waitFor()
    await expectNoViolations(page)
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
