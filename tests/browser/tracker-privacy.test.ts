/** Visitors that the tracker doesn't count, and pages that it must not break. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createHtmlPage, startTrackerFixture, type TrackerFixture } from '../support/tracked-site.ts'

let fixture: TrackerFixture
let snippetHtml = ''

/** A click on this link doesn't leave the page. */
const outboundLink = `<a id="outside" href="http://shop.example.net/offer">An offer</a>
<script>addEventListener('click', (event) => event.preventDefault())</script>`

/** Scripts that change the browser before the tracker starts, by the path of their page. */
const changes = {
  '/dnt': "Object.defineProperty(navigator, 'doNotTrack', { get: () => '1' })",
  '/old-dnt': "window.doNotTrack = '1'",
  '/gpc': "Object.defineProperty(navigator, 'globalPrivacyControl', { get: () => true })",
  '/opted-out': "localStorage.belfry_ignore = 'true'",
  '/willing': `
    Object.defineProperty(navigator, 'doNotTrack', { get: () => 'unspecified' })
    Object.defineProperty(navigator, 'globalPrivacyControl', { get: () => false })
    localStorage.belfry_ignore = 'false'`,
  '/no-storage': "Object.defineProperty(window, 'localStorage', { get() { throw new Error('No storage') } })",
  '/no-keepalive': 'delete Request.prototype.keepalive',
}

beforeAll(async () => {
  fixture = await startTrackerFixture((snippet) => {
    snippetHtml = snippet()
    const snippetWithoutDomain = snippetHtml.replace(/data-domain=\S+/, '')
    const changedPages = Object.entries(changes).map(([path, script]) => [
      path,
      createHtmlPage(`<script>${script}</script>${snippetHtml}`, outboundLink),
    ])
    return {
      ...Object.fromEntries(changedPages),
      '/': createHtmlPage(snippetHtml, outboundLink),
      '/no-domain': createHtmlPage(snippetWithoutDomain),
      '/lost': createHtmlPage(snippetWithoutDomain.replace('defer', 'type="module"')),
      '/strict': createHtmlPage(
        `<meta http-equiv="Content-Security-Policy" content="connect-src 'none'">${snippetHtml}`,
      ),
    }
  })
})
afterAll(() => fixture.close())

/** Does everything that makes the tracker send an event, and waits for the callback of the last event. */
async function triggerEvents(page: Page): Promise<void> {
  await page.evaluate("history.pushState({}, '', '/app')")
  await page.clock.fastForward(5_000)
  await page.evaluate("history.pushState({}, '', '/app/two')")
  await page.evaluate("new Promise((resolve) => belfry('signup', { callback: () => resolve() }))")
}

describe('the tracker sends nothing', () => {
  it.each([
    ['with Do Not Track', 'dnt'],
    ['with Do Not Track in older browsers', 'old-dnt'],
    ['with Global Privacy Control', 'gpc'],
    ['for a visitor who opted out', 'opted-out'],
  ])('%s', async (_title, name) => {
    const { page, consoleErrors } = await fixture.startVisit()
    // Each host has its own localStorage, so the other tests don't see that this visitor opted out.
    await page.goto(`${fixture.site.getOrigin(`${name}.example.com`)}/${name}`)
    await page.locator('#outside').click()
    await triggerEvents(page)
    await page.goto(fixture.blankUrl)
    expect(fixture.received).toEqual([])
    expect(consoleErrors).toEqual([])
  })

  it('from a local file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'belfry-page-'))
    await writeFile(join(folder, 'page.html'), createHtmlPage(snippetHtml))
    const { page, consoleErrors } = await fixture.startVisit()
    await page.goto(`file://${folder}/page.html`)
    await page.evaluate("new Promise((resolve) => belfry('signup', { callback: () => resolve() }))")
    await rm(folder, { recursive: true })
    expect(fixture.received).toEqual([])
    expect(consoleErrors).toEqual([])
  })
})

describe('the tracker', () => {
  const listExpectedEvents = (path: string) => [
    `pageview ${path} from nowhere`,
    `pageview /app from ${path}`,
    '5000 ms on /app',
    'pageview /app/two from /app',
    'signup /app/two from /app',
  ]

  it('sends events when Do Not Track and Global Privacy Control are off', async () => {
    const { page } = await fixture.startVisit()
    await page.goto(`${fixture.home}/willing`)
    await triggerEvents(page)
    await fixture.expectEvents(listExpectedEvents('/willing'))
  })

  it('works without access to localStorage', async () => {
    const { page, consoleErrors } = await fixture.startVisit()
    await page.goto(`${fixture.home}/no-storage`)
    await triggerEvents(page)
    await fixture.expectEvents(listExpectedEvents('/no-storage'))
    expect(consoleErrors).toEqual([])
  })

  it('works without support for keepalive requests', async () => {
    const { page, consoleErrors } = await fixture.startVisit()
    await page.goto(`${fixture.home}/no-keepalive`)
    await triggerEvents(page)
    await fixture.expectEvents(listExpectedEvents('/no-keepalive'))
    const [request] = fixture.received
    expect(request?.headers).toMatchObject({ 'content-type': 'text/plain;charset=UTF-8', 'sec-fetch-mode': 'no-cors' })
    expect(consoleErrors).toEqual([])
  })

  it('survives invalid calls from the page', async () => {
    const { page, consoleErrors } = await fixture.startVisit()
    await page.goto(fixture.home)
    await page.evaluate(`{
      const circular = {}
      circular.self = circular
      belfry('circular', { props: circular })
      belfry('big', { props: { n: 1n } })
      belfry('null', null)
      belfry()
      document.dispatchEvent(new Event('click'))
      window.dispatchEvent(new Event('click'))
    }`)
    await fixture.expectEvents(['pageview / from nowhere', 'null / from nowhere', 'undefined / from nowhere'], page)
    expect(consoleErrors).toEqual([])
  })

  it('throws nothing when the Content-Security-Policy blocks its requests', async () => {
    const { page, consoleErrors } = await fixture.startVisit()
    await page.goto(`${fixture.home}/strict`)
    await triggerEvents(page)
    expect(fixture.received).toEqual([])
    // The browser logs the violation; the tracker throws nothing.
    expect(consoleErrors.filter((text) => !text.includes('Content Security Policy'))).toEqual([])
  })

  it('without data-domain uses the host of the page, but sends nothing if it is loaded as a module', async () => {
    const { page, consoleErrors } = await fixture.startVisit()
    await page.goto(`${fixture.home}/no-domain`)
    expect(await fixture.waitForEvents(1)).toMatchObject([{ n: 'pageview', d: 'example.com' }])
    await page.goto(`${fixture.home}/lost`)
    await triggerEvents(page)
    expect(fixture.received).toHaveLength(1)
    expect(consoleErrors).toEqual([])
  })

  it('throws nothing when its requests fail', async () => {
    const { page } = await fixture.startVisit()
    await page.route('**/api/event', (route) => route.abort())
    onTestFinished(() => page.unroute('**/api/event'))
    const thrownErrors: Error[] = []
    page.on('pageerror', (error) => thrownErrors.push(error))
    await page.goto(fixture.home)
    await triggerEvents(page)
    expect(thrownErrors).toEqual([])
  })
})
