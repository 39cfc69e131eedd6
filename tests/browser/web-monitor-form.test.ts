/** Creating and editing monitors in a browser, and the page of a new heartbeat. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { button, type OpenedPage, openBrowser, overflowsSideways, type TestBrowser } from '../support/browser.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { chooseTimeZone } from '../support/choose-time-zone.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { allowLoopbackOnly, type LoopbackOnly } from '../support/loopback-only.ts'
import { serveTcp } from '../support/loopback-servers.ts'
import { createMonitor, getMonitor, monitorsPath } from '../support/monitors.ts'
import { startNameServer } from '../support/name-server.ts'
import { openForTest, showPage } from '../support/open-in-app.ts'
import { panel } from '../support/panel.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'
import { openSignedIn } from '../support/signed-in.ts'

// The accessibility checks are slow on a small machine.
vi.setConfig({ testTimeout: 60_000 })

const viewport = { width: 1280, height: 900 }

let server: TestServer
let browser: TestBrowser
let checker: TestChecker
let tab: SharedTab
let target: HttpReceiver
let network: LoopbackOnly
/** Her forms offer a notification channel and a parent monitor. */
let ada: TestUser
let parentId: number

beforeAll(async () => {
  target = await startHttpReceiver()
  // Other private addresses stay blocked, so that a test can see the rejection.
  server = await startTestServer({ env: { BELFRY_PRIVATE_TARGETS: '127.0.0.1' } })
  browser = await openBrowser()
  checker = await startChecker(server)
  tab = new SharedTab(server, browser, { viewport })
  network = allowLoopbackOnly()
  ada = await server.createUser('ada')
  await createChannel(ada, { name: 'Everyone' })
  parentId = (await createMonitor(ada.session, { friendly_name: 'Gateway', is_active: false })).id
})
afterAll(async () => {
  await browser.close()
  await checker.stop()
  await server.close()
  await target.close()
  network.end()
  expect(network.attempts).toEqual([])
})
beforeEach(() => {
  target.received.length = 0
  target.respondWith(200, 'Welcome')
})

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
const focusedLabel = 'document.activeElement?.labels?.[0]?.textContent'

async function createChannel(person: TestUser, fields: object): Promise<number> {
  const input = { provider_type: 'email', recipient_email: 'ops@example.com', ...fields }
  return (await person.session.post('/api/providers', input)).body.data.id
}

async function waitForSavedId(page: Page): Promise<number> {
  await page.waitForURL(/\/monitors\/\d+$/)
  return Number(page.url().split('/').at(-1))
}

async function chooseType(page: Page, name: string): Promise<void> {
  await openForTest(page, '/monitors/new')
  await page.getByRole('radio', { name, exact: true }).check()
}

async function save(page: Page) {
  await button(page, 'Add monitor').click()
  return getMonitor(ada.session, await waitForSavedId(page))
}

/**
 * Expects that the page sent no request to other servers and logged no error. The browser's own messages about rejected
 * input don't count.
 */
function expectNoErrors({ consoleErrors, externalRequests }: OpenedPage): void {
  expect({ consoleErrors: consoleErrors.filter((text) => !text.includes('422')), externalRequests }).toEqual({
    consoleErrors: [],
    externalRequests: [],
  })
}

describe('a new monitor', () => {
  it('is tested, then created with its settings and notification channels', async () => {
    const owner = await server.createUser('owner')
    const defaultChannelId = await createChannel(owner, { name: 'Everyone', assign_by_default: true })
    const selectedChannelId = await createChannel(owner, { name: 'Night shift' })
    const { page, consoleErrors, externalRequests } = await tab.open(owner)
    await page.goto(`/monitors/new?url=${target.address}/health`)
    expect(await field(page, 'Name').inputValue()).toBe('127.0.0.1')
    await page.getByText('Advanced settings').click()
    await button(page, 'Add header').click()
    await page.getByLabel('Name of header 1').fill('X-Token')
    await page.getByLabel('Value of X-Token').fill('s3cret token')
    await field(page, 'Response text').selectOption('Must contain')
    await field(page, 'Text').fill('Welcome')
    await button(page, 'Run test').click()
    await page.getByText(/^Check passed: status 200 in [\d,]+ ms$/).waitFor()
    await page.getByText('Waiting for response').waitFor()
    expect(target.received).toMatchObject([{ path: '/health', headers: { 'x-token': 's3cret token' } }])
    await expectNoViolations(page)

    await field(page, 'Name').fill('Shop')
    await field(page, 'Check every').selectOption('5 minutes')
    expect(await page.getByRole('checkbox', { name: 'Everyone' }).isChecked()).toBe(true)
    await page.getByRole('checkbox', { name: 'Everyone' }).uncheck()
    await page.getByRole('checkbox', { name: 'Night shift' }).check()
    await button(page, 'Add monitor').dblclick()
    const id = await waitForSavedId(page)
    const monitor = await getMonitor(owner.session, id)
    expect(monitor).toMatchObject({
      friendly_name: 'Shop',
      url: `${target.address}/health`,
      interval: 300,
      http: { headers: { 'X-Token': 'oken' }, keyword: 'Welcome', keyword_absent: null },
    })
    const { body } = await owner.session.get(`${monitorsPath}/${id}/notifications`)
    expect(body.data.map((assignment: { provider_id: number }) => assignment.provider_id)).toEqual([selectedChannelId])
    expect(selectedChannelId).not.toBe(defaultChannelId)
    expect((await owner.session.get(monitorsPath)).body.meta.total).toBe(1)
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('shows why its test failed', async () => {
    const { page } = await tab.open(ada)
    target.respondWith(503, 'unavailable')
    await openForTest(page, `/monitors/new?url=${target.address}/`)
    await button(page, 'Run test').click()
    await page.getByText('Unexpected status code').waitFor()
    await page.getByText('Status 503, expected 200–399.').waitFor()
    await field(page, 'URL').fill(`${target.address}/elsewhere`)
    await page.getByText("You've changed settings since this test.").waitFor()
  })

  it('explains why a private address is rejected, and which setting allows it', async () => {
    const { page } = await tab.open(ada)
    await page.setViewportSize({ width: 360, height: 800 })
    onTestFinished(() => page.setViewportSize(viewport))
    await openForTest(page, '/monitors/new?url=http://192.168.1.1/')
    await button(page, 'Run test').click()
    await page.getByText('Address not allowed').waitFor()
    await page
      .getByText(/192\.168\.1\.1 is a private address\. .* BELFRY_PRIVATE_TARGETS contains 192\.168\.1\.1\/32\./)
      .waitFor()
    await page.getByText('Ask the server operator to allow 192.168.1.1.').waitFor()
    await page.getByText(/anyone with an account could probe the internal network/).waitFor()
    expect(await overflowsSideways(page)).toBe(false)
    await expectNoViolations(page)
    expect(network.attempts).toEqual([])
  })

  it('shows a validation error next to its field, and keeps the input', async () => {
    const { page } = await tab.open(ada)
    await showPage(page, '/monitors')
    await page.getByRole('link', { name: 'Add monitor' }).first().click()
    await field(page, 'URL').fill('example.com/shop')
    await field(page, 'Name').fill('Kept name')
    expect(await field(page, 'URL').inputValue()).toBe('https://example.com/shop')
    await field(page, 'Check every').selectOption('Custom…')
    await field(page, 'Seconds between checks').fill('10')
    await page.getByText('Sends 8,640 requests a day to this target.').waitFor()
    await page.getByText('Advanced settings').click()
    await field(page, 'Timeout in seconds').fill('30')
    await page.getByText('Advanced settings').click()
    await button(page, 'Add monitor').click()
    await page.getByText('Must not be greater than interval (10).').waitFor()
    await expect.poll(() => page.evaluate(focusedLabel), { timeout: 20_000 }).toBe('Timeout in seconds')
    expect(await field(page, 'Timeout in seconds').getAttribute('aria-invalid')).toBe('true')
    expect(await field(page, 'Name').inputValue()).toBe('Kept name')
    await expectNoViolations(page)
    await field(page, 'Timeout in seconds').fill('5')
    await button(page, 'Add monitor').click()
    expect(await getMonitor(ada.session, await waitForSavedId(page))).toMatchObject({
      friendly_name: 'Kept name',
      interval: 10,
      timeout: 5,
    })
    await page.evaluate('history.back()')
    await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor()
  })
})

describe('the errors of a new monitor', () => {
  const isInvalid = async (page: Page, name: string) =>
    (await field(page, name).getAttribute('aria-invalid')) === 'true'

  it('appear at all invalid fields together, at no other field, and disappear when a field is corrected', async () => {
    const { page } = await tab.open(ada)
    await openForTest(page, '/monitors/new')
    await field(page, 'URL').fill('https://')
    await field(page, 'Check every').selectOption('Custom…')
    await field(page, 'Seconds between checks').fill('2')
    for (const action of ['Run test', 'Add monitor']) {
      await button(page, action).click()
      await expect.poll(() => isInvalid(page, 'URL'), { timeout: 20_000 }).toBe(true)
      expect(await isInvalid(page, 'Seconds between checks')).toBe(true)
      expect(await isInvalid(page, 'Name')).toBe(false)
    }
    await field(page, 'URL').fill('https://example.com/')
    await expect.poll(() => isInvalid(page, 'URL'), { timeout: 20_000 }).toBe(false)
    expect(await isInvalid(page, 'Seconds between checks')).toBe(true)
    await field(page, 'Seconds between checks').fill('60')
    await expect.poll(() => isInvalid(page, 'Seconds between checks'), { timeout: 20_000 }).toBe(false)
  })

  it('say that the connection is lost until the server responds again', async () => {
    const { page } = await tab.open(ada)
    await openForTest(page, '/monitors/new')
    await field(page, 'URL').fill(target.address)
    onTestFinished(() => page.context().setOffline(false))
    await page.context().setOffline(true)
    await button(page, 'Run test').click()
    await page.getByText('Connection lost.').waitFor()
    await page.context().setOffline(false)
    await page.getByText('Connection lost.').waitFor({ state: 'detached' })
    expect(await field(page, 'URL').inputValue()).toBe(target.address)
  })
})

describe('an edited monitor', () => {
  it('keeps its secret headers when it is tested and saved', async () => {
    const monitor = await createMonitor(ada.session, {
      url: `${target.address}/kept`,
      http: { headers: { Authorization: 'Bearer abcdef' } },
    })
    // A new tab has no page to which the application could return after saving.
    const { page, consoleErrors, externalRequests } = await openSignedIn(browser, server, ada, { viewport })
    await page.goto(`/monitors/${monitor.id}/edit`)
    expect(await page.getByLabel('Value of Authorization').getAttribute('placeholder')).toBe('Saved: ••••cdef')
    await field(page, 'Name').fill('Renamed')
    await button(page, 'Add header').click()
    await page.getByLabel('Name of header 2').fill('X-More')
    await page.getByLabel('Value of X-More').fill('another one')
    await button(page, 'Run test').click()
    await page.getByText(/^Check passed/).waitFor()
    const headers = { authorization: 'Bearer abcdef', 'x-more': 'another one' }
    expect(target.received.at(-1)?.headers).toMatchObject(headers)
    await button(page, 'Save changes').click()
    await waitForSavedId(page)
    await ada.session.post(`${monitorsPath}/${monitor.id}/check`)
    expect(target.received.at(-1)?.headers).toMatchObject(headers)
    expect((await getMonitor(ada.session, monitor.id)).friendly_name).toBe('Renamed')
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('asks for its secret headers again before it sends them to another origin', async () => {
    const monitor = await createMonitor(ada.session, {
      url: 'http://127.0.0.2:9/kept',
      http: { headers: { Authorization: 'Bearer abcdef' } },
    })
    const { page } = await tab.open(ada)
    // The application returns to the monitor's page after saving.
    await showPage(page, `/monitors/${monitor.id}`)
    await page.getByRole('link', { name: 'Edit' }).click()
    const value = page.getByLabel('Value of Authorization')
    expect(await value.getAttribute('placeholder')).toBe('Saved: ••••cdef')
    await field(page, 'URL').fill(`${target.address}/moved`)
    await page.getByText('Enter the saved values again, or remove these headers.').waitFor()
    expect(await value.getAttribute('placeholder')).toBe('Enter the value again')
    await button(page, 'Save changes').click()
    await page.getByText(/^Must contain the full value of Authorization/).waitFor()
    await expectNoViolations(page)
    await value.fill('Bearer of the new server')
    await button(page, 'Save changes').click()
    await waitForSavedId(page)
    await ada.session.post(`${monitorsPath}/${monitor.id}/check`)
    expect(target.received.at(-1)).toMatchObject({
      path: '/moved',
      headers: { authorization: 'Bearer of the new server' },
    })
  })

  it('asks before a link discards unsaved changes', async () => {
    const monitor = await createMonitor(ada.session)
    const { page } = await tab.open(ada)
    await showPage(page, `/monitors/${monitor.id}/edit`)
    await field(page, 'Name').fill('Not saved')
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await page.getByRole('link', { name: 'API keys' }).click()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await field(page, 'Name').inputValue()).toBe('Not saved')
    expect(new URL(page.url()).pathname).toBe(`/monitors/${monitor.id}/edit`)
    await page.getByRole('link', { name: 'API keys' }).click()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    expect((await getMonitor(ada.session, monitor.id)).friendly_name).toBe('Shop')
  })
})

describe('the monitor form creates', () => {
  it('a ping monitor', async () => {
    const openedPage = await tab.open(ada)
    const { page } = openedPage
    await chooseType(page, 'Ping')
    await field(page, 'Host').fill('127.0.0.1')
    await page.getByRole('switch', { name: 'Active' }).uncheck()
    expect(await save(page)).toMatchObject({ type: 'ping', url: '127.0.0.1', http: null })
    expectNoErrors(openedPage)
  })

  it('a TCP monitor', async () => {
    const redis = await serveTcp((socket) => void socket.on('data', () => socket.write('+PONG\r\n')), '127.0.0.1')
    const openedPage = await tab.open(ada)
    const { page } = openedPage
    await chooseType(page, 'TCP port')
    await field(page, 'Host and port').fill(`127.0.0.1:${redis.port}`)
    await field(page, 'Text to send').fill('PING\\r\\n')
    await field(page, 'Expected text').fill('+PONG')
    await button(page, 'Run test').click()
    await page.getByText(/^Check passed in/).waitFor()
    expect(await save(page)).toMatchObject({ type: 'tcp', tcp: { send: 'PING\r\n', expect: '+PONG' } })
    expectNoErrors(openedPage)
  })

  it('a DNS monitor', async () => {
    const nameServer = await startNameServer(({ name }) => ({ answers: [{ type: 'A', name, data: '203.0.113.7' }] }))
    const openedPage = await tab.open(ada)
    const { page } = openedPage
    await chooseType(page, 'DNS')
    await field(page, 'Name to look up').fill('example.com')
    await field(page, 'DNS server').fill('the one here')
    await field(page, 'Expected records').fill('203.0.113.8')
    await button(page, 'Run test').click()
    await page.getByText(/^Must be an IP address/).waitFor()
    await field(page, 'DNS server').fill(nameServer.serverAddress)
    await button(page, 'Run test').click()
    await page.locator('.check-result').getByText('203.0.113.7').first().waitFor()
    await field(page, 'Expected records').fill('203.0.113.7\n203.0.113.8')
    await field(page, 'The name must have').selectOption('At least one of these records')
    expect(await save(page)).toMatchObject({
      friendly_name: 'example.com DNS',
      dns: { record: 'A', resolver: nameServer.serverAddress, expected: ['203.0.113.7', '203.0.113.8'], match: 'any' },
    })
    expectNoErrors(openedPage)
  })

  it('a certificate monitor', async () => {
    const openedPage = await tab.open(ada)
    const { page } = openedPage
    await chooseType(page, 'Certificate')
    await field(page, 'Host').fill('example.com')
    await field(page, 'Days before expiry to send alerts').fill('21, 3')
    // Pause the monitor, because the checker of another test must not contact example.com.
    await page.getByRole('switch', { name: 'Active' }).uncheck()
    expect(await save(page)).toMatchObject({ url: 'example.com', interval: 3_600, tls: { warn_days: [21, 3] } })
    expectNoErrors(openedPage)
  })

  it('a domain monitor', async () => {
    const openedPage = await tab.open(ada)
    const { page } = openedPage
    await chooseType(page, 'Domain')
    await field(page, 'Domain').and(page.getByRole('textbox')).fill('www.example.com')
    await button(page, 'Add monitor').click()
    await page.getByText('Must be the registered domain: www.example.com belongs to example.com.').waitFor()
    await field(page, 'Domain').and(page.getByRole('textbox')).fill('example.com')
    await page.getByRole('switch', { name: 'Active' }).uncheck()
    expect(await save(page)).toMatchObject({ friendly_name: 'example.com domain', interval: 86_400 })
    expectNoErrors(openedPage)
  })

  it('an HTTP monitor with a condition on the JSON of its response', async () => {
    const api = await startHttpReceiver()
    api.respondWith(200, '{"status":"ok","queue":[3]}')
    const openedPage = await tab.open(ada)
    const { page } = openedPage
    await openForTest(page, `/monitors/new?url=${api.address}/`)
    await page.getByText('Advanced settings').click()
    await button(page, 'Add assertion').click()
    await page.getByLabel('Path of assertion 1').fill('status')
    await page.getByLabel('Value of assertion 1').fill('ok')
    await button(page, 'Run test').click()
    await expect
      .poll(() => page.getByLabel('Path of assertion 1').getAttribute('aria-invalid'), { timeout: 20_000 })
      .toBe('true')
    await page.getByLabel('Path of assertion 1').fill('$.status')
    await field(page, 'Maximum response time in milliseconds').fill('9000')
    await field(page, 'Depends on').selectOption('Gateway')
    await button(page, 'Run test').click()
    await page.getByText(/^Check passed: status 200/).waitFor()
    // In a window of this height, the bar with the buttons covers no field.
    await page.setViewportSize({ width: 1280, height: 2400 })
    await expectNoViolations(page)
    await page.setViewportSize(viewport)
    expect(await save(page)).toMatchObject({
      depends_on: parentId,
      http: { json: [{ path: '$.status', op: 'equals', value: 'ok' }], max_response_ms: 9_000 },
    })
    expectNoErrors(openedPage)
  })
})

it('the page of a new heartbeat shows its URL, then its runs and what they wrote', async () => {
  // The checker must not contact the hosts of the monitors that other tests added.
  await server.services.db.query('delete from monitors where id <> $1', [parentId])
  const { page } = await tab.open(ada)
  await chooseType(page, 'Heartbeat')
  expect(await button(page, 'Run test').count()).toBe(0)
  await field(page, 'A beat is expected').selectOption('Cron schedule…')
  await field(page, 'Cron expression').fill('30 2 * * *')
  await chooseTimeZone(page, 'berlin')
  await page.getByText('Next beats, in your time zone:').waitFor()
  await field(page, 'Cron expression').fill('every night')
  await button(page, 'Add monitor').click()
  await page.getByText(/^Must be a cron expression/).waitFor()
  await field(page, 'Cron expression').fill('30 2 * * *')
  await field(page, 'Name').fill('Backup')
  const { id, url } = await save(page)
  const report = panel(page, 'Report from your job')
  await report.getByText('Waiting for the first beat').waitFor()
  await report.getByText(url, { exact: true }).waitFor()
  await button(page, 'crontab').click()
  await report.getByText(`30 2 * * * /path/to/backup.sh; curl -fsS -m 10 --retry 5 -o /dev/null ${url}/$?`).waitFor()

  await fetch(`${url}/start`)
  server.clock.advance({ seconds: 125 })
  await fetch(`${url}/3`, { method: 'POST', body: '<b onclick="alert(1)">Disk full</b>\u001b[31m!\u001b[0m' })
  await checker.run()
  await page.getByRole('status').getByText('Backup is down.').waitFor({ state: 'attached' })
  await panel(page, 'Last output').getByText('<b onclick="alert(1)">Disk full</b>!').waitFor()
  const beats = panel(page, 'Latest beats')
  await beats.getByRole('row', { name: /^Failed .* 2 min 5 s 3$/ }).waitFor()
  await beats.getByRole('row', { name: /^Started/ }).waitFor()
  await panel(page, 'Incidents in the last 30 days').getByText('Job failed').first().waitFor()
  await panel(page, 'Run duration').getByRole('img').first().waitFor()
  expect(await button(page, 'Check now').count()).toBe(0)
  await expectNoViolations(page)
  expect(await getMonitor(ada.session, id)).toMatchObject({ last_response_ms: 125_000 })
})
