/** Visitors that the tracker doesn't count, and pages that it must not break. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createHtmlPage, startTrackerFixture, type TrackerFixture } from '../support/tracked-site.ts'

let fixture: TrackerFixture
let snippetHtml = ''

const outboundLink = '<a id="outside" href="http://shop.example.net/offer" target="_blank">An offer</a>'

beforeAll(async () => {
  fixture = await startTrackerFixture((snippet) => {
    snippetHtml = snippet()
    const snippetWithoutDomain = snippetHtml.replace(/data-domain=\S+/, '')
    return {
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
beforeEach(() => fixture.clearEvents())

/** Does everything that makes the tracker send an event, and waits for the callback of the last event. */
async function triggerEvents(page: Page): Promise<void> {
  await page.evaluate("history.pushState({}, '', '/app')")
  await page.clock.fastForward(5_000)
  await page.evaluate("history.pushState({}, '', '/app/two')")
  await page.evaluate("new Promise((resolve) => belfry('signup', { callback: () => resolve() }))")
}

describe('the tracker sends nothing', () => {
  it.each([
    ['with Do Not Track', "Object.defineProperty(navigator, 'doNotTrack', { get: () => '1' })"],
    ['with Do Not Track in older browsers', "window.doNotTrack = '1'"],
    ['with Global Privacy Control', "Object.defineProperty(navigator, 'globalPrivacyControl', { get: () => true })"],
    ['for a visitor who opted out', "localStorage.belfry_ignore = 'true'"],
  ])('%s', async (_title, setting) => {
    const { page, consoleErrors } = await fixture.openVisitor()
    await page.addInitScript(`if (location.host) ${setting}`)
    await page.goto(fixture.home)
    await page.locator('#outside').click()
    await triggerEvents(page)
    await page.goto('about:blank')
    expect(fixture.received).toEqual([])
    expect(consoleErrors).toEqual([])
  })

  it('from a local file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'belfry-page-'))
    await writeFile(join(folder, 'page.html'), createHtmlPage(snippetHtml))
    const { page, consoleErrors } = await fixture.openVisitor()
    await page.goto(`file://${folder}/page.html`)
    await page.evaluate("new Promise((resolve) => belfry('signup', { callback: () => resolve() }))")
    await rm(folder, { recursive: true })
    expect(fixture.received).toEqual([])
    expect(consoleErrors).toEqual([])
  })
})

describe('the tracker', () => {
  const expectedEvents = [
    'pageview / from nowhere',
    'pageview /app from /',
    '5000 ms on /app',
    'pageview /app/two from /app',
  ]

  it('sends events when Do Not Track and Global Privacy Control are off', async () => {
    const { page } = await fixture.openVisitor()
    await page.addInitScript(`
      Object.defineProperty(navigator, 'doNotTrack', { get: () => 'unspecified' })
      Object.defineProperty(navigator, 'globalPrivacyControl', { get: () => false })
      if (location.host) localStorage.belfry_ignore = 'false'`)
    await page.goto(fixture.home)
    await triggerEvents(page)
    await fixture.expectEvents([...expectedEvents, 'signup /app/two from /app'])
  })

  it('works without access to localStorage', async () => {
    const { page, consoleErrors } = await fixture.openVisitor()
    await page.addInitScript(
      "Object.defineProperty(window, 'localStorage', { get() { throw new Error('No storage') } })",
    )
    await page.goto(fixture.home)
    await triggerEvents(page)
    await fixture.expectEvents([...expectedEvents, 'signup /app/two from /app'])
    expect(consoleErrors).toEqual([])
  })

  it('works without support for keepalive requests', async () => {
    const { page, consoleErrors } = await fixture.openVisitor()
    await page.addInitScript('delete Request.prototype.keepalive')
    await page.goto(fixture.home)
    await triggerEvents(page)
    await fixture.expectEvents([...expectedEvents, 'signup /app/two from /app'])
    const [request] = fixture.received
    expect(request?.headers).toMatchObject({ 'content-type': 'text/plain;charset=UTF-8', 'sec-fetch-mode': 'no-cors' })
    expect(consoleErrors).toEqual([])
  })

  it('survives invalid calls from the page', async () => {
    const { page, consoleErrors } = await fixture.openVisitor()
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
    const { page, consoleErrors } = await fixture.openVisitor()
    await page.goto(`${fixture.home}/strict`)
    await triggerEvents(page)
    expect(fixture.received).toEqual([])
    // The browser logs the violation; the tracker throws nothing.
    expect(consoleErrors.filter((text) => !text.includes('Content Security Policy'))).toEqual([])
  })

  it('without data-domain uses the host of the page, but sends nothing if it is loaded as a module', async () => {
    const { page, consoleErrors } = await fixture.openVisitor()
    await page.goto(`${fixture.home}/no-domain`)
    expect(await fixture.waitForEvents(1)).toMatchObject([{ n: 'pageview', d: 'example.com' }])
    await page.goto(`${fixture.home}/lost`)
    await triggerEvents(page)
    expect(fixture.received).toHaveLength(1)
    expect(consoleErrors).toEqual([])
  })

  it('throws nothing when its requests fail', async () => {
    const { page } = await fixture.openVisitor()
    await page.route('**/api/event', (route) => route.abort())
    const thrownErrors: Error[] = []
    page.on('pageerror', (error) => thrownErrors.push(error))
    await page.goto(fixture.home)
    await triggerEvents(page)
    expect(thrownErrors).toEqual([])
  })
})
