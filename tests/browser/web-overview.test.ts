/** The overview at a browser: what it shows, and what can be done with it. */
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { expectNoViolations } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { addIncident, addWatch, judge, makeMonitor } from '../support/monitors.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import { openSignedIn } from '../support/signed-in.ts'
import { createSite, view } from '../support/traffic.ts'

let server: TestServer
let browser: Browser
let ada: Person
let checkout: number

/** There is one in the page. */
declare const getComputedStyle: (element: unknown) => { backgroundColor: string }

const DAY = 86_400
const patience = { timeout: 20_000 }

beforeAll(async () => {
  // What is counted is added up by a worker, and only then told.
  server = await startTestServer({ env: { BELFRY_ROLES: 'web,worker' } })
  browser = await openBrowser()
  ada = await server.person('ada')
  await createSite(ada, 'example.com')
  await createSite(ada, 'quiet.example.org')
  await view(server, 'example.com', '/', { address: '81.2.69.142' })
  await view(server, 'example.com', '/prices', { address: '81.2.69.143' })
  const monitor = async (friendly_name: string, url: string, status: 'up' | 'down') => {
    const { id } = await makeMonitor(ada.session, { friendly_name, url })
    await addWatch(server, id, { from: 20 * DAY, to: 10 })
    await judge(server, id, status)
    return id
  }
  const front = await monitor('Front page', 'https://www.example.com/', 'up')
  await addIncident(server, front, { from: 3 * DAY, to: 3 * DAY - 7_200 })
  checkout = await monitor('Checkout', 'https://example.com/checkout', 'up')
  await monitor('Mail', 'https://mail.example.net/', 'up')
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

/** As the checker writes it. */
async function turn(id: number, status: 'up' | 'down'): Promise<void> {
  const { db } = server.services
  await db.query('update monitor_states set last_error = $2 where monitor_id = $1', [
    id,
    status === 'down' ? 'answered 503, expected 200-399' : null,
  ])
  const now = server.clock.now()
  await db.query('update monitors set status = $2, status_changed_at = $3 where id = $1', [id, status, now])
}

const rowsOf = (page: Page) => page.getByRole('list', { name: 'Websites and monitors' }).getByRole('listitem')
const row = (page: Page, text: string) => rowsOf(page).filter({ hasText: text })
/** The links that rows are opened with, from top to bottom. */
const names = (page: Page) => rowsOf(page).locator('[data-row-focus]').allTextContents()
const focused = (page: Page) => page.evaluate('document.activeElement.textContent')

describe('the overview', { timeout: 60_000 }, () => {
  it('shows a website with its visitors and its uptime, and its other monitors below', async () => {
    const { page, complaints, outside } = await openSignedIn(browser, server, ada)
    await page.goto('/')
    await page.getByText('3 up · 2 visitors now').waitFor()
    expect(await names(page)).toEqual(['example.com', 'Checkout', 'Mail', 'quiet.example.org'])
    const first = row(page, 'today')
    expect(await first.textContent()).toContain('2 visitors today')
    await first.getByRole('img', { name: 'Visitors: 2 in 30 days' }).waitFor()
    await first.getByRole('link', { name: /^Front page: .* up over 90 days, down on 1 day/ }).waitFor()
    const snippet = row(page, 'quiet.example.org').getByRole('link', { name: 'Get the snippet for quiet.example.org' })
    expect(await snippet.getAttribute('href')).toBe('/quiet.example.org')
    await row(page, 'quiet.example.org').getByRole('link', { name: 'Add a monitor of quiet.example.org' }).waitFor()
    await expectNoViolations(page)

    await page.setViewportSize({ width: 360, height: 800 })
    await expectNoViolations(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')).toBe(
      true,
    )
    expect({ complaints, outside }).toEqual({ complaints: [], outside: [] })
  })

  it('searches and filters, which stays in the address', async () => {
    const { page } = await openSignedIn(browser, server, ada)
    await page.goto('/')
    await row(page, 'Mail').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('check')
    await vi.waitFor(async () => expect(await names(page)).toEqual(['Checkout']), patience)
    expect(new URL(page.url()).search).toBe('?q=check')
    await page.getByRole('button', { name: 'Websites' }).click()
    await page.getByText('No domain, name or address has “check” in it.').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Show everything' }).click()
    await row(page, 'Mail').waitFor()
    await page.getByRole('button', { name: 'Down' }).click()
    await page.getByRole('heading', { name: 'Nothing is down' }).waitFor()
  })

  it('shows what goes down and comes back, and says so', async () => {
    const { page, complaints } = await openSignedIn(browser, server, ada)
    await page.goto('/')
    await row(page, 'Checkout').waitFor()
    server.clock.advance({ seconds: 30 })
    await turn(checkout, 'down')
    await page.getByText('1 down · 2 up').waitFor(patience)
    await page
      .getByRole('status')
      .getByText('Checkout is down.')
      .waitFor({ state: 'attached', ...patience })
    await row(page, 'Checkout').getByText('answered 503').waitFor()
    expect(await page.title()).toBe('1 down · Belfry')
    await expectNoViolations(page)

    server.clock.advance({ seconds: 30 })
    await turn(checkout, 'up')
    await page
      .getByRole('status')
      .getByText('Checkout is up again.')
      .waitFor({ state: 'attached', ...patience })
    await view(server, 'quiet.example.org', '/', { address: '81.2.69.144' })
    await row(page, 'quiet.example.org').getByText('1 visitor now').waitFor(patience)
    expect(complaints).toEqual([])
  })

  it('has a star that can be taken back', async () => {
    const { page } = await openSignedIn(browser, server, ada)
    await page.goto('/')
    const star = page.getByRole('button', { name: 'Favourite: quiet.example.org' })
    await star.focus()
    await page.keyboard.press('Space')
    await page.getByText('quiet.example.org is a favourite now.').waitFor()
    expect((await names(page))[0]).toBe('quiet.example.org')
    expect(await star.getAttribute('aria-pressed')).toBe('true')
    // It has moved, and the focus with it.
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Favourite: quiet.example.org')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('quiet.example.org is no longer a favourite.').waitFor()
    expect((await names(page))[0]).toBe('example.com')
    await vi.waitFor(async () => {
      const { body } = await ada.session.get('/api/v1/websites?favorite=true')
      expect(body.data).toEqual([])
    }, patience)
  })
})

describe('where the system has colours of its own, the overview', { timeout: 60_000 }, () => {
  it('still shows what is chosen and what is up', async () => {
    const { page } = await openSignedIn(browser, server, ada, { forcedColors: 'active' })
    await page.goto('/')
    const ground = (shown: Locator) => shown.evaluate((element) => getComputedStyle(element).backgroundColor)
    const choice = (name: string, pressed: boolean) => page.getByRole('button', { name, exact: true, pressed })
    expect(await ground(choice('All', true))).not.toBe(await ground(choice('Down', false)))
    const dot = row(page, 'Mail').getByRole('img', { name: 'Up', exact: true })
    expect(await ground(dot)).not.toBe(await ground(page.locator('.overview-list')))
    await expectNoViolations(page)
  })
})

describe('with thousands of monitors the overview', { timeout: 60_000 }, () => {
  const many = 3_000
  let eve: Person

  beforeAll(async () => {
    eve = await server.person('eve')
    await server.services.db.query(
      `insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
         remind_every_minutes, status, status_changed_at, search_text, created_at, updated_at)
       select $1, 'Shop ' || n, 'shop-' || n || '.example', 'ping', 60, 2, 5, 0, 'up', now(), 'shop ' || n, now(), now()
         from generate_series(1, $2::int) n`,
      [eve.id, many],
    )
    await server.services.db.query(
      'insert into monitor_states (user_id, monitor_id) select user_id, id from monitors where user_id = $1 on conflict do nothing',
      [eve.id],
    )
  })

  it('is walked through by keyboard, and stands where it was on the way back', async () => {
    const { page, complaints } = await openSignedIn(browser, server, eve)
    await page.goto('/')
    await page.getByText('3,000 up').waitFor()
    expect(await rowsOf(page).count()).toBeLessThan(60)
    await page.keyboard.press('j')
    expect(await focused(page)).toBe('Shop 1')
    for (let pressed = 0; pressed < 50; pressed++) await page.keyboard.press('ArrowDown')
    await vi.waitFor(async () => expect(await focused(page)).toBe('Shop 51'), patience)
    await page.keyboard.press('k')
    await vi.waitFor(async () => expect(await focused(page)).toBe('Shop 50'), patience)
    await page.keyboard.press('End')
    await vi.waitFor(async () => expect(await focused(page)).toBe('Shop 3000'), patience)
    await page.keyboard.press('ArrowDown')
    expect(await focused(page)).toBe('Shop 3000')

    // Whoever scrolls away keeps the focus.
    await page.evaluate('scrollTo(0, 20_000)')
    await row(page, 'Shop 360').first().waitFor()
    expect(await focused(page)).toBe('Shop 3000')
    await page.keyboard.press('Home')
    await vi.waitFor(async () => expect(await focused(page)).toBe('Shop 1'), patience)
    expect(await page.evaluate('scrollY')).toBeLessThan(400)

    for (let pressed = 0; pressed < 30; pressed++) await page.keyboard.press('j')
    await vi.waitFor(async () => expect(await focused(page)).toBe('Shop 31'), patience)
    const before = await page.evaluate('scrollY')
    expect(before).toBeGreaterThan(0)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/monitors\/\d+$/)
    await vi.waitFor(async () => expect(await page.evaluate('scrollY')).toBe(0), patience)
    await page.goBack()
    await row(page, 'Shop 31').first().waitFor()
    await vi.waitFor(async () => expect(await page.evaluate('scrollY')).toBe(before), patience)
    await vi.waitFor(async () => expect(await focused(page)).toBe('Shop 31'), patience)
    // A link to it is no way back.
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/monitors\/\d+$/)
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click()
    await row(page, 'Shop 1').first().waitFor()
    expect(await focused(page)).toBe('Overview')
    expect(complaints).toEqual([])
  })

  it('tells its keys, and leaves the letters alone where somebody wants that', async () => {
    const { page } = await openSignedIn(browser, server, eve)
    await page.goto('/')
    await row(page, 'Shop 7').first().waitFor()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keys' })
    await dialog.getByLabel('Use letters as keys').uncheck()
    await expectNoViolations(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await page.keyboard.press('?')
    await page.keyboard.press('/')
    await page.keyboard.press('j')
    expect(await dialog.count()).toBe(0)
    expect(await focused(page)).not.toBe('Shop 1')
    await page.getByRole('searchbox').focus()
    await page.keyboard.press('ArrowDown')
    expect(await focused(page)).toBe('Shop 1')
  })
})
