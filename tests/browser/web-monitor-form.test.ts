/** Making and changing a monitor, at a browser. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { expectNoViolations } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { makeMonitor, path, showMonitor } from '../support/monitors.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import { openSignedIn } from '../support/signed-in.ts'

// Looking for what keeps people out takes its time on a slow machine.
vi.setConfig({ testTimeout: 60_000 })

let server: TestServer
let browser: Browser
let target: HttpReceiver
let ada: Person

beforeAll(async () => {
  target = await startHttpReceiver()
  // Nothing else that is private, so that there is something to refuse.
  server = await startTestServer({ env: { BELFRY_PRIVATE_TARGETS: '127.0.0.1' } })
  browser = await openBrowser()
  ada = await server.person('ada')
})
afterAll(async () => {
  await browser.close()
  await server.close()
  await target.close()
})
beforeEach(() => {
  target.received.length = 0
  target.answerWith(200, 'Welcome')
})

const open = (person = ada, viewport = { width: 1280, height: 900 }) =>
  openSignedIn(browser, server, person, { viewport })

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const focused = 'document.activeElement?.labels?.[0]?.textContent'
const isTooWide = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

async function makeProvider(person: Person, fields: object): Promise<number> {
  const sent = { provider_type: 'email', recipient_email: 'ops@example.com', ...fields }
  return (await person.session.post('/api/providers', sent)).body.data.id
}

async function idOnceSaved(page: Page): Promise<number> {
  await page.waitForURL(/\/monitors\/\d+$/)
  return Number(page.url().split('/').at(-1))
}

describe('a new monitor', () => {
  it('is tried, and made as it was typed, for those who shall be told', async () => {
    const byDefault = await makeProvider(ada, { name: 'Everybody', assign_by_default: true })
    const chosen = await makeProvider(ada, { name: 'Night shift' })
    const { page, consoleErrors, externalRequests } = await open()
    await page.goto(`/monitors/new?url=${target.address}/health`)
    expect(await field(page, 'Name').inputValue()).toBe('127.0.0.1')
    await page.getByText('More settings').click()
    await button(page, 'Add a header').click()
    await page.getByLabel('Name of header 1').fill('X-Token')
    await page.getByLabel('Value of X-Token').fill('s3cret token')
    await field(page, 'Text of the answer').selectOption('This text must appear')
    await field(page, 'Text to look for').fill('Welcome')
    await button(page, 'Try it').click()
    await page.getByText(/^It works: status 200 in [\d,]+ ms$/).waitFor()
    await page.getByText('Waiting for the answer').waitFor()
    expect(target.received).toMatchObject([{ path: '/health', headers: { 'x-token': 's3cret token' } }])
    await expectNoViolations(page)

    await field(page, 'Name').fill('Shop')
    await field(page, 'Check every').selectOption('5 minutes')
    expect(await page.getByRole('checkbox', { name: 'Everybody' }).isChecked()).toBe(true)
    await page.getByRole('checkbox', { name: 'Everybody' }).uncheck()
    await page.getByRole('checkbox', { name: 'Night shift' }).check()
    await button(page, 'Create monitor').dblclick()
    const id = await idOnceSaved(page)
    const made = await showMonitor(ada.session, id)
    expect(made).toMatchObject({
      friendly_name: 'Shop',
      url: `${target.address}/health`,
      interval: 300,
      http: { headers: { 'X-Token': 'oken' }, keyword: 'Welcome', keyword_absent: null },
    })
    const { body } = await ada.session.get(`${path}/${id}/notifications`)
    expect(body.data.map((one: { provider_id: number }) => one.provider_id)).toEqual([chosen])
    expect(chosen).not.toBe(byDefault)
    expect((await ada.session.get(path)).body.meta.total).toBe(1)
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('that fails its try says by what', async () => {
    const { page } = await open()
    target.answerWith(503, 'away')
    await page.goto(`/monitors/new?url=${target.address}/`)
    await button(page, 'Try it').click()
    await page.getByText('An unexpected status').waitFor()
    await page.getByText('Answered 503, expected 200-399.').waitFor()
    await field(page, 'Address').fill(`${target.address}/elsewhere`)
    await page.getByText('You have changed something since this try.').waitFor()
  })

  it('for an address that is refused explains what is refused, why, and what would allow it', async () => {
    const { page } = await open(ada, { width: 360, height: 800 })
    await page.goto('/monitors/new?url=http://192.168.1.1/')
    await button(page, 'Try it').click()
    await page.getByText('This address is not allowed here').waitFor()
    await page.getByText(/192\.168\.1\.1 is a private address, .* BELFRY_PRIVATE_TARGETS allows it\./).waitFor()
    await page.getByText(/anybody with an account could look around/).waitFor()
    expect(await isTooWide(page)).toBe(false)
    await expectNoViolations(page)
  })

  it('that is refused shows what is wrong at its field, and keeps what was typed', async () => {
    const eve = await server.person('eve')
    const { page } = await open(eve)
    await page.goto('/monitors')
    await page.getByRole('link', { name: 'Add a monitor' }).first().click()
    await field(page, 'Address').fill('example.com/shop')
    await field(page, 'Name').fill('Kept name')
    expect(await field(page, 'Address').inputValue()).toBe('https://example.com/shop')
    await field(page, 'Check every').selectOption('Other…')
    await field(page, 'Seconds between checks').fill('10')
    await page.getByText('Each check is a request to the site: 8,640 a day.').waitFor()
    await page.getByText('More settings').click()
    await field(page, 'Timeout in seconds').fill('30')
    await page.getByText('More settings').click()
    await button(page, 'Create monitor').click()
    await page.getByText('Must not be above the interval (10).').waitFor()
    await expect.poll(() => page.evaluate(focused)).toBe('Timeout in seconds')
    expect(await field(page, 'Timeout in seconds').getAttribute('aria-invalid')).toBe('true')
    expect(await field(page, 'Name').inputValue()).toBe('Kept name')
    await expectNoViolations(page)
    await field(page, 'Timeout in seconds').fill('5')
    await button(page, 'Create monitor').click()
    expect(await showMonitor(eve.session, await idOnceSaved(page))).toMatchObject({
      friendly_name: 'Kept name',
      interval: 10,
      timeout: 5,
    })
    await page.evaluate('history.back()')
    await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor()
  })
})

describe('a change', () => {
  it('keeps secret headers, when it is tried and when it is saved', async () => {
    const monitor = await makeMonitor(ada.session, {
      url: `${target.address}/kept`,
      http: { headers: { Authorization: 'Bearer abcdef' } },
    })
    const { page, consoleErrors, externalRequests } = await open()
    await page.goto(`/monitors/${monitor.id}/edit`)
    expect(await page.getByLabel('Value of Authorization').getAttribute('placeholder')).toBe('Kept: ••••cdef')
    await field(page, 'Name').fill('Renamed')
    await button(page, 'Add a header').click()
    await page.getByLabel('Name of header 2').fill('X-More')
    await page.getByLabel('Value of X-More').fill('another one')
    await button(page, 'Try it').click()
    await page.getByText(/^It works/).waitFor()
    const headers = { authorization: 'Bearer abcdef', 'x-more': 'another one' }
    expect(target.received.at(-1)?.headers).toMatchObject(headers)
    await expectNoViolations(page)
    await button(page, 'Save changes').click()
    await idOnceSaved(page)
    await ada.session.post(`${path}/${monitor.id}/check`)
    expect(target.received.at(-1)?.headers).toMatchObject(headers)
    expect((await showMonitor(ada.session, monitor.id)).friendly_name).toBe('Renamed')
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('is not lost by a link without being asked', async () => {
    const monitor = await makeMonitor(ada.session)
    const { page } = await open()
    await page.goto(`/monitors/${monitor.id}/edit`)
    await field(page, 'Name').fill('Not saved')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await page.getByRole('link', { name: 'API keys' }).click()
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await field(page, 'Name').inputValue()).toBe('Not saved')
    expect(new URL(page.url()).pathname).toBe(`/monitors/${monitor.id}/edit`)
    await page.getByRole('link', { name: 'API keys' }).click()
    await question.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    expect((await showMonitor(ada.session, monitor.id)).friendly_name).toBe('Shop')
  })
})
