/** Texts of other people's making are shown and never run, on whatever page they come up. */
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { TestClock } from '../support/clock.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import { openSignedIn } from '../support/signed-in.ts'
import { createSite, view } from '../support/traffic.ts'

/** Each would set a mark if it ran. */
const hostile = [
  '<script>window.ran = 1</script>',
  '</script><script>window.ran = 1</script>',
  '"><img src=x onerror="window.ran = 1">',
  "'><svg onload='window.ran = 1'>",
  'javascript:window.ran=1//',
  '{{constructor.constructor("window.ran = 1")()}}',
  '$' + '{window.ran = 1}',
]
const all = hostile.join(' ')

let server: TestServer
let browser: Browser
let receiver: HttpReceiver
let checker: TestChecker
let ada: Person
let monitorId: number
let providerId: number

beforeAll(async () => {
  // By the browser's clock, so that today is today for both.
  server = await startTestServer({
    clock: new TestClock(new Date()),
    env: { BELFRY_PRIVATE_TARGETS: 'allow' },
  })
  browser = await openBrowser()
  receiver = await startHttpReceiver()
  checker = await startChecker(server)
  ada = await server.person('ada', { isAdmin: true })
  await storeTraffic()
  await storeMonitoring()
})
afterAll(async () => {
  await browser.close()
  await checker.stop()
  await Promise.all([server.close(), receiver.close()])
})

/** In every text that a visitor's browser chooses. */
async function storeTraffic() {
  await createSite(ada, 'example.com', { exclude_bots: 0, favorite: true })
  for (const [index, text] of hostile.entries()) {
    const visitor = {
      address: `81.2.69.${index + 1}`,
      agent: `Mozilla/5.0 ${text}`,
      headers: { 'accept-language': text },
    }
    const query = new URLSearchParams({ utm_source: text, utm_campaign: text, utm_medium: text, [text]: text })
    await view(server, 'example.com', `/${text}?${query}#${text}`, visitor, { h: 1, r: `https://evil.example/${text}` })
    await view(server, 'example.com', '/', visitor, { n: text, p: { [text]: text }, r: text, s: text })
    await view(server, 'example.com', '/', visitor, { n: 'Outbound Link: Click', p: { url: text } })
  }
}

/** In every text that an owner, a monitored server or a receiver chooses. */
async function storeMonitoring() {
  const post = async (path: string, json: object) => (await ada.session.post(path, json)).body.data
  receiver.answerWith(500, all)
  const provider = { provider_type: 'slack', webhook_url: `${receiver.address}/hook`, assign_by_default: true }
  providerId = (await post('/api/providers', { ...provider, name: all.slice(0, 100), channel: hostile[0] })).id
  const http = { headers: { 'X-Text': hostile[0] ?? '' }, body: all, keyword: all, method: 'POST' }
  const target = `${receiver.address}/${encodeURI(all)}`
  const monitor = { friendly_name: all.slice(0, 100), url: target, retries: 0, http }
  monitorId = (await post('/api/monitors', monitor)).id
  await post('/api/monitors', { friendly_name: hostile[2], url: 'https://example.com/', is_active: false })
  await post('/api/keys', { name: all.slice(0, 100), scopes: ['monitors:read'] })
  await checker.run()
  server.clock.advance({ minutes: 2 })
  await checker.run()
  await ada.session.post(`/api/providers/${providerId}/test`)
  const alert = 'update alerts set title = $1, answer = $1, state = $2, next_attempt_at = null, attempts = 1'
  await server.services.db.query(alert, [all, 'failed'])
  await server.services.db.query('update providers set failure = $1, failed_at = now()', [all])
  await server.services.db.query('update incidents set detail = $1', [all])
  await server.services.db.query('update monitor_states set last_error = $1', [all])
}

const paths = () => [
  '/',
  `/?q=${encodeURIComponent(all)}`,
  '/example.com',
  `/example.com?filter=${encodeURIComponent(`page:/${hostile[0]}`)}&period=${encodeURIComponent(all)}`,
  '/example.com/settings',
  '/websites/new',
  '/monitors',
  `/monitors?q=${encodeURIComponent(hostile[0] ?? '')}`,
  `/monitors/${monitorId}`,
  `/monitors/${monitorId}/edit`,
  `/monitors/new?url=${encodeURIComponent(`javascript:${all}`)}`,
  '/providers',
  `/providers/${providerId}`,
  '/keys',
  '/users',
  '/account',
  `/${encodeURIComponent(all)}`,
]

const expectCount = (locator: Locator, count: number) =>
  vi.waitFor(async () => expect(await locator.count()).toBe(count), { timeout: 20_000 })

/** Whatever opens, is opened; then the page is looked through for links that would run something. */
async function openEverything(page: Page) {
  // Grey boxes stand where something is still to come.
  await expectCount(page.locator('main .skeleton'), 0)
  for (const button of await page
    .locator('main button[aria-expanded="false"], main [role="tab"], main summary')
    .all()) {
    await button.click({ timeout: 2_000 }).catch(() => {})
  }
  for (const more of await page.getByRole('button', { name: /^More/ }).all()) {
    await more.click({ timeout: 2_000 }).catch(() => {})
    await page.keyboard.press('Escape')
  }
  const links = (await page.evaluate('[...document.links].map(({ protocol }) => protocol)')) as string[]
  expect(new Set(links).difference(new Set(['http:', 'https:']))).toEqual(new Set())
}

describe('hostile texts', () => {
  it('are shown on every page and run on none', async () => {
    const { page, complaints, outside } = await openSignedIn(browser, server, ada)
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    for (const path of paths()) {
      await page.goto(path)
      await page
        .locator('h1')
        .waitFor()
        .catch(() => expect.fail(`${path}: ${complaints}`))
      await openEverything(page)
      expect(await page.evaluate('window.ran'), path).toBeUndefined()
      expect(await page.locator('img[src="x"], svg[onload], main script').count(), path).toBe(0)
    }
    // A path of nothing is answered with 404, which a browser reports.
    const refused = complaints.filter((text) => !/status of 404/.test(text))
    expect({ dialogs, refused, outside }).toEqual({ dialogs: [], refused: [], outside: [] })
  }, 120_000)

  it('are there to be read', async () => {
    const { page } = await openSignedIn(browser, server, ada)
    await page.goto(`/monitors/${monitorId}`)
    await page.getByText('<script>window.ran = 1</script>').first().waitFor()
    await page.goto('/example.com')
    await page.getByText('window.ran = 1').first().waitFor()
  })
})
