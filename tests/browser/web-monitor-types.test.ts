/** Creating a monitor of each type in a browser, the page of a heartbeat, and watching the domain of a website. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { button, type OpenedPage, openBrowser, type TestBrowser } from '../support/browser.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { startHttpReceiver } from '../support/http-receiver.ts'
import { allowLoopbackOnly, type LoopbackOnly } from '../support/loopback-only.ts'
import { serveTcp } from '../support/loopback-servers.ts'
import { createMonitor, getMonitor, monitorsPath } from '../support/monitors.ts'
import { startNameServer } from '../support/name-server.ts'
import { showPage } from '../support/open-in-app.ts'
import { panel } from '../support/panel.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'
import { createSite } from '../support/traffic.ts'

vi.setConfig({ testTimeout: 60_000 })

let server: TestServer
let browser: TestBrowser
let checker: TestChecker
let tab: SharedTab
let ada: TestUser
let network: LoopbackOnly

beforeAll(async () => {
  server = await startTestServer({ env: { BELFRY_PRIVATE_TARGETS: '127.0.0.1' } })
  browser = await openBrowser()
  checker = await startChecker(server)
  tab = new SharedTab(server, browser, { viewport: { width: 1280, height: 900 } })
  ada = await server.createUser('ada')
  network = allowLoopbackOnly()
})
afterAll(async () => {
  await browser.close()
  await checker.stop()
  await server.close()
  network.end()
  expect(network.attempts).toEqual([])
})

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })

async function chooseType(page: Page, name: string): Promise<void> {
  await showPage(page, '/monitors/new')
  await page.getByRole('radio', { name, exact: true }).check()
}

async function save(page: Page) {
  await button(page, 'Add monitor').click()
  await page.waitForURL(/\/monitors\/\d+$/)
  return getMonitor(ada.session, Number(page.url().split('/').at(-1)))
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
    const parent = await createMonitor(ada.session, { friendly_name: 'Gateway', is_active: false })
    const openedPage = await tab.open(ada)
    const { page } = openedPage
    // The form must offer the new monitor as a parent, so load the page.
    await page.goto(`/monitors/new?url=${api.address}/`)
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
    // In a window of this height, the bar with the buttons covers no field.
    await page.setViewportSize({ width: 1280, height: 2400 })
    await expectNoViolations(page)
    await page.setViewportSize({ width: 1280, height: 900 })
    await button(page, 'Run test').click()
    await page.getByText(/^Check passed: status 200/).waitFor()
    expect(await save(page)).toMatchObject({
      depends_on: parent.id,
      http: { json: [{ path: '$.status', op: 'equals', value: 'ok' }], max_response_ms: 9_000 },
    })
    expectNoErrors(openedPage)
  })
})

it('the page of a new heartbeat shows its URL, then its runs and what they wrote', async () => {
  const { page } = await tab.open(ada)
  await chooseType(page, 'Heartbeat')
  expect(await button(page, 'Run test').count()).toBe(0)
  await field(page, 'A beat is expected').selectOption('Cron schedule…')
  await field(page, 'Cron expression').fill('30 2 * * *')
  await field(page, 'Time zone').selectOption('Europe/Berlin')
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
  await beats.getByRole('row', { name: /^Failed .* 2m 5s 3$/ }).waitFor()
  await beats.getByRole('row', { name: /^Started/ }).waitFor()
  await panel(page, 'Incidents in the last 30 days').getByText('Job failed').first().waitFor()
  await panel(page, 'Run duration').getByRole('img').first().waitFor()
  expect(await button(page, 'Check now').count()).toBe(0)
  await expectNoViolations(page)
  expect(await getMonitor(ada.session, id)).toMatchObject({ last_response_ms: 125_000 })
})

it('the page of a monitor names the parent monitor that explains an incident', async () => {
  const router = await createMonitor(ada.session, { friendly_name: 'Router', url: 'http://127.0.0.1:9/', retries: 0 })
  const shop = await createMonitor(ada.session, { url: 'http://127.0.0.1:9/', retries: 0, depends_on: router.id })
  await ada.session.post(`${monitorsPath}/${router.id}/check`)
  await ada.session.post(`${monitorsPath}/${shop.id}/check`)
  const { page } = await tab.open(ada)
  await page.goto(`/monitors/${shop.id}`)
  await page.locator('.monitor-incident').getByText('Because Router is down').waitFor()
  await ada.session.put(`${monitorsPath}/${router.id}`, { is_active: false })
  await page.locator('.monitor-incident').getByText('Because Router was down').waitFor()
  await page.locator('.monitor-incident').getByRole('link', { name: 'Router' }).click()
  await page.getByRole('heading', { level: 1, name: 'Router' }).waitFor()
})

describe('watching the domain and certificate of a website', () => {
  const listMonitors = async ({ session }: TestUser) =>
    (await session.get(monitorsPath)).body.data.map(({ type, url }: { type: string; url: string }) => [type, url])

  /**
   * Deletes the user's monitors after the test, so that the checker of another test doesn't contact the servers of
   * these websites.
   */
  async function createOwner(name: string): Promise<TestUser> {
    const user = await server.createUser(name)
    onTestFinished(
      async () => void (await server.services.db.query('delete from monitors where user_id = $1', [user.id])),
    )
    return user
  }

  it('adds two monitors with one click, and undo removes them', async () => {
    const eve = await createOwner('eve')
    await createSite(eve, 'shop.example.co.uk')
    const { page } = await tab.open(eve)
    await page.goto('/shop.example.co.uk/settings')
    await button(page, 'Watch domain and certificate').click()
    await page.getByText('2 monitors added.').waitFor()
    await page.getByRole('link', { name: 'example.co.uk domain' }).waitFor()
    await page.getByRole('link', { name: 'shop.example.co.uk certificate' }).waitFor()
    expect(await listMonitors(eve)).toEqual([
      ['tls', 'shop.example.co.uk'],
      ['domain', 'example.co.uk'],
    ])
    await button(page, 'Undo').click()
    await button(page, 'Watch domain and certificate').waitFor()
    expect(await listMonitors(eve)).toEqual([])
  })

  it('says which domains have no registration data', async () => {
    const bob = await createOwner('bob')
    const { page } = await tab.open(bob)
    await page.goto('/websites/new')
    await field(page, 'Domain').fill('tidewater.example')
    await button(page, 'Add website').click()
    await button(page, 'Watch domain and certificate').click()
    await page.getByText("Can't be checked: the registry of .example offers no RDAP.").waitFor()
    await page.getByRole('link', { name: 'tidewater.example certificate' }).waitFor()
    await button(page, 'Watch domain').waitFor()
    // A certificate monitor doesn't check uptime, so the step "Monitor uptime" stays open.
    await page.getByRole('link', { name: 'Monitor uptime' }).waitFor()
    expect(await listMonitors(bob)).toEqual([['tls', 'tidewater.example']])
  })
})
