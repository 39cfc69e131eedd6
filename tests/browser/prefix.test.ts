import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, openPage, type TestBrowser } from '../support/browser.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type ReverseProxy, startReverseProxy } from '../support/proxy.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { websitesPath } from '../support/websites.ts'

const prefix = '/tools/belfry'

let browser: TestBrowser
let database: TestDatabase
/** All tests use one context, because each new context starts a process. */
let context: BrowserContext

beforeAll(async () => {
  browser = await openBrowser()
  database = await createTestDatabase()
  context = await browser.newContext()
})
afterAll(async () => {
  await browser.close()
  await database.drop()
})

async function signIn(page: Page, { email, password }: TestUser): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

// A browser gets the same bytes from a proxy that strips the prefix as from one that keeps it, if the server knows the prefix from
// BELFRY_URL: `tests/api/web-prefix.test.ts` requests both.
describe.each([
  ['strips the prefix, without BELFRY_URL', { stripsPrefix: true, hasBaseUrl: false }],
  ['keeps the prefix', { stripsPrefix: false, hasBaseUrl: true }],
])('Belfry behind a proxy that %s', (_name, { stripsPrefix, hasBaseUrl }) => {
  let proxy: ReverseProxy
  let server: TestServer
  let owner: TestUser

  beforeAll(async () => {
    proxy = await startReverseProxy(prefix, { stripsPrefix })
    server = await startTestServer({ database, ...(hasBaseUrl && { env: { BELFRY_URL: proxy.address + prefix } }) })
    proxy.pointTo(server.address)
    owner = await server.createUser(`owner-${proxy.address.split(':').at(-1)}`)
    await owner.session.post(websitesPath, { domain: 'example.com', privacy: 0 })
  })
  afterAll(async () => {
    await server.close()
    await proxy.close()
  })

  // One test covers all pages, because every test would have to load the application and sign in first.
  it('serves all pages under the prefix, and the 404 page at any depth', async () => {
    await context.clearCookies()
    const { page, externalRequests, consoleErrors } = await openPage(context, proxy.address + prefix)
    const notFoundUrls: string[] = []
    page.on('response', (response) => {
      if (response.status() === 404) notFoundUrls.push(response.url())
    })
    // Without BELFRY_URL, the server can't add the trailing slash.
    if (hasBaseUrl) {
      await page.goto(proxy.address + prefix)
      await page.getByLabel('Email').waitFor()
    }
    // People who follow a link in a message sign in, and then see the page of the link.
    await page.goto(`${proxy.address}${prefix}/incidents?state=open`)
    await signIn(page, owner)
    await heading(page, 'Incidents').waitFor()
    expect(page.url()).toBe(`${proxy.address}${prefix}/incidents?state=open`)
    expect((await context.cookies()).map(({ path }) => path)).toEqual([hasBaseUrl ? prefix : '/'])

    await page.getByRole('link', { name: 'API keys' }).click()
    await heading(page, 'API keys').waitFor()
    expect(new URL(page.url()).pathname).toBe(`${prefix}/keys`)
    await page.reload()
    await heading(page, 'API keys').waitFor()

    // Load pages at deeper paths directly.
    await page.goto(`${proxy.address}${prefix}/monitors/new`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.goto(`${proxy.address}${prefix}/www.Example.com`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`${prefix}/example.com`)
    expect(notFoundUrls).toEqual([])
    expect(consoleErrors).toEqual([])

    const response = await page.goto(`${proxy.address}${prefix}/nothing/at/all`)
    expect(response?.status()).toBe(404)
    await heading(page, 'Page not found').waitFor()
    expect(externalRequests).toEqual([])
    expect(proxy.requestsOutsidePrefix).toEqual([])
    await page.close()
  })

  // The API viewer loads 3.5 MB and renders the whole document, which takes seconds. Its URLs are relative, so one proxy is enough for all
  // addresses.
  it.runIf(!stripsPrefix)('shows the API documentation, without requests to other servers', async () => {
    const { page, externalRequests, consoleErrors } = await openPage(context, proxy.address + prefix)
    await page.goto(`${proxy.address}${prefix}/docs`)
    await page.getByText('Web analytics and uptime monitoring').first().waitFor({ timeout: 50_000 })
    await page.getByRole('heading', { name: 'Create a website' }).waitFor()
    await page.getByRole('link', { name: 'Belfry API' }).waitFor()
    // The color and the typeface of the application.
    const readStyle = (name: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('.scalar-app')).getPropertyValue('${name}')`)
    expect(await readStyle('--scalar-color-accent')).toContain('#4338ca')
    expect(await readStyle('font-family')).toMatch(/^Inter,/)
    expect(externalRequests).toEqual([])
    expect(consoleErrors).toEqual([])
    expect(proxy.requestsOutsidePrefix).toEqual([])
    await page.close()
  })
})
