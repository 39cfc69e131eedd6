/** The tracker on single-page applications, and over the lifecycle of a page. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHtmlPage, startTrackerFixture, type TrackerFixture } from '../support/tracked-site.ts'

let fixture: TrackerFixture

beforeAll(async () => {
  const createPages = (snippet: (attributes?: string) => string) => ({
    '/app': createHtmlPage(snippet(), '<a id="part" href="#part">Further down</a>'),
    '/hash': createHtmlPage(snippet('data-hash'), '<a id="route" href="#/users?page=2">Users</a>'),
    '/background': createHtmlPage(
      `<script>Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })</script>${snippet()}`,
    ),
    '/next': createHtmlPage(snippet()),
  })
  fixture = await startTrackerFixture(createPages)
})
afterAll(() => fixture.close())

async function open(path: string): Promise<Page> {
  const { page } = await fixture.startVisit()
  await page.goto(fixture.home + path)
  return page
}

describe('the tracker on a single-page application', () => {
  it('counts each new URL once, with the previous URL as its referrer', async () => {
    const page = await open('/app?utm_source=news')
    for (const change of [
      "history.pushState({}, '', '/app/one')",
      "history.pushState({}, '', '/app/one')",
      "history.pushState({}, '', '/app/one?page=2')",
      "history.replaceState({}, '', '/app/two')",
      "history.pushState({}, '')",
    ]) {
      await page.evaluate(change)
    }
    await fixture.expectEvents(
      [
        'pageview /app?utm_source=news from nowhere',
        'pageview /app/one from /app?utm_source=news',
        'pageview /app/one?page=2 from /app/one',
        'pageview /app/two from /app/one?page=2',
      ],
      page,
    )
  })

  it("doesn't count removed parameters or a new hash as another page", async () => {
    const page = await open('/app?utm_source=news')
    await page.evaluate("history.replaceState({}, '', '/app')")
    await page.locator('#part').click()
    await page.evaluate("history.pushState({}, '', '/app#other')")
    await fixture.expectEvents(['pageview /app?utm_source=news from nowhere'], page)
  })

  it('counts back and forward navigation', async () => {
    const page = await open('/app')
    await page.evaluate("history.pushState({}, '', '/app/one')")
    await fixture.waitForEvents(2)
    await page.evaluate('history.back()')
    await fixture.waitForEvents(3)
    await page.evaluate('history.forward()')
    const forwardPageview = 'pageview /app/one from /app'
    await fixture.expectEvents([
      'pageview /app from nowhere',
      forwardPageview,
      'pageview /app from /app/one',
      forwardPageview,
    ])
  })

  it('counts hash changes with data-hash', async () => {
    const page = await open('/hash')
    await page.locator('#route').click()
    await page.evaluate("location.hash = '/about'")
    await fixture.expectEvents([
      'pageview /hash from nowhere',
      'pageview /hash#/users?page=2 from /hash',
      'pageview /hash#/about from /hash#/users?page=2',
    ])
    // Without h: 1, the server removes the hash.
    expect((await fixture.waitForEvents(3)).map(({ h }) => h)).toEqual([1, 1, 1])
  })

  it('sends the time on each page with the URL of that page', async () => {
    const page = await open('/app')
    await page.clock.fastForward(5_000)
    await page.evaluate("history.pushState({}, '', '/app/one')")
    await page.clock.fastForward(900)
    await page.evaluate("history.pushState({}, '', '/app/two')")
    await page.clock.fastForward(3_000)
    await page.goto(`${fixture.home}/next`)
    await fixture.expectEvents(
      [
        'pageview /app from nowhere',
        '5000 ms on /app',
        'pageview /app/one from /app',
        'pageview /app/two from /app/one',
        '3000 ms on /app/two',
        'pageview /next from nowhere',
      ],
      page,
    )
  })
})

/** Simulates moving the page behind another tab or window, which a headless browser can't do. */
async function setVisibility(
  page: Page,
  { isHidden, isFocused = !isHidden }: { isHidden: boolean; isFocused?: boolean },
): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} })
    document.hasFocus = () => ${isFocused}
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    window.dispatchEvent(new Event('${isFocused ? 'focus' : 'blur'}'))`)
}

describe('the tracker over the lifecycle of a page', () => {
  it('measures time only while the page is visible and focused, and never sends it twice', async () => {
    const page = await open('/app')
    await page.clock.fastForward(4_000)
    await setVisibility(page, { isHidden: false, isFocused: false })
    await page.clock.fastForward(60_000)
    await setVisibility(page, { isHidden: false })
    await page.clock.fastForward(2_000)
    await setVisibility(page, { isHidden: true })
    await page.clock.fastForward(60_000)
    await setVisibility(page, { isHidden: false })
    await page.clock.fastForward(3_000)
    await setVisibility(page, { isHidden: true })
    await fixture.expectEvents(['pageview /app from nowhere', '6000 ms on /app', '3000 ms on /app'], page)
  })

  it('waits until a background tab becomes visible', async () => {
    const page = await open('/background')
    await page.evaluate("belfry('early')")
    await page.evaluate("history.replaceState({}, '', '/app?tidy')")
    await setVisibility(page, { isHidden: false })
    await fixture.expectEvents(['pageview /app?tidy from nowhere', 'early /app?tidy from nowhere'], page)
  })
})
