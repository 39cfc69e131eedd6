/** The first steps: adding a website, installing its snippet and waiting for the first visit. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { expectNoViolations } from '../support/axe.ts'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { openSignedIn } from '../support/signed-in.ts'
import { createSite, sendView } from '../support/traffic.ts'

let server: TestServer
let browser: TestBrowser
const waitOptions = { timeout: 20_000 }

beforeAll(async () => {
  // Visits become visible when the worker has aggregated them.
  server = await startTestServer({ env: { BELFRY_ROLES: 'web,worker' } })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

describe('a new user', { timeout: 60_000 }, () => {
  it('adds the first website on the welcome page and sees its first visit arrive', async () => {
    const ada = await server.createUser('ada')
    const { page, consoleErrors, externalRequests } = await openSignedIn(browser, server, ada)
    const openStreams = new Set<string>()
    const isStream = (url: string) => url.includes('/api/live')
    page.on('request', (request) => isStream(request.url()) && openStreams.add(request.url()))
    page.on('requestfailed', (request) => openStreams.delete(request.url()))
    await page.goto('/')
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    await expectNoViolations(page)
    await page.getByText('If off, anyone with the link can view them.').waitFor()

    await page.getByLabel('Domain').fill('https://www.Example.com/about')
    await page.getByRole('button', { name: 'Add website' }).click()
    const snippet = `<script defer src="${server.address}/b.js" data-domain="example.com"></script>`
    await page.getByText(snippet).waitFor()
    const waitingText = page.getByRole('status').getByText('Waiting for the first visit…')
    await waitingText.waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^Add this snippet to the <head>/)
    await expectNoViolations(page)
    await vi.waitFor(() => expect([...openStreams]).toEqual([expect.stringMatching(/\?website=\d+$/)]), waitOptions)

    await sendView(server, 'example.com', '/')
    await page.getByRole('status').getByText('First visit counted').waitFor(waitOptions)
    await expectNoViolations(page)
    await page.getByRole('link', { name: 'View statistics for example.com' }).click()
    await page.waitForURL('**/example.com')
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('can start with a monitor instead', async () => {
    const bob = await server.createUser('bob')
    const { page } = await openSignedIn(browser, server, bob)
    await page.goto('/')
    await page.getByLabel('URL').fill('shop.example.org')
    await page.getByRole('button', { name: 'Set up monitor' }).click()
    await page.waitForURL('**/monitors/new?url=https%3A%2F%2Fshop.example.org')
  })

  it('gets a hint to add a monitor after adding a website', async () => {
    const eve = await server.createUser('eve')
    await createSite(eve, 'eve.example.net')
    const { page } = await openSignedIn(browser, server, eve)
    await page.goto('/')
    const hint = page.getByText('No monitors yet.').getByRole('link', { name: 'Add a monitor' })
    expect(await hint.getAttribute('href')).toBe('/monitors/new?url=https%3A%2F%2Feve.example.net%2F')
  })
})

describe('the page for a new website', { timeout: 60_000 }, () => {
  it('shows errors at the field, keeps the input and continues to the snippet', async () => {
    const zoe = await server.createUser('zoe')
    await createSite(zoe, 'taken.example.org')
    const { page, consoleErrors, externalRequests } = await openSignedIn(browser, server, zoe, {
      viewport: { width: 360, height: 800 },
    })
    await page.goto('/websites/new')
    const domainField = page.getByLabel('Domain')
    await domainField.fill('taken.example.org')
    await page.keyboard.press('Enter')
    await page.getByText('Has already been taken.').waitFor()
    expect(await domainField.inputValue()).toBe('taken.example.org')
    expect(await domainField.getAttribute('aria-invalid')).toBe('true')
    await expectNoViolations(page)
    consoleErrors.splice(0) // The browser logs the 422 response.

    await domainField.fill('fresh.example.org')
    await page.getByLabel('Keep statistics private').check()
    await page.getByRole('button', { name: 'Add website' }).click()
    await page.getByRole('heading', { level: 1, name: 'fresh.example.org added' }).waitFor()
    await page.getByText('Visit not showing up?').click()
    await page.getByText('Do Not Track and Global Privacy Control').waitFor()
    await expectNoViolations(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')).toBe(
      true,
    )
    const settingsLink = page.getByRole('link', {
      name: 'Choose who can see the statistics and which visits to exclude',
    })
    expect(await settingsLink.getAttribute('href')).toBe('/fresh.example.org/settings')
    const { body } = await zoe.session.get('/api/v1/websites?search=fresh')
    expect(body.data).toMatchObject([{ domain: 'fresh.example.org', privacy: 1 }])

    await sendView(server, 'fresh.example.org', '/')
    await page.getByRole('link', { name: 'View statistics for fresh.example.org' }).waitFor(waitOptions)
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })
})
