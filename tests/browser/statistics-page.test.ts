import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TrafficEvent } from '../../src/traffic/event.ts'
import { insertBatch } from '../../src/traffic/inbox-store.ts'
import { openBrowser, openPage } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { path as websites } from '../support/websites.ts'

let server: TestServer
let browser: Browser

const hostile = `/<script>document.title='broken'</script>"'&${'x'.repeat(300)}`

function view(websiteId: number, visitor: number, page: string, more: Partial<TrafficEvent> = {}): TrafficEvent {
  const at = server.clock.now().getTime() - 60_000 + visitor
  return { websiteId, kind: 'view', at, day: '2026-01-05', hour: 9, visitor, page, source: 'Direct', ...more }
}

beforeAll(async () => {
  server = await startTestServer()
  browser = await openBrowser()
  const { session } = await server.person('owner')
  const made = await session.post(websites, { domain: 'example.com', privacy: 2, password: 'open sesame' })
  const { id } = made.body.data
  await insertBatch(server.services.db, [
    view(id, 1, '/pricing', { country: 'DE', browser: 'Firefox' }),
    view(id, 2, '/pricing', { country: 'FR', source: hostile }),
    view(id, 2, hostile),
  ])
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const figure = (page: Page, name: string) =>
  page
    .locator('dl div', { has: page.getByText(name, { exact: true }) })
    .locator('dd')
    .first()

const isTooWide = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

describe('the page of a website’s statistics', () => {
  it('opens with the password, by keyboard alone', async () => {
    const { page, outside, complaints } = await openPage(browser, server.address)
    await page.goto(`${server.address}/example.com`)
    await page.keyboard.type('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('The password is wrong.').waitFor()
    // The browser mentions both answers that were 401.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([])
    complaints.length = 0

    await page.keyboard.type('open sesame')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'example.com' }).waitFor()
    await page.getByText('2 visitors now').waitFor()
    expect(await figure(page, 'Visitors').textContent()).toBe('2')
    expect(await figure(page, 'Page views').textContent()).toBe('3')
    expect(await page.getByRole('img', { name: /^Visitors and page views/ }).count()).toBe(1)

    await page.getByRole('link', { name: 'Germany' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /^Country: Germany/ }).waitFor()
    expect(await figure(page, 'Visitors').textContent()).toBe('1')

    await page.getByRole('link', { name: 'Today' }).click()
    await page.getByText('5 Jan 2026', { exact: true }).waitFor()
    await page.getByText('The numbers as a table').click()
    await page.getByRole('row', { name: '09:00 1 1' }).waitFor()
    await page.getByRole('link', { name: /remove this filter/ }).click()
    await page.getByText('The numbers as a table').click()
    await page.getByRole('row', { name: '09:00 2 3' }).waitFor()

    await page.getByLabel('From').fill('2025-12-01')
    await page.getByLabel('to', { exact: true }).fill('2025-12-31')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('heading', { name: 'Nothing was counted in these days' }).waitFor()
    expect(outside).toEqual([])
    expect(complaints).toEqual([])
  })

  it('fits a narrow phone, and shows hostile values as they are', async () => {
    const { page, complaints } = await openPage(browser, server.address)
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(`${server.address}/example.com`)
    expect(await isTooWide(page)).toBe(false)
    await page.getByLabel('Password').fill('open sesame')
    await page.getByRole('button', { name: 'Show the statistics' }).click()
    await page.getByText(hostile).first().waitFor()
    expect(await page.title()).toBe('example.com · Belfry')
    expect(await isTooWide(page)).toBe(false)
    await page.getByRole('link', { name: hostile }).first().click()
    await page.getByRole('link', { name: /remove this filter/ }).waitFor()
    expect(await figure(page, 'Visitors').textContent()).toBe('1')
    expect(await isTooWide(page)).toBe(false)
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([])
  })
})
