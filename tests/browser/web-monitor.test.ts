/** The page of a monitor at a browser, while checks go on. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Outbox, startOutbox, type TestNode } from '../support/alerts.ts'
import { expectNoViolations } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { addChecks, makeChecks } from '../support/check-results.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { addIncident, addWatch, judge, makeMonitor, showMonitor } from '../support/monitors.ts'
import { openSignedIn } from '../support/signed-in.ts'

const patience = { timeout: 20_000 }
const HOUR = 3_600
const DAY = 24 * HOUR

let outbox: Outbox
let browser: Browser
let checker: TestChecker
let node: TestNode
let target: HttpReceiver

beforeAll(async () => {
  outbox = await startOutbox()
  browser = await openBrowser()
  checker = await startChecker(outbox.server)
  node = await outbox.startNode()
  target = await startHttpReceiver()
  // The one that comes with an outbox looks at a host that is not there.
  await outbox.owner.session.put(`/api/monitors/${outbox.monitorId}`, { is_active: false })
})
afterAll(async () => {
  await browser.close()
  await checker.stop()
  await outbox.close()
  await target.close()
})
// Pages that stay open go on asking.
afterEach(() => Promise.all(browser.contexts().map((context) => context.close())))
beforeEach(() => target.answerWith(200, 'ok'))

async function open(options = {}) {
  const opened = await openSignedIn(browser, outbox.server, outbox.owner, options)
  // Sooner than the test's own, so that a failure says what was missing.
  opened.page.setDefaultTimeout(patience.timeout)
  return opened
}
const make = (fields: object = {}) => makeMonitor(outbox.owner.session, { url: target.address, retries: 0, ...fields })
const panel = (page: Page, name: string | RegExp) =>
  page.locator('section', { has: page.getByRole('heading', { level: 2, name }) })
const status = (page: Page) => page.locator('.monitor-status .status')

async function checkAfter(seconds: number): Promise<void> {
  outbox.clock.advance({ seconds })
  await checker.run()
}

/** A check ends a little after its beginning, where the clock stands: what it found is not due before. */
async function deliver(): Promise<void> {
  outbox.clock.advance({ seconds: 1 })
  await node.delivery.runOnce()
}

describe('the page of a monitor', () => {
  it('shows it going down and coming back without a reload, and what was sent to whom', async () => {
    const provider = await outbox.makeProvider({ name: 'Ops' })
    const { id } = await make({ friendly_name: 'Shop' })
    await outbox.owner.session.post(`/api/monitors/${id}/notifications`, { provider_id: provider })
    const { page, consoleErrors, externalRequests } = await open()
    await page.goto(`/monitors/${id}`)
    await page.getByText('The first check is on its way.').waitFor()
    await panel(page, 'Incidents in 24 hours').getByText('It was not down.').waitFor()

    await checkAfter(1)
    await page.getByRole('status').getByText('Shop is up.').waitFor({ state: 'attached' })
    await status(page).getByText('Up').waitFor()
    await page.getByRole('img', { name: 'The last check: fine' }).waitFor()

    target.answerWith(503, 'no')
    await checkAfter(60)
    await page.getByRole('status').getByText('Shop is down.').waitFor({ state: 'attached' })
    await status(page).getByText('Down').waitFor()
    await page.getByText('An unexpected status. Answered 503, expected 200-399.').waitFor()
    const incidents = panel(page, 'Incidents in 24 hours')
    await incidents.getByText('Goes on').waitFor()
    await incidents.getByText(/\d\d:\d\d:\d\d · Goes on/).waitFor()

    await deliver()
    await incidents.getByText('1 message sent').click()
    await incidents.getByText('Down to Ops (Slack)').waitFor()
    await expectNoViolations(page)

    target.answerWith(200, 'ok')
    await checkAfter(120)
    await page.getByRole('status').getByText('Shop is up.').waitFor({ state: 'attached' })
    await status(page).getByText('Up').waitFor()
    await incidents.getByText('It came back').waitFor()
    await incidents.getByText(/^2m/).waitFor()
    await deliver()
    await incidents.getByText('2 messages sent').waitFor()
    await incidents.getByText('Up again to Ops (Slack)').waitFor()
    await page.getByRole('img', { name: /up over 90 days, down on 1 day/ }).waitFor()
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  }, 60_000)

  it('checks when it is told to, and says what it found', async () => {
    const { id } = await make({ friendly_name: 'By hand' })
    const { page } = await open()
    await page.goto(`/monitors/${id}`)
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText(/^It works: status 200 in \d+ ms$/).waitFor()
    await page.getByText('Waiting for the answer').first().waitFor()
    await status(page).getByText('Up').waitFor()
    await page.getByRole('button', { name: 'Close the result' }).click()
    await page.getByText(/^It works/).waitFor({ state: 'detached' })

    // Whatever a later check finds, an older result does not contradict it.
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText(/^It works/).waitFor()
    target.answerWith(503, 'no')
    await checkAfter(60)
    await status(page).getByText('Down').waitFor()
    await page.getByText(/^It works/).waitFor({ state: 'detached' })
  })

  it('says what it waits for where there is no verdict yet', async () => {
    const { id } = await make({ friendly_name: 'Unsure', retries: 2 })
    target.answerWith(503, 'no')
    await checkAfter(1)
    const { page } = await open()
    await page.goto(`/monitors/${id}`)
    await page.getByText('It failed, and is checked again.').waitFor()
    outbox.clock.advance({ seconds: 1 })
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Waiting for the next check.').waitFor()
  })

  it('explains what the guard refuses, and which setting allows it', async () => {
    const { id } = await make({ friendly_name: 'Metadata', url: 'http://169.254.169.254/' })
    const { page, externalRequests } = await open()
    await page.goto(`/monitors/${id}`)
    await page.getByRole('button', { name: 'Check now' }).click()
    const result = page.getByRole('status').filter({ hasText: 'This address is not allowed here' })
    await result.getByText('only where BELFRY_PRIVATE_TARGETS lists that very address').waitFor()
    await result.getByText('Belfry does not connect there unless whoever runs this server allows it').waitFor()
    await expectNoViolations(page)
    expect(externalRequests).toEqual([])
  })

  it('pauses and takes it back, and deletes after asking', async () => {
    const { id } = await make({ friendly_name: 'Old' })
    const { page } = await open()
    await page.goto(`/monitors/${id}`)
    await page.getByRole('button', { name: 'Pause' }).click()
    await status(page).getByText('Paused').waitFor()
    await page.getByText('Old is paused.').first().waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    expect((await showMonitor(outbox.owner.session, id)).is_active).toBe(true)

    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog', { name: 'Delete Old?' }).getByText('This cannot be undone.').waitFor()
    await page.getByRole('button', { name: 'Delete this monitor' }).click()
    await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor()
    await page.getByText('Old is deleted.').waitFor()
    expect(await page.getByRole('link', { name: 'Old', exact: true }).count()).toBe(0)
    await page.goto(`/monitors/${id}`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.goto(`/monitors/${id}/edit`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  })

  it('that is deleted leaves no way back to it', async () => {
    const { id } = await make({ friendly_name: 'Short-lived' })
    const { page } = await open()
    await page.goto('/')
    await page.getByRole('link', { name: 'Monitors' }).click()
    await page.getByRole('link', { name: 'Short-lived', exact: true }).click()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Renamed')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/monitors/${id}`)
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete this monitor' }).click()
    await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor()
    await page.getByText('Renamed is deleted.').waitFor()
    await page.evaluate('history.back()')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  })
})

describe('who is told', () => {
  it('is chosen on the page, and can be taken back', async () => {
    const email = await outbox.makeProvider({
      provider_type: 'email',
      recipient_email: 'ops@example.com',
      webhook_url: undefined,
    })
    const { id } = await make({ friendly_name: 'Quiet' })
    const assigned = async () =>
      (await outbox.owner.session.get(`/api/monitors/${id}/notifications`)).body.data.map(
        (one: { provider_id: number; enabled: boolean }) => [one.provider_id, one.enabled],
      )
    const { page } = await open()
    await page.goto(`/monitors/${id}`)
    const told = panel(page, 'Who is told')
    await told.getByText('Nobody will be told.').waitFor()
    await told.getByLabel('Tell also').selectOption('ops@example.com (E-mail)')
    await told.getByRole('button', { name: 'Add' }).click()
    await told.getByText('Nobody will be told.').waitFor({ state: 'detached' })
    await told.getByText('E-mail is not set up on this server.').waitFor()
    expect(await assigned()).toEqual([[email, true]])

    await told.getByRole('checkbox', { name: 'ops@example.com' }).uncheck()
    await told.getByText('Nobody will be told.').waitFor()
    await vi.waitFor(async () => expect(await assigned()).toEqual([[email, false]]), patience)

    await told.getByRole('button', { name: 'Remove ops@example.com' }).click()
    await vi.waitFor(async () => expect(await assigned()).toEqual([]), patience)
    await page.getByRole('button', { name: 'Undo' }).click()
    await told.getByRole('checkbox', { name: 'ops@example.com' }).waitFor()
    expect(await assigned()).toEqual([[email, false]])
    await expectNoViolations(page)
  })
})

describe('the past of a monitor', () => {
  it('is told for each window: uptime, response times and incidents', async () => {
    const { server, clock } = outbox
    const { id } = await make({ friendly_name: 'Aged', url: 'https://aged.example.com/', is_active: false })
    const ago = (seconds: number) => new Date(clock.now().getTime() - 1_000 * seconds)
    await addWatch(server, id, { from: 40 * DAY, to: 10 })
    await judge(server, id, 'up')
    await addIncident(server, id, { from: 2 * HOUR, to: HOUR, detail: 'no answer within 10 s' })
    for (let day = 2; day < 27; day++) {
      await addIncident(server, id, {
        from: day * DAY,
        to: day * DAY - 60,
        cause: 'dns',
        detail: `lookup ${day} failed`,
      })
    }
    await addChecks(server.services.db, id, makeChecks({ from: ago(5 * HOUR), to: ago(60), everyMs: 300_000 }))

    const { page, consoleErrors } = await open({ viewport: { width: 360, height: 800 } })
    await page.goto(`/monitors/${id}`)
    await page.locator('dl div').filter({ hasText: 'Uptime, 24 hours' }).getByText('Down for 1h').waitFor()
    await page.getByRole('img', { name: /^Response times of 24 hours: half within/ }).waitFor()
    await panel(page, 'Incidents in 24 hours').getByText('It took too long').waitFor()
    await panel(page, 'Incidents in 24 hours').getByText('Nobody was told').waitFor()

    await page.getByRole('button', { name: '30 days' }).click()
    const incidents = panel(page, 'Incidents in 30 days')
    await incidents.getByText('26 incidents, 1h 25m down').waitFor()
    expect(new URL(page.url()).search).toBe('?window=30d')
    expect(await incidents.getByRole('listitem').count()).toBe(20)
    await incidents.getByRole('button', { name: 'Show more' }).click()
    await incidents.getByText('Lookup 26 failed.').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')).toBe(
      true,
    )
    await page.getByText('The numbers as a table').click()
    await expectNoViolations(page)
    expect(consoleErrors).toEqual([])
  })
})
