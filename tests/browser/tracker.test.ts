/** The tracker on a website of several pages, as visitors use it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { html, type Stage, startStage } from '../support/site.ts'

let stage: Stage

const links = `
<a id="inside" href="/prices">Prices</a>
<a id="outside" href="http://shop.example.net/offer?id=7"><b><i id="nested">An offer</i></b></a>
<a id="file" href="/files/Manual.PDF?v=2">The manual</a>
<a id="mail" href="mailto:ada@example.com">Write</a>
<a id="broken" href="http://[">Broken</a>
<a id="none">Nowhere</a>
<svg width="40" height="20"><a id="drawn" href="http://shop.example.net/drawn"><rect width="40" height="20"/></a></svg>
<script>
  // Nothing leaves, so that one page is enough for all of them.
  if (location.search === '?stay') addEventListener('click', (event) => event.preventDefault())
</script>`

beforeAll(async () => {
  stage = await startStage((snippet) => ({
    '/': html(snippet(), links),
    '/prices': html(snippet()),
    '/from': html('', '<a href="/">A link</a>'),
    '/early': html(
      `<script>
        window.belfry = window.belfry || function () { (belfry.q = belfry.q || []).push(arguments) }
        belfry('early', { props: { n: 1 } })
      </script>${snippet()}`,
    ),
    '/module': html(snippet('type="module"')),
    '/twice': html(snippet() + snippet()),
    '/offer': html(''),
    '/manual.pdf': '',
  }))
})
afterAll(() => stage.close())
beforeEach(() => stage.forget())

const size = { width: 1280, height: 720 }

describe('on a website of several pages the tracker', () => {
  it('sends a page view with what is needed, and nothing else', async () => {
    const { page, complaints } = await stage.visitor({ screen: { width: 1920, height: 1080 }, viewport: size })
    await page.goto(`${stage.home}/?utm_source=news#part`)
    expect(await stage.arrived(1)).toEqual([
      { n: 'pageview', u: `${stage.home}/?utm_source=news`, d: 'example.com', r: null, s: '1920x1080', b: 1 },
    ])
    const [request] = stage.received
    expect(request).toMatchObject({ method: 'POST', path: '/api/event' })
    expect(request?.headers).toMatchObject({ 'content-type': 'text/plain;charset=UTF-8', origin: stage.home })
    expect(request?.headers.cookie).toBeUndefined()
    expect(complaints).toEqual([])
  })

  it('keeps nothing in the browser', async () => {
    const { page } = await stage.visitor()
    await page.goto(stage.home)
    await stage.arrived(1)
    expect(await page.context().cookies()).toEqual([])
    expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([0, 0, ''])
    expect(await page.evaluate('indexedDB.databases()')).toEqual([])
    expect(await page.evaluate('window.name')).toBe('')
  })

  it('says where the visitor came from', async () => {
    const { page } = await stage.visitor()
    await page.goto(`${stage.site.at('news.example.org')}/from`)
    await page.evaluate(`document.links[0].href = '${stage.home}'`)
    await page.getByRole('link').click()
    await page.locator('#inside').click()
    await stage.expect([`pageview / from ${stage.site.at('news.example.org')}/`, 'pageview /prices from /'])
  })

  it('sends the time on a page when it is left, and when its tab is closed', async () => {
    const { page } = await stage.visitor()
    await page.goto(stage.home)
    await stage.arrived(1)
    await page.clock.fastForward(65_000)
    await page.goto(`${stage.home}/prices`)
    await stage.arrived(3)
    await page.clock.fastForward(7_000)
    await page.close({ runBeforeUnload: true })
    await stage.expect([
      'pageview / from nowhere',
      '65000 ms on /',
      'pageview /prices from nowhere',
      '7000 ms on /prices',
    ])
  })

  it('follows links to other websites and files, by click and by the middle button', async () => {
    const { page, complaints } = await stage.visitor()
    await page.goto(`${stage.home}/?stay`)
    await page.locator('#nested').click()
    await page.locator('#drawn rect').click()
    await page.locator('#file').click()
    for (const id of ['inside', 'mail', 'broken', 'none']) await page.locator(`#${id}`).click()
    await page.locator('#nested').click({ button: 'right' })
    await page.locator('#nested').click({ button: 'middle' })
    const outbound = (path: string) =>
      `Outbound Link: Click /?stay from nowhere {"url":"http://shop.example.net/${path}"}`
    await stage.expect(
      [
        'pageview /?stay from nowhere',
        outbound('offer?id=7'),
        outbound('drawn'),
        outbound('offer?id=7'),
        `File Download /?stay from nowhere {"url":"${stage.home}/files/Manual.PDF?v=2"}`,
      ],
      page,
    )
    expect(complaints).toEqual([])
  })

  it('neither holds up nor stops the click', async () => {
    const { page } = await stage.visitor()
    await page.goto(stage.home)
    await page.evaluate("document.addEventListener('click', (event) => event.stopImmediatePropagation(), true)")
    const shop = `${stage.site.at('shop.example.net')}/offer`
    await page.evaluate(`document.querySelector('#outside').href = '${shop}'`)
    await page.locator('#nested').click()
    await page.waitForURL(shop)
    await stage.expect(['pageview / from nowhere', `Outbound Link: Click / from nowhere {"url":"${shop}"}`])
  })

  it('takes events of the page’s own', async () => {
    const { page } = await stage.visitor()
    await page.goto(stage.home)
    const status = await page.evaluate(`new Promise((resolve) => {
      belfry('signup', { props: { plan: 'pro', seats: 3 }, callback: (answer) => resolve(answer.status) })
    })`)
    expect(status).toBe(202)
    await page.evaluate("belfry('autoplay', { interactive: false })")
    const sent = await stage.arrived(3)
    expect(sent.find(({ n }) => n === 'signup')).toMatchObject({ u: `${stage.home}/`, p: { plan: 'pro', seats: 3 } })
    expect(sent.find(({ n }) => n === 'autoplay')).toMatchObject({ u: `${stage.home}/`, i: false })
  })

  it('takes those from before it was loaded, after the page view', async () => {
    const { page } = await stage.visitor()
    await page.goto(`${stage.home}/early`)
    await stage.expect(['pageview /early from nowhere', 'early /early from nowhere {"n":1}'], page)
  })

  it('works as a module, and once when it is there twice', async () => {
    const { page, complaints } = await stage.visitor()
    await page.goto(`${stage.home}/module`)
    await stage.arrived(1)
    await page.goto(`${stage.home}/twice`)
    await stage.expect(['pageview /module from nowhere', 'pageview /twice from nowhere'], page)
    expect(complaints).toEqual([])
  })
})
