import { readFile } from 'node:fs/promises'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { expectNoViolations } from '../support/axe.ts'
import { openBrowser, openPage, type Watched } from '../support/browser.ts'
import { eventAt } from '../support/made-events.ts'
import { addIncident, addWatch, makeMonitor } from '../support/monitors.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import { createSite, view } from '../support/traffic.ts'

let server: TestServer
let browser: Browser
let owner: Person
const contexts: BrowserContext[] = []

const hostile = `/<img src=x onerror="document.title='broken'">${'x'.repeat(300)}`
const password = 'open sesame'

beforeAll(async () => {
  ;[server, browser] = await Promise.all([startTestServer({ env: { BELFRY_ROLES: 'web,worker' } }), openBrowser()])
  owner = await server.person('owner')
  const [open, locked] = [
    await createSite(owner, 'example.com', { time_zone: 'Europe/Berlin' }),
    await createSite(owner, 'locked.example.com', { privacy: 2, password }),
  ]
  await createSite(owner, 'private.example.com', { privacy: 1 })
  const today = (id: number, visitor: number, more: object) =>
    eventAt(id, '2026-01-05T09:57:00Z', { visitor, hour: 10, ...more })
  await insertBatch(server.services.db, [
    today(open, 1, { page: '/pricing', country: 'DE', browser: 'Firefox' }),
    today(open, 2, { page: '/pricing', country: 'FR', browser: 'Chrome', source: 'Google' }),
    today(open, 2, { page: hostile, country: 'FR', browser: 'Chrome', source: hostile }),
    today(open, 2, { kind: 'custom', name: 'signup', country: 'FR', browser: 'Chrome' }),
    eventAt(open, '2026-01-02T12:00:00Z', { visitor: 3, page: '/*', country: 'DE', browser: 'Firefox' }),
    eventAt(open, '2025-12-01T12:00:00Z', { visitor: 4, page: '/pricing', country: 'DE' }),
    today(locked, 1, { page: '/inside' }),
  ])
  const { id: monitor } = await makeMonitor(owner.session, { friendly_name: 'Shop', url: 'https://www.example.com/' })
  await addWatch(server, monitor, { from: 10 * 86_400 })
  // From 23:30 on the 3rd by the clock of the website.
  await addIncident(server, monitor, { from: 35.5 * 3_600, to: 34.5 * 3_600 })
})
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close()
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

/** Its clock shows what that of the server shows. */
async function visit(path: string, person?: Person, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'America/New_York', ...options })
  contexts.push(context)
  context.setDefaultTimeout(30_000)
  if (person !== undefined) {
    const value = person.session.credentials.cookie as string
    await context.addCookies([{ name: 'belfry_session', value, url: server.address }])
  }
  const watched = await openPage(context, server.address)
  await watched.page.clock.setFixedTime(server.clock.now())
  await watched.page.goto(server.address + path)
  return watched
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const visitors = (page: Page, count: number) => button(page, new RegExp(`^Visitors ${count}\\b`)).waitFor()

const isTooWide = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

describe('the page of a website', { timeout: 60_000 }, () => {
  it('shows its owner the figures, and a click on a row its part, which the way back undoes', async () => {
    const { page, outside, complaints } = await visit('/example.com', owner)
    await visitors(page, 3)
    await page.getByText('Today is not over yet').waitFor()
    await page.getByRole('heading', { level: 1, name: 'example.com' }).waitFor()
    await page.getByRole('link', { name: 'Settings' }).waitFor()

    await button(page, /^Germany 2 visitors, 66.7%/).click()
    await visitors(page, 2)
    expect(new URL(page.url()).searchParams.getAll('filter')).toEqual(['country:DE'])
    await button(page, /^Firefox 2 visitors, 100%/).click()
    await page.waitForURL(/filter=browser/)
    await button(page, 'Clear all').waitFor()
    await page.getByText('The filters leave nothing.').first().waitFor()
    await page.goBack()
    await page.goBack()
    await visitors(page, 3)
    expect(new URL(page.url()).search).toBe('')

    // A star in a value stands for itself.
    await button(page, /^\/\* 1 page view/).click()
    await visitors(page, 1)
    await button(page, 'Remove the filter Page: /*').click()
    await visitors(page, 3)
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Period')
    expect(outside).toEqual([])
    expect(complaints).toEqual([])
  })

  it('keeps period and comparison in the address, over a reload too', async () => {
    const { page, complaints } = await visit('/example.com', owner)
    await visitors(page, 3)
    await page.getByLabel('Period').selectOption('Today')
    await visitors(page, 2)
    // A part of a day is less than a whole one, which says nothing.
    await button(page, 'Visitors 2 so far').waitFor()
    await button(page, 'Campaigns').click()
    await page.getByText('Nothing on this day.').waitFor()
    await page.getByRole('button', { name: 'Compare', exact: true }).click()
    await page.waitForURL(/period=today&compare=previous/)
    await page.reload()
    await visitors(page, 2)
    await button(page, /^Page views 3 .* 0 before$/).click()
    await page
      .getByRole('img', { name: /^Page views by the hour, 5 Jan 2026: 3 in all, most at 10:00 with 3$/ })
      .waitFor()
    await page.getByText('The period before').first().waitFor()

    await page.getByLabel('Period').selectOption('From … to …')
    await page.getByLabel('From').fill('2025-12-01')
    await page.getByLabel('To', { exact: true }).fill('2025-12-31')
    await button(page, 'Show').click()
    await visitors(page, 1)
    expect(new URL(page.url()).searchParams.get('from')).toBe('2025-12-01')
    expect(await page.getByText('Today is not over yet').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('says when a monitor of it was down, by the days of the website', async () => {
    const { page } = await visit('/example.com?period=7d', owner)
    await page.getByRole('list', { name: 'Monitors of this website' }).getByRole('link', { name: /Shop/ }).waitFor()
    await page.getByText('The numbers as a table').click()
    await page.getByRole('row', { name: /3 January 2026 0 Shop was down$/ }).waitFor()
    await page.getByRole('row', { name: /4 January 2026 0 Shop was down$/ }).waitFor()
    expect(await page.getByRole('row', { name: /was down/ }).count()).toBe(2)
  })

  it('draws countries on a map, where a click does what it does in the list', async () => {
    const { page, outside, complaints } = await visit('/example.com', owner)
    await button(page, 'Map').click()
    await page.getByRole('img', { name: 'Map of visitors from 2 countries' }).waitFor()
    await page.getByText('The numbers as a table').click()
    await expectNoViolations(page)
    await page.locator('.world-map-5').first().click()
    await page.waitForURL(/filter=country%3ADE/)
    await visitors(page, 2)
    expect([...outside, ...complaints]).toEqual([])
  })

  it('shows everything of a panel: searched by what people read, and as CSV', async () => {
    const { page, complaints } = await visit('/example.com', owner)
    await button(page, 'More countries').click()
    const dialog = page.getByRole('dialog', { name: 'Countries' })
    await dialog.getByText('1–2 of 2').waitFor()
    await dialog.getByLabel('Search').fill('germ')
    await dialog.getByText('1–1 of 1').waitFor()
    await expectNoViolations(page)
    await dialog.getByRole('button', { name: 'Close' }).click()

    await button(page, 'More pages').click()
    const saved = page.waitForEvent('download')
    await button(page, 'Download CSV').click()
    const file = await saved
    expect(file.suggestedFilename()).toBe('example.com-page-2025-12-07-2026-01-05.csv')
    expect(await readFile(await file.path(), 'utf8')).toMatch(/^page,count\r\n\/pricing,2\r\n/)
    await page.getByRole('dialog').getByLabel('Search').fill('PRIC')
    await page.getByRole('dialog').getByText('1–1 of 1').waitFor()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^\/pricing/ })
      .click()
    await visitors(page, 2)
    expect(complaints).toEqual([])
  })

  it('counts a new visit while it is looked at, also the first of all', async () => {
    await createSite(owner, 'new.example.com')
    const { page, complaints } = await visit('/new.example.com', owner)
    await page.getByText('Waiting for the first visit…').waitFor()
    await page.getByText(`<script defer src="${server.address}/b.js" data-domain="new.example.com"></script>`).waitFor()
    await expectNoViolations(page)
    await view(server, 'new.example.com', '/one')
    await visitors(page, 1)
    await page.getByText('1 visitor now').waitFor()
    await view(server, 'new.example.com', '/two', { browser: 'safari' })
    await visitors(page, 2)
    await page.getByText('2 visitors now').waitFor()
    expect(complaints).toEqual([])
  })

  it('is open to anybody where it is public, without what is the owner’s, and fits a phone', async () => {
    const { page, outside, complaints } = await visit('/example.com', undefined, {
      viewport: { width: 360, height: 800 },
    })
    await visitors(page, 3)
    expect(await page.getByRole('navigation').count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Settings' }).count()).toBe(0)
    expect(await page.getByRole('list', { name: 'Monitors of this website' }).count()).toBe(0)
    await page.getByText(hostile).first().waitFor()
    await button(page, /^\/<img/)
      .first()
      .click()
    await visitors(page, 1)
    expect(await page.title()).toBe('example.com · Belfry')
    expect(await isTooWide(page)).toBe(false)
    expect([...outside, ...complaints]).toEqual([])
  })

  it('opens with its password, by keyboard alone, and stays open', async () => {
    const { page } = await visit('/locked.example.com')
    await page.getByLabel('Password').waitFor()
    await expectNoViolations(page)
    await page.keyboard.type('wrong')
    await page.keyboard.press('Enter')
    await page.getByText('The password is wrong.').waitFor()
    expect(await page.getByRole('heading', { name: 'Pages' }).count()).toBe(0)
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await visitors(page, 1)
    await button(page, /^\/inside/).waitFor()
    await page.reload()
    await visitors(page, 1)
  })

  it('looks like one that is not there where it is private', async () => {
    const { page } = await visit('/private.example.com')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    const shown = await page.locator('body').innerText()
    await page.goto(`${server.address}/unknown.example.com`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    expect(await page.locator('body').innerText()).toBe(shown)
    const { page: own } = await visit('/private.example.com', owner)
    await own.getByText('Waiting for the first visit…').waitFor()
  })
})
