import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, openPage } from '../support/browser.ts'
import { type ReverseProxy, startProxy } from '../support/proxy.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import { path as websites } from '../support/websites.ts'

const prefix = '/tools/belfry'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

describe.each([
  ['takes its path off', { strips: true, isTold: true }],
  ['takes its path off, and tells nobody', { strips: true, isTold: false }],
  ['leaves its path on', { strips: false, isTold: true }],
])('behind a proxy that %s', (_name, { strips, isTold }) => {
  let proxy: ReverseProxy
  let server: TestServer
  let owner: Person

  beforeAll(async () => {
    proxy = await startProxy(prefix, { strips })
    server = await startTestServer(isTold ? { env: { BELFRY_URL: proxy.address + prefix } } : {})
    proxy.pointTo(server.address)
    owner = await server.person('owner')
    await owner.session.post(websites, { domain: 'example.com', privacy: 0 })
  })
  afterAll(async () => {
    await server.close()
    await proxy.close()
  })

  it('everything is found under that path', async () => {
    const context = await browser.newContext()
    const { page, outside, complaints } = await openPage(context, proxy.address + prefix)
    const requested: string[] = []
    page.on('response', (response) => {
      if (response.status() === 404) requested.push(response.url())
    })
    await page.goto(`${proxy.address}${prefix}/`)
    await signIn(page, owner)
    expect(new URL(page.url()).pathname).toBe(`${prefix}/`)
    expect((await context.cookies()).map(({ path }) => path)).toEqual([isTold ? prefix : '/'])

    await page.getByRole('link', { name: 'API keys' }).click()
    await heading(page, 'API keys').waitFor()
    expect(new URL(page.url()).pathname).toBe(`${prefix}/keys`)
    await page.reload()
    await heading(page, 'API keys').waitFor()

    // Deeper, and loaded from there.
    await page.goto(`${proxy.address}${prefix}/monitors/new`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.goto(`${proxy.address}${prefix}/www.Example.com`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`${prefix}/example.com`)

    expect(outside).toEqual([])
    expect(proxy.strays).toEqual([])
    expect(requested).toEqual([])
    expect(complaints).toEqual([])
    await context.close()
  })

  it('a path that is none says so, from however deep', async () => {
    const { page, outside } = await openPage(browser, proxy.address + prefix)
    await page.goto(`${proxy.address}${prefix}/`)
    await signIn(page, owner)
    const answer = await page.goto(`${proxy.address}${prefix}/nothing/at/all`)
    expect(answer?.status()).toBe(404)
    await heading(page, 'Page not found').waitFor()
    expect(outside).toEqual([])
    expect(proxy.strays).toEqual([])
    await page.close()
  })

  // The viewer has 3.5 MB to read, which a busy machine takes its time for: once is enough.
  it.runIf(!strips)('the API is described', { timeout: 60_000 }, async () => {
    const { page, outside } = await openPage(browser, proxy.address + prefix)
    await page.goto(`${proxy.address}${prefix}/docs`)
    await page.getByText('Who visits your websites').first().waitFor({ timeout: 50_000 })
    expect(outside).toEqual([])
    expect(proxy.strays).toEqual([])
    await page.close()
  })

  it.runIf(isTold)('the path without its slash leads there', async () => {
    const { page } = await openPage(browser, proxy.address + prefix)
    await page.goto(proxy.address + prefix)
    await page.getByLabel('E-mail').waitFor()
    expect(proxy.strays).toEqual([])
    await page.close()
  })
})
