/** The first steps: a website is added, its snippet put somewhere, and the first visit noticed. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { expectNoViolations } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { openSignedIn } from '../support/signed-in.ts'
import { createSite, view } from '../support/traffic.ts'

let server: TestServer
let browser: Browser
const patience = { timeout: 20_000 }

beforeAll(async () => {
  // What is counted is added up by a worker, and only then told.
  server = await startTestServer({ env: { BELFRY_ROLES: 'web,worker' } })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

describe('somebody who has nothing yet', { timeout: 60_000 }, () => {
  it('adds the first website where they are, and sees its first visit arrive', async () => {
    const ada = await server.person('ada')
    const { page, complaints, outside } = await openSignedIn(browser, server, ada)
    const listening = new Set<string>()
    const isStream = (url: string) => url.includes('/api/live')
    page.on('request', (request) => isStream(request.url()) && listening.add(request.url()))
    page.on('requestfailed', (request) => listening.delete(request.url()))
    await page.goto('/')
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    await expectNoViolations(page)
    await page.getByText('Otherwise they are public').waitFor()

    await page.getByLabel('Domain').fill('https://www.Example.com/about')
    await page.getByRole('button', { name: 'Add website' }).click()
    const snippet = `<script defer src="${server.address}/b.js" data-domain="example.com"></script>`
    await page.getByText(snippet).waitFor()
    const waiting = page.getByRole('status').getByText('Waiting for the first visit…')
    await waiting.waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^Put this line into the <head>/)
    await expectNoViolations(page)
    await vi.waitFor(() => expect([...listening]).toEqual([expect.stringMatching(/\?website=\d+$/)]), patience)

    await view(server, 'example.com', '/')
    await page.getByRole('status').getByText('First visit counted').waitFor(patience)
    await expectNoViolations(page)
    await page.getByRole('link', { name: 'Look at example.com' }).click()
    await page.waitForURL('**/example.com')
    expect({ complaints, outside }).toEqual({ complaints: [], outside: [] })
  })

  it('begins with a monitor as well', async () => {
    const bob = await server.person('bob')
    const { page } = await openSignedIn(browser, server, bob)
    await page.goto('/')
    await page.getByLabel('Address').fill('shop.example.org')
    await page.getByRole('button', { name: 'Set up the monitor' }).click()
    await page.waitForURL('**/monitors/new?url=https%3A%2F%2Fshop.example.org')
  })

  it('is told of the other half once there is one', async () => {
    const eve = await server.person('eve')
    await createSite(eve, 'eve.example.net')
    const { page } = await openSignedIn(browser, server, eve)
    await page.goto('/')
    const hint = page.getByText('Nothing is watched yet.').getByRole('link', { name: 'Add a monitor' })
    expect(await hint.getAttribute('href')).toBe('/monitors/new?url=https%3A%2F%2Feve.example.net%2F')
  })
})

describe('the page for a new website', { timeout: 60_000 }, () => {
  it('says at the field what is wrong, keeps what was typed, and goes on to the snippet', async () => {
    const zoe = await server.person('zoe')
    await createSite(zoe, 'taken.example.org')
    const { page, complaints, outside } = await openSignedIn(browser, server, zoe, {
      viewport: { width: 360, height: 800 },
    })
    await page.goto('/websites/new')
    const domain = page.getByLabel('Domain')
    await domain.fill('taken.example.org')
    await page.keyboard.press('Enter')
    await page.getByText('Has already been taken.').waitFor()
    expect(await domain.inputValue()).toBe('taken.example.org')
    expect(await domain.getAttribute('aria-invalid')).toBe('true')
    await expectNoViolations(page)
    complaints.splice(0) // the browser reports the 422 by itself

    await domain.fill('fresh.example.org')
    await page.getByLabel('Only I may see its statistics').check()
    await page.getByRole('button', { name: 'Add website' }).click()
    await page.getByRole('heading', { level: 1, name: 'fresh.example.org is added' }).waitFor()
    await page.getByText('It does not arrive?').click()
    await page.getByText('Do Not Track and Global Privacy Control').waitFor()
    await expectNoViolations(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')).toBe(
      true,
    )
    const settings = page.getByRole('link', { name: /^Settings/ })
    expect(await settings.getAttribute('href')).toBe('/fresh.example.org/settings')
    const { body } = await zoe.session.get('/api/v1/websites?search=fresh')
    expect(body.data).toMatchObject([{ domain: 'fresh.example.org', privacy: 1 }])

    await view(server, 'fresh.example.org', '/')
    await page.getByRole('link', { name: 'Look at fresh.example.org' }).waitFor(patience)
    expect({ complaints, outside }).toEqual({ complaints: [], outside: [] })
  })
})
