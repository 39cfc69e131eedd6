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

describe.each([
  ['strips the prefix', { stripsPrefix: true, hasBaseUrl: true }],
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

  // The API viewer loads 3.5 MB, which is slow on a busy machine, so test it with one proxy only.
  it.runIf(!stripsPrefix)('shows the API documentation', { timeout: 60_000 }, async () => {
    const { page, externalRequests } = await openPage(context, proxy.address + prefix)
    // Rendering all operations takes seconds, and they don't depend on the prefix. The introduction remains.
    await page.route('**/api/openapi.json', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), paths: {}, components: {}, tags: [] } })
    })
    await page.goto(`${proxy.address}${prefix}/docs`)
    await page.getByText('Web analytics and uptime monitoring').first().waitFor({ timeout: 50_000 })
    expect(externalRequests).toEqual([])
    expect(proxy.requestsOutsidePrefix).toEqual([])
    await page.close()
  })
})
