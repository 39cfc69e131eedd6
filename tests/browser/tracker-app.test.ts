/** The tracker on a page that changes its address by itself, and over the life of a page. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { html, type Stage, startStage } from '../support/site.ts'

let stage: Stage

beforeAll(async () => {
  const pages = (snippet: (attributes?: string) => string) => ({
    '/app': html(snippet(), '<a id="part" href="#part">Further down</a>'),
    '/hash': html(snippet('data-hash'), '<a id="route" href="#/users?page=2">Users</a>'),
    '/next': html(snippet()),
  })
  // Playwright turns the cache of whole pages off.
  stage = await startStage(pages, { ignoreDefaultArgs: ['--disable-back-forward-cache'] })
})
afterAll(() => stage.close())
beforeEach(() => stage.forget())

async function open(path: string): Promise<Page> {
  const { page } = await stage.visitor()
  await page.goto(stage.home + path)
  return page
}

describe('on a page that changes its address the tracker', () => {
  it('counts each new address once, coming from the one before', async () => {
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
    await stage.expect(
      [
        'pageview /app?utm_source=news from nowhere',
        'pageview /app/one from /app?utm_source=news',
        'pageview /app/one?page=2 from /app/one',
        'pageview /app/two from /app/one?page=2',
      ],
      page,
    )
  })

  it('does not take a tidied address for another page', async () => {
    const page = await open('/app?utm_source=news')
    await page.evaluate("history.replaceState({}, '', '/app')")
    await page.locator('#part').click()
    await page.evaluate("history.pushState({}, '', '/app#other')")
    await stage.expect(['pageview /app?utm_source=news from nowhere'], page)
  })

  it('counts the way back and forth', async () => {
    const page = await open('/app')
    await page.evaluate("history.pushState({}, '', '/app/one')")
    await stage.arrived(2)
    await page.evaluate('history.back()')
    await stage.arrived(3)
    await page.evaluate('history.forward()')
    const there = 'pageview /app/one from /app'
    await stage.expect(['pageview /app from nowhere', there, 'pageview /app from /app/one', there])
  })

  it('counts what follows the # where it is asked to', async () => {
    const page = await open('/hash')
    await page.locator('#route').click()
    await page.evaluate("location.hash = '/about'")
    await stage.expect([
      'pageview /hash from nowhere',
      'pageview /hash#/users?page=2 from /hash',
      'pageview /hash#/about from /hash#/users?page=2',
    ])
    // Or the server would leave it out.
    expect((await stage.arrived(3)).map(({ h }) => h)).toEqual([1, 1, 1])
  })

  it('sends the time on each of them, for its own address', async () => {
    const page = await open('/app')
    await page.clock.fastForward(5_000)
    await page.evaluate("history.pushState({}, '', '/app/one')")
    await page.clock.fastForward(900)
    await page.evaluate("history.pushState({}, '', '/app/two')")
    await page.clock.fastForward(3_000)
    await page.goto(`${stage.home}/next`)
    await stage.expect(
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

/** What a browser without a window cannot do: put a page behind another tab, or another window. */
async function cover(page: Page, { hidden, focused = !hidden }: { hidden: boolean; focused?: boolean }): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} })
    document.hasFocus = () => ${focused}
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    window.dispatchEvent(new Event('${focused ? 'focus' : 'blur'}'))`)
}

describe('over the life of a page the tracker', () => {
  it('measures only while somebody looks, and sends each second once', async () => {
    const page = await open('/app')
    await page.clock.fastForward(4_000)
    await cover(page, { hidden: false, focused: false })
    await page.clock.fastForward(60_000)
    await cover(page, { hidden: false })
    await page.clock.fastForward(2_000)
    await cover(page, { hidden: true })
    await page.clock.fastForward(60_000)
    await cover(page, { hidden: false })
    await page.clock.fastForward(3_000)
    await cover(page, { hidden: true })
    await stage.expect(['pageview /app from nowhere', '6000 ms on /app', '3000 ms on /app'], page)
  })

  it('waits until a tab in the background is looked at', async () => {
    const { page } = await stage.visitor()
    await page.addInitScript("Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })")
    await page.goto(`${stage.home}/app`)
    await page.evaluate("belfry('early')")
    await page.evaluate("history.replaceState({}, '', '/app?tidy')")
    await cover(page, { hidden: false })
    await stage.expect(['pageview /app?tidy from nowhere', 'early /app?tidy from nowhere'], page)
  })

  it('counts a page that comes back out of the browser’s cache', async () => {
    const page = await open('/app')
    await page.evaluate("addEventListener('pageshow', ({ persisted }) => belfry('restored', { props: { persisted } }))")
    await page.goto(`${stage.home}/next`)
    await stage.arrived(2)
    await page.evaluate('history.back()')
    await stage.expect([
      'pageview /app from nowhere',
      'pageview /next from nowhere',
      'pageview /app from /app',
      'restored /app from /app {"persisted":true}',
    ])
  })
})
