/** The tracker on a website with several pages. */
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
