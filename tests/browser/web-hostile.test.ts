/** Every page shows hostile text from users, visitors and monitored servers as text and never runs it. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { TestClock } from '../support/clock.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { openInApp } from '../support/open-in-app.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { openSignedIn } from '../support/signed-in.ts'
import { createSite, sendView } from '../support/traffic.ts'

/** Each text sets `window.ran` if a page executes it. */
const hostileTexts = [
  '<script>window.ran = 1</script>',
  '</script><script>window.ran = 1</script>',
  '"><img src=x onerror="window.ran = 1">',
  "'><svg onload='window.ran = 1'>",
  'javascript:window.ran=1//',
  '{{constructor.constructor("window.ran = 1")()}}',
  '$' + '{window.ran = 1}',
]
const allTexts = hostileTexts.join(' ')

let server: TestServer
let browser: TestBrowser
let receiver: HttpReceiver
let checker: TestChecker
let ada: TestUser
let monitorId: number
let channelId: number

beforeAll(async () => {
  // The server's clock starts at the browser's time, so that both agree on today's date.
  server = await startTestServer({
    clock: new TestClock(new Date()),
    env: { BELFRY_PRIVATE_TARGETS: 'allow' },
  })
  browser = await openBrowser()
  receiver = await startHttpReceiver()
  checker = await startChecker(server)
  ada = await server.createUser('ada', { isAdmin: true })
  await storeTraffic()
  await storeMonitoring()
})
afterAll(async () => {
  await browser.close()
  await checker.stop()
  await Promise.all([server.close(), receiver.close()])
})

/** Puts the hostile texts into every field that a visitor's browser controls. */
async function storeTraffic() {
  await createSite(ada, 'example.com', { exclude_bots: 0, favorite: true })
  for (const [index, text] of hostileTexts.entries()) {
    const visitor = {
      address: `81.2.69.${index + 1}`,
      agent: `Mozilla/5.0 ${text}`,
      headers: { 'accept-language': text },
    }
    const query = new URLSearchParams({ utm_source: text, utm_campaign: text, utm_medium: text, [text]: text })
    await sendView(server, 'example.com', `/${text}?${query}#${text}`, {
      ...visitor,
      fields: { h: 1, r: `https://evil.example/${text}` },
    })
    await sendView(server, 'example.com', '/', {
      ...visitor,
      fields: { n: text, p: { [text]: text }, r: text, s: text },
    })
    await sendView(server, 'example.com', '/', { ...visitor, fields: { n: 'Outbound Link: Click', p: { url: text } } })
  }
}

/** Puts the hostile texts into every field that a user, a monitored server or a notification service controls. */
async function storeMonitoring() {
  const post = async (path: string, json: object) => (await ada.session.post(path, json)).body.data
  receiver.respondWith(500, allTexts)
  const channel = { provider_type: 'slack', webhook_url: `${receiver.address}/hook`, assign_by_default: true }
  channelId = (await post('/api/providers', { ...channel, name: allTexts.slice(0, 100), channel: hostileTexts[0] })).id
  const http = { headers: { 'X-Text': hostileTexts[0] ?? '' }, body: allTexts, keyword: allTexts, method: 'POST' }
  const target = `${receiver.address}/${encodeURI(allTexts)}`
  const tags = hostileTexts.map((text) => text.slice(0, 50))
  const monitor = { friendly_name: allTexts.slice(0, 100), url: target, retries: 0, http, tags }
  monitorId = (await post('/api/monitors', monitor)).id
  await post('/api/monitors', { friendly_name: hostileTexts[2], url: 'https://example.com/', is_active: false })
  const maintenance = { title: allTexts.slice(0, 100), note: allTexts, duration_seconds: 86_400, tags }
  await post('/api/maintenances', maintenance)
  await post('/api/keys', { name: allTexts.slice(0, 100), scopes: ['monitors:read'] })
  await checker.run()
  server.clock.advance({ minutes: 2 })
  await checker.run()
  await ada.session.post(`/api/providers/${channelId}/test`)
  const updateAlerts = 'update alerts set title = $1, answer = $1, state = $2, next_attempt_at = null, attempts = 1'
  await server.services.db.query(updateAlerts, [allTexts, 'failed'])
  await server.services.db.query('update providers set failure = $1, failed_at = now()', [allTexts])
  await server.services.db.query('update incidents set detail = $1', [allTexts])
  await server.services.db.query('update monitor_states set last_error = $1', [allTexts])
}

/** Pages that the browser loads from the server, whose HTML could contain a part of the URL. */
const loadedPaths = [
  `/?q=${encodeURIComponent(allTexts)}`,
  `/example.com?filter=${encodeURIComponent(`page:/${hostileTexts[0]}`)}&period=${encodeURIComponent(allTexts)}`,
  `/${encodeURIComponent(allTexts)}`,
]
/** Pages that the tab opens without loading the document again. The server's HTML of all these pages is the same. */
const listInAppPaths = () => [
  '/example.com/settings',
  '/example.com',
  '/websites/new',
  '/',
  `/monitors?q=${encodeURIComponent(hostileTexts[0] ?? '')}`,
  `/monitors/new?url=${encodeURIComponent(`javascript:${allTexts}`)}`,
  '/monitors',
  `/monitors/${monitorId}`,
  `/monitors/${monitorId}/edit`,
  '/maintenance',
  '/notification-channels',
  `/notification-channels/${channelId}`,
  '/keys',
  '/users',
  '/account',
]

/**
 * Runs in the page, because there are many clicks, and Playwright needs more processor time for each. After a click, it waits until the
 * page shows the result.
 */
const clickEverything = `(async () => {
  const waitForFrames = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  const openers = document.querySelectorAll('main :is(button[aria-expanded="false"], [role="tab"], summary)')
  for (const button of openers) {
    button.click()
    await waitForFrames()
  }
})()`

/** Opens all menus, tabs and dialogs. */
async function openEverything(page: Page) {
  // Wait until no part of the page is still loading.
  await page.locator('main .skeleton').first().waitFor({ state: 'detached' })
  await page.evaluate(clickEverything)
  for (const viewAll of await page.locator('main button', { hasText: /^View all/ }).all()) {
    await viewAll.click({ timeout: 2_000 }).catch(() => {})
    await page.keyboard.press('Escape')
  }
}

/** Whether the page ran a hostile text, how many elements come from such texts, and the links that could run a script. */
const findDamage = `({
  ran: window.ran,
  elements: document.querySelectorAll('img[src="x"], svg[onload], main script').length,
  links: [...document.links].filter(({ protocol }) => !/^https?:$/.test(protocol)).map(({ href }) => href),
})`

describe('hostile text', () => {
  it('is never executed on any page, but displayed as text', async () => {
    const { page, consoleErrors, externalRequests } = await openSignedIn(browser, server, ada)
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    const visibleTexts = new Map([
      [`/monitors/${monitorId}`, '<script>window.ran = 1</script>'],
      ['/example.com', 'window.ran = 1'],
    ])
    const inAppPaths = listInAppPaths()
    for (const path of [...loadedPaths, ...inAppPaths]) {
      if (inAppPaths.includes(path)) await openInApp(page, path)
      else await page.goto(path)
      await page
        .locator('h1')
        .waitFor()
        .catch(() => expect.fail(`${path}: ${consoleErrors}`))
      const visibleText = visibleTexts.get(path)
      if (visibleText !== undefined) await page.getByText(visibleText).first().waitFor()
      await openEverything(page)
      expect(await page.evaluate(findDamage), path).toEqual({ ran: undefined, elements: 0, links: [] })
    }
    // The browser logs the 404 of the unknown path.
    const unexpectedErrors = consoleErrors.filter((text) => !/status of 404/.test(text))
    expect({ dialogs, unexpectedErrors, externalRequests }).toEqual({
      dialogs: [],
      unexpectedErrors: [],
      externalRequests: [],
    })
  }, 120_000)
})
