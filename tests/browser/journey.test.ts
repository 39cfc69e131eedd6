/**
 * From the first start to daily use: one user in one browser, with a real monitored server, Slack receiver and tracked
 * website.
 */
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenedPage, openBrowser, openPage, type TestBrowser } from '../support/browser.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { TestClock } from '../support/clock.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { openInApp } from '../support/open-in-app.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { createHtmlPage, type SitePages, startTestSite, type TestSite } from '../support/tracked-site.ts'

const account = { email: 'ada@example.com', password: 'correct horse battery' }
/** The pages of the test website. `addFirstWebsite` adds a page with the snippet that Belfry shows. */
const pages: SitePages = {}

let server: TestServer
let browser: TestBrowser
let site: TestSite
let target: HttpReceiver
let slackReceiver: HttpReceiver
let checker: TestChecker
let context: BrowserContext
let adminPage: OpenedPage
let page: Page
/** The page of a visitor who is not signed in. */
let visitor: Page

beforeAll(async () => {
  // The server's clock starts at the browser's time, so that both agree on today's date.
  server = await startTestServer({
    clock: new TestClock(new Date()),
    env: { BELFRY_PRIVATE_TARGETS: 'allow', BELFRY_ROLES: 'web,worker' },
  })
  browser = await openBrowser()
  site = await startTestSite(pages)
  target = await startHttpReceiver()
  slackReceiver = await startHttpReceiver()
  checker = await startChecker(server)
  context = await browser.newContext({ baseURL: server.address, locale: 'en-GB' })
  adminPage = await openPage(context, server.address)
  page = adminPage.page
  // This is shorter than the timeout of the test, so that a failure names the missing element.
  page.setDefaultTimeout(20_000)
  visitor = await browser.newPage()
})
afterAll(async () => {
  await browser.close()
  await checker.stop()
  await Promise.all([server.close(), site.close(), target.close(), slackReceiver.close()])
})

/** Advances the clock and runs all checks that are due. */
async function checkAfter(seconds: number) {
  server.clock.advance({ seconds })
  await checker.run()
}

describe('a new server', () => {
  // Each step continues where the previous one ended, in the same page.
  it('is set up and used by its admin', { timeout: 240_000 }, async () => {
    await createAdminAccount()
    await addFirstWebsite()
    await countFirstVisit()
    await monitorTarget()
    await sendTestNotification()
    await createAndRevokeKey()
    await changePrivacy()
    expectNoErrors()
  })
})

/** The setup link creates the admin account. */
async function createAdminAccount(): Promise<void> {
  await page.goto(server.setupPath ?? '')
  await page.getByLabel('Email').fill(account.email)
  await page.getByLabel('Password').fill(account.password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Web analytics' }).waitFor()
}

/** The page of the first website shows the snippet and waits for the first visit. */
async function addFirstWebsite(): Promise<void> {
  await page.getByLabel('Domain').fill('https://www.example.com/start')
  await page.getByRole('button', { name: 'Add website' }).click()
  await page.getByText('Waiting for the first visit').waitFor()
  const snippet = await page.locator('code', { hasText: 'b.js' }).innerText()
  pages['/'] = createHtmlPage(snippet, '<h1>Welcome</h1>')
}

/** A visit from this browser is counted, and the waiting page updates. */
async function countFirstVisit(): Promise<void> {
  const visit = async () => {
    const eventResponse = visitor.waitForResponse((response) => response.url().endsWith('/api/event'))
    await visitor.goto(`${site.getOrigin('www.example.com')}/`)
    return (await eventResponse).headers()['x-belfry-dropped']
  }
  // Headless browsers count as bots, so the page offers to include bots.
  expect(await visit()).toBe('bot')
  await page.bringToFront()
  await page.getByText('1 visit ignored: bot').waitFor()
  await page.getByRole('button', { name: 'Count bots too' }).click()
  await page.getByText('Bots are counted now.').first().waitFor()
  expect(await visit()).toBeUndefined()
  await page.bringToFront()
  await page.getByText('First visit counted').waitFor()
  await page.getByRole('link', { name: 'View statistics for example.com' }).click()
  await page.getByText('1 visitor now').waitFor()
  await page
    .getByRole('button', { name: /^Visitors/ })
    .getByText('1', { exact: true })
    .first()
    .waitFor()
}

/** The page of a monitor shows live when its target goes down and recovers. */
async function monitorTarget(): Promise<void> {
  await openInApp(page, '/monitors/new')
  await page.getByLabel('URL').fill(`${target.address}/`)
  await page.getByLabel('Name', { exact: true }).fill('Shop')
  await page.getByRole('button', { name: 'Run test' }).click()
  await page.getByText(/^Check passed/).waitFor()
  await page.getByRole('button', { name: 'Add monitor' }).click()
  await page.getByRole('heading', { name: 'Shop', level: 1 }).waitFor()
  const status = page.locator('.status')
  await checkAfter(0)
  await status.getByText('Up', { exact: true }).first().waitFor()
  target.respondWith(503, 'closed')
  await checkAfter(61)
  for (let retry = 0; retry < 2; retry++) await checkAfter(6)
  await status.getByText('Down', { exact: true }).first().waitFor()
  await page.getByText(/503/).first().waitFor()
  target.respondWith(200, 'open')
  await checkAfter(61)
  await status.getByText('Up', { exact: true }).first().waitFor()
}

/** The page of a notification channel shows the response to a test notification. */
async function sendTestNotification(): Promise<void> {
  slackReceiver.respondWith(200, 'ok')
  await openInApp(page, '/notification-channels/new')
  await page.getByRole('radio', { name: 'Slack' }).check()
  await page.getByLabel('Webhook URL').fill(`${slackReceiver.address}/services/T1/B2/secret`)
  await page.getByRole('button', { name: 'Add channel' }).click()
  await page.getByRole('heading', { level: 1, name: 'Slack …cret' }).waitFor()
  await page.getByRole('button', { name: 'Send test' }).click()
  await page
    .getByText(/Slack accepted the message/)
    .first()
    .waitFor()
  expect(slackReceiver.received.at(-1)?.body).toContain('Test notification')
}

/** An API key works until it is revoked. */
async function createAndRevokeKey(): Promise<void> {
  await openInApp(page, '/keys')
  await page.getByRole('button', { name: 'Create API key' }).click()
  await page.getByLabel('Name').fill('deploy')
  await page.getByLabel('View monitors, checks and incidents').check()
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = await page.getByRole('dialog').locator('code', { hasText: /^bf_/ }).innerText()
  const client = server.anyone.as({ key })
  expect((await client.get('/api/monitors')).body.data).toMatchObject([{ friendly_name: 'Shop', status: 'up' }])
  await page.getByRole('button', { name: "I've copied it" }).click()
  await page.getByRole('button', { name: 'Revoke deploy' }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByText('No API keys yet').waitFor()
  expect((await client.get('/api/monitors')).status).toBe(401)
}

/** Statistics are public, private or protected by a password. */
async function changePrivacy(): Promise<void> {
  const address = `${server.address}/example.com`
  const setPrivacy = async (choice: string, password?: string) => {
    await page.getByRole('radio', { name: choice }).check()
    if (password !== undefined) await page.locator('input[type=password]').fill(password)
    // The message about the previous change may still be shown, so this waits for the response, too.
    const saveResponse = page.waitForResponse((response) => response.request().method() === 'PUT')
    await page.getByRole('button', { name: 'Save changes' }).click()
    expect((await saveResponse).status()).toBe(200)
    await page.getByText('Settings saved.', { exact: true }).first().waitFor()
  }
  expect((await visitor.request.get(address)).status()).toBe(404)

  await openInApp(page, '/example.com/settings')
  await setPrivacy('Public')
  expect((await visitor.goto(address))?.status()).toBe(200)
  await visitor.getByRole('heading', { name: /example\.com/ }).waitFor()
  await visitor.getByRole('heading', { name: 'Pages' }).waitFor()

  await setPrivacy('Password-protected', 'open sesame')
  expect((await visitor.goto(address))?.status()).toBe(401)
  await visitor.getByLabel('Password').fill('open sesame')
  await visitor.getByRole('button', { name: 'View statistics' }).click()
  await visitor.getByRole('heading', { name: 'Pages' }).waitFor()
}

/** Expects that the admin's pages sent no request to other servers and logged no error. */
function expectNoErrors(): void {
  const { consoleErrors, externalRequests } = adminPage
  expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
}
