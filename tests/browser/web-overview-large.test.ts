/** The overview in a browser when it has more rows than the page renders at once. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { figure, readFocusedText, readRowNames, row, rowsOf } from '../support/overview-page.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { openSignedIn } from '../support/signed-in.ts'

let server: TestServer
let browser: TestBrowser

const waitOptions = { timeout: 20_000 }

beforeAll(async () => {
  server = await startTestServer()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

describe('the overview with thousands of monitors', { timeout: 60_000 }, () => {
  const monitorCount = 3_000
  let eve: TestUser

  beforeAll(async () => {
    eve = await server.createUser('eve')
    await server.services.db.query(
      `insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
         remind_every_minutes, status, status_changed_at, search_text, created_at, updated_at)
       select $1, 'Shop ' || n, 'shop-' || n || '.example', 'ping', 60, 2, 5, 0, 'up', now(), 'shop ' || n, now(), now()
         from generate_series(1, $2::int) n`,
      [eve.id, monitorCount],
    )
    await server.services.db.query(
      'insert into monitor_states (user_id, monitor_id) select user_id, id from monitors where user_id = $1 on conflict do nothing',
      [eve.id],
    )
  })

  it('shows the first rows and all figures before the other rows arrive, and restores the position after keyboard navigation', async () => {
    const { page, consoleErrors } = await openSignedIn(browser, server, eve)
    const gate = Promise.withResolvers<void>()
    await page.route(/\/api\/overview\?(?!.*limit=)/, async (route) => {
      await gate.promise
      await route.continue()
    })
    await page.goto('/')
    await row(page, 'Shop 1').first().waitFor()
    await figure(page, 'Up', '3,000').waitFor()
    await figure(page, 'Uptime', '…').waitFor()
    const names = await readRowNames(page)
    await page.getByRole('searchbox').fill('shop 2999')
    await page.getByText('Loading more websites and monitors…').waitFor({ state: 'attached' })
    gate.resolve()
    await row(page, 'Shop 2999').waitFor(waitOptions)
    await page.getByRole('searchbox').fill('')
    await vi.waitFor(async () => expect(await readRowNames(page)).toEqual(names), waitOptions)
    await figure(page, 'Up', '3,000').waitFor()

    await page.getByRole('searchbox').blur()
    // Only a few rows are rendered, so the keys below also reach rows that are not rendered yet.
    expect(await rowsOf(page).count()).toBeLessThan(30)
    await page.keyboard.press('j')
    expect(await readFocusedText(page)).toBe('Shop 1')
    for (let pressCount = 0; pressCount < 30; pressCount++) await page.keyboard.press('ArrowDown')
    await vi.waitFor(async () => expect(await readFocusedText(page)).toBe('Shop 31'), waitOptions)
    await page.keyboard.press('k')
    await vi.waitFor(async () => expect(await readFocusedText(page)).toBe('Shop 30'), waitOptions)
    await page.keyboard.press('End')
    await vi.waitFor(async () => expect(await readFocusedText(page)).toBe('Shop 3000'), waitOptions)
    await page.keyboard.press('ArrowDown')
    expect(await readFocusedText(page)).toBe('Shop 3000')

    // Scrolling away keeps the focus.
    await page.evaluate('scrollTo(0, 20_000)')
    await row(page, 'Shop 390').first().waitFor()
    expect(await readFocusedText(page)).toBe('Shop 3000')
    await page.keyboard.press('Home')
    await vi.waitFor(async () => expect(await readFocusedText(page)).toBe('Shop 1'), waitOptions)
    expect(await page.evaluate('scrollY')).toBeLessThan(400)

    for (let pressCount = 0; pressCount < 20; pressCount++) await page.keyboard.press('j')
    await vi.waitFor(async () => expect(await readFocusedText(page)).toBe('Shop 21'), waitOptions)
    const scrollBefore = await page.evaluate('scrollY')
    expect(scrollBefore).toBeGreaterThan(0)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/monitors\/\d+$/)
    await vi.waitFor(async () => expect(await page.evaluate('scrollY')).toBe(0), waitOptions)
    await page.goBack()
    await row(page, 'Shop 21').first().waitFor()
    await vi.waitFor(async () => expect(await page.evaluate('scrollY')).toBe(scrollBefore), waitOptions)
    await vi.waitFor(async () => expect(await readFocusedText(page)).toBe('Shop 21'), waitOptions)
    // Opening the overview through a link doesn't restore the scroll position.
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/monitors\/\d+$/)
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click()
    await row(page, 'Shop 1').first().waitFor()
    expect(await readFocusedText(page)).toBe('Overview')
    expect(consoleErrors).toEqual([])
  })
})
