/** The tracker on websites with several pages, on single-page applications, and over the lifecycle of a page. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHtmlPage, startTrackerFixture, type TrackerFixture } from '../support/tracked-site.ts'

let fixture: TrackerFixture

const links = `
<a id="inside" href="/prices">Prices</a>
<a id="outside" href="http://shop.example.net/offer?id=7"><b><i id="nested">An offer</i></b></a>
<a id="file" href="/files/Manual.PDF?v=2">The manual</a>
<a id="mail" href="mailto:ada@example.com">Write</a>
<a id="broken" href="http://[">Broken</a>
<a id="none">Nowhere</a>
<svg width="40" height="20"><a id="drawn" href="http://shop.example.net/drawn"><rect width="40" height="20"/></a></svg>
<script>
  // With ?stay, clicks don't navigate, so that one page can test all links.
  if (location.search === '?stay') addEventListener('click', (event) => event.preventDefault())
</script>`

beforeAll(async () => {
  fixture = await startTrackerFixture((snippet) => ({
    '/': createHtmlPage(snippet(), links),
    '/prices': createHtmlPage(snippet()),
    '/from': createHtmlPage('', '<a href="/">A link</a>'),
    '/early': createHtmlPage(
      `<script>
        window.belfry = window.belfry || function () { (belfry.q = belfry.q || []).push(arguments) }
        belfry('early', { props: { n: 1 } })
      </script>${snippet()}`,
    ),
    '/module': createHtmlPage(snippet('type="module"')),
    '/twice': createHtmlPage(snippet() + snippet()),
    '/app': createHtmlPage(snippet(), '<a id="part" href="#part">Further down</a>'),
    '/hash': createHtmlPage(snippet('data-hash'), '<a id="route" href="#/users?page=2">Users</a>'),
    '/background': createHtmlPage(
      `<script>Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })</script>${snippet()}`,
    ),
    '/next': createHtmlPage(snippet()),
    '/offer': createHtmlPage(''),
    '/manual.pdf': '',
  }))
})
afterAll(() => fixture.close())

describe('the tracker on a website with several pages', () => {
  it('sends a page view with only the necessary data', async () => {
    const { page, consoleErrors } = await fixture.startVisit()
    await page.goto(`${fixture.home}/?utm_source=news#part`)
    expect(await fixture.waitForEvents(1)).toEqual([
      { n: 'pageview', u: `${fixture.home}/?utm_source=news`, d: 'example.com', r: null, s: '1920x1080', b: 1 },
    ])
    const [request] = fixture.received
    expect(request).toMatchObject({ method: 'POST', path: '/api/event' })
    expect(request?.headers).toMatchObject({ 'content-type': 'text/plain;charset=UTF-8', origin: fixture.home })
    expect(request?.headers.cookie).toBeUndefined()
    expect(consoleErrors).toEqual([])
  })

  it('stores nothing in the browser', async () => {
    const { page } = await fixture.startVisit()
    await page.goto(fixture.home)
    await fixture.waitForEvents(1)
    expect(await page.context().cookies()).toEqual([])
    expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([0, 0, ''])
    expect(await page.evaluate('indexedDB.databases()')).toEqual([])
    expect(await page.evaluate('window.name')).toBe('')
  })

  it('sends the referrer', async () => {
    const { page } = await fixture.startVisit()
    await page.goto(`${fixture.site.getOrigin('news.example.org')}/from`)
    await page.evaluate(`document.links[0].href = '${fixture.home}'`)
    await page.getByRole('link').click()
    await page.locator('#inside').click()
    await fixture.expectEvents([
      `pageview / from ${fixture.site.getOrigin('news.example.org')}/`,
      'pageview /prices from /',
    ])
  })

  it('sends the time on a page when the visitor leaves it or closes the tab', async () => {
    const page = await (await fixture.startVisit()).page.context().newPage()
    await page.goto(fixture.home)
    await fixture.waitForEvents(1)
    await page.clock.fastForward(65_000)
    await page.goto(`${fixture.home}/prices`)
    await fixture.waitForEvents(3)
    await page.clock.fastForward(7_000)
    await page.close({ runBeforeUnload: true })
    await fixture.expectEvents([
      'pageview / from nowhere',
      '65000 ms on /',
      'pageview /prices from nowhere',
      '7000 ms on /prices',
    ])
  })

  it('reports clicks on outbound links and files, with the middle button too', async () => {
    const { page, consoleErrors } = await fixture.startVisit()
    await page.goto(`${fixture.home}/?stay`)
    await page.locator('#nested').click()
    await page.locator('#drawn rect').click()
    await page.locator('#file').click()
    for (const id of ['inside', 'mail', 'broken', 'none']) await page.locator(`#${id}`).click()
    await page.locator('#nested').click({ button: 'right' })
    await page.locator('#nested').click({ button: 'middle' })
    const formatOutboundClick = (path: string) =>
      `Outbound Link: Click /?stay from nowhere {"url":"http://shop.example.net/${path}"}`
    await fixture.expectEvents(
      [
        'pageview /?stay from nowhere',
        formatOutboundClick('offer?id=7'),
        formatOutboundClick('drawn'),
        formatOutboundClick('offer?id=7'),
        `File Download /?stay from nowhere {"url":"${fixture.home}/files/Manual.PDF?v=2"}`,
      ],
      page,
    )
    expect(consoleErrors).toEqual([])
  })

  it("doesn't delay or block clicks on links", async () => {
    const { page } = await fixture.startVisit()
    await page.goto(fixture.home)
    await page.evaluate("document.addEventListener('click', (event) => event.stopImmediatePropagation(), true)")
    const shopUrl = `${fixture.site.getOrigin('shop.example.net')}/offer`
    await page.evaluate(`document.querySelector('#outside').href = '${shopUrl}'`)
    await page.locator('#nested').click()
    await page.waitForURL(shopUrl)
    await fixture.expectEvents(['pageview / from nowhere', `Outbound Link: Click / from nowhere {"url":"${shopUrl}"}`])
  })

  it('sends custom events', async () => {
    const { page } = await fixture.startVisit()
    await page.goto(fixture.home)
    const status = await page.evaluate(`new Promise((resolve) => {
      belfry('signup', { props: { plan: 'pro', seats: 3 }, callback: (response) => resolve(response.status) })
    })`)
    expect(status).toBe(202)
    await page.evaluate("belfry('autoplay', { interactive: false })")
    const sentEvents = await fixture.waitForEvents(3)
    expect(sentEvents.find(({ n }) => n === 'signup')).toMatchObject({
      u: `${fixture.home}/`,
      p: { plan: 'pro', seats: 3 },
    })
    expect(sentEvents.find(({ n }) => n === 'autoplay')).toMatchObject({ u: `${fixture.home}/`, i: false })
  })

  it('sends events queued before it was loaded, after the page view', async () => {
    const { page } = await fixture.startVisit()
    await page.goto(`${fixture.home}/early`)
    await fixture.expectEvents(['pageview /early from nowhere', 'early /early from nowhere {"n":1}'], page)
  })

  it('works as a module, and counts a page once when it is included twice', async () => {
    const { page, consoleErrors } = await fixture.startVisit()
    await page.goto(`${fixture.home}/module`)
    await fixture.waitForEvents(1)
    await page.goto(`${fixture.home}/twice`)
    await fixture.expectEvents(['pageview /module from nowhere', 'pageview /twice from nowhere'], page)
    expect(consoleErrors).toEqual([])
  })
})

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
