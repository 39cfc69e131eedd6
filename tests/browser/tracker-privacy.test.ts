/** Whom the tracker leaves alone, and that it leaves pages alone whatever happens to it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { html, type Stage, startStage } from '../support/site.ts'

let stage: Stage
let line = ''

const outside = '<a id="outside" href="http://shop.example.net/offer" target="_blank">An offer</a>'

beforeAll(async () => {
  stage = await startStage((snippet) => {
    line = snippet()
    const without = line.replace(/data-domain=\S+/, '')
    return {
      '/': html(line, outside),
      '/no-domain': html(without),
      '/lost': html(without.replace('defer', 'type="module"')),
      '/strict': html(`<meta http-equiv="Content-Security-Policy" content="connect-src 'none'">${line}`),
    }
  })
})
afterAll(() => stage.close())
beforeEach(() => stage.forget())

/** Does everything that would be sent, and waits for the page to be told that it was. */
async function act(page: Page): Promise<void> {
  await page.evaluate("history.pushState({}, '', '/app')")
  await page.clock.fastForward(5_000)
  await page.evaluate("history.pushState({}, '', '/app/two')")
  await page.evaluate("new Promise((resolve) => belfry('signup', { callback: () => resolve() }))")
}

describe('the tracker sends nothing', () => {
  it.each([
    ['with Do Not Track', "Object.defineProperty(navigator, 'doNotTrack', { get: () => '1' })"],
    ['with Do Not Track as older browsers have it', "window.doNotTrack = '1'"],
    ['with Global Privacy Control', "Object.defineProperty(navigator, 'globalPrivacyControl', { get: () => true })"],
    ['of somebody who excluded themselves', "localStorage.belfry_ignore = 'true'"],
  ])('%s', async (_title, setting) => {
    const { page, complaints } = await stage.visitor()
    await page.addInitScript(`if (location.host) ${setting}`)
    await page.goto(stage.home)
    await page.locator('#outside').click()
    await act(page)
    await page.goto('about:blank')
    expect(stage.received).toEqual([])
    expect(complaints).toEqual([])
  })

  it('of a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'belfry-page-'))
    await writeFile(join(folder, 'page.html'), html(line))
    const { page, complaints } = await stage.visitor()
    await page.goto(`file://${folder}/page.html`)
    await page.evaluate("new Promise((resolve) => belfry('signup', { callback: () => resolve() }))")
    await rm(folder, { recursive: true })
    expect(stage.received).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('the tracker does not get in the way', () => {
  const views = ['pageview / from nowhere', 'pageview /app from /', '5000 ms on /app', 'pageview /app/two from /app']

  it('where Do Not Track and Global Privacy Control say no such thing', async () => {
    const { page } = await stage.visitor()
    await page.addInitScript(`
      Object.defineProperty(navigator, 'doNotTrack', { get: () => 'unspecified' })
      Object.defineProperty(navigator, 'globalPrivacyControl', { get: () => false })
      if (location.host) localStorage.belfry_ignore = 'false'`)
    await page.goto(stage.home)
    await act(page)
    await stage.expect([...views, 'signup /app/two from /app'])
  })

  it('of a page without storage', async () => {
    const { page, complaints } = await stage.visitor()
    await page.addInitScript(
      "Object.defineProperty(window, 'localStorage', { get() { throw new Error('No storage') } })",
    )
    await page.goto(stage.home)
    await act(page)
    await stage.expect([...views, 'signup /app/two from /app'])
    expect(complaints).toEqual([])
  })

  it('of a browser that cannot keep requests alive', async () => {
    const { page, complaints } = await stage.visitor()
    await page.addInitScript('delete Request.prototype.keepalive')
    await page.goto(stage.home)
    await act(page)
    await stage.expect([...views, 'signup /app/two from /app'])
    const [request] = stage.received
    expect(request?.headers).toMatchObject({ 'content-type': 'text/plain;charset=UTF-8', 'sec-fetch-mode': 'no-cors' })
    expect(complaints).toEqual([])
  })

  it('of a page that gives it nonsense', async () => {
    const { page, complaints } = await stage.visitor()
    await page.goto(stage.home)
    await page.evaluate(`{
      const round = {}
      round.round = round
      belfry('round', { props: round })
      belfry('big', { props: { n: 1n } })
      belfry('null', null)
      belfry()
      document.dispatchEvent(new Event('click'))
      window.dispatchEvent(new Event('click'))
    }`)
    await stage.expect(['pageview / from nowhere', 'null / from nowhere', 'undefined / from nowhere'], page)
    expect(complaints).toEqual([])
  })

  it('where it may not send', async () => {
    const { page, complaints } = await stage.visitor()
    await page.goto(`${stage.home}/strict`)
    await act(page)
    expect(stage.received).toEqual([])
    // The browser says so itself; nothing is thrown.
    expect(complaints.filter((text) => !text.includes('Content Security Policy'))).toEqual([])
  })

  it('of a page that did not say whose it is', async () => {
    const { page, complaints } = await stage.visitor()
    await page.goto(`${stage.home}/no-domain`)
    expect(await stage.arrived(1)).toMatchObject([{ n: 'pageview', d: 'example.com' }])
    await page.goto(`${stage.home}/lost`)
    await act(page)
    expect(stage.received).toHaveLength(1)
    expect(complaints).toEqual([])
  })

  it('when nobody answers', async () => {
    const { page } = await stage.visitor()
    await page.route('**/api/event', (route) => route.abort())
    const thrown: Error[] = []
    page.on('pageerror', (error) => thrown.push(error))
    await page.goto(stage.home)
    await act(page)
    expect(thrown).toEqual([])
  })
})
