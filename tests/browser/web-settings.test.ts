import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { chooseTimeZone } from '../support/choose-time-zone.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { offerFewTimeZones } from '../support/few-time-zones.ts'
import { openForTest } from '../support/open-in-app.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { SharedTab } from '../support/shared-tab.ts'
import { createSite } from '../support/traffic.ts'

let server: TestServer
let browser: TestBrowser
let tab: SharedTab
let ada: TestUser
/** The ids of the websites of Ada, one for each test, by their subdomain of example.com. */
const websiteIds = new Map<string, number>()

beforeAll(async () => {
  server = await startTestServer()
  browser = await openBrowser()
  tab = new SharedTab(server, browser)
  await offerFewTimeZones((await tab.open()).page)
  ada = await server.createUser('ada')
  for (const subdomain of ['all', 'shop', 'wrong', 'short', 'mine'])
    websiteIds.set(subdomain, await createSite(ada, `${subdomain}.example.com`))
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

async function openSettings(domain: string) {
  const openedPage = await tab.open(ada)
  await openForTest(openedPage.page, `/${domain}/settings`)
  await openedPage.page.getByLabel('Time zone').waitFor()
  return openedPage
}

const sendPageview = (url: string, userAgent: string) =>
  fetch(`${server.address}/api/event`, {
    method: 'POST',
    headers: { 'user-agent': userAgent },
    body: JSON.stringify({ n: 'pageview', u: url, d: new URL(url).hostname, r: null }),
  })
const firefoxUserAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

describe('the settings of a website', () => {
  it('can be changed, saved together and undone, and ask before leaving with unsaved changes', async () => {
    const id = websiteIds.get('all')
    const getWebsite = async () => (await ada.session.get(`/api/v1/websites/${id}`)).body.data
    const { page, consoleErrors, externalRequests } = await openSettings('all.example.com')
    await page.getByLabel('Favorite').check()
    await chooseTimeZone(page, 'vienna')
    await page.getByRole('radio', { name: 'Password-protected' }).check()
    await page.locator('input[type=password]').fill('open sesame')
    await page.getByLabel('Email me a report every Monday').check()
    await page.getByText("This server can't send email yet").waitFor()
    await page.getByLabel('Exclude bots').uncheck()
    await page.getByLabel('Excluded IPs', { exact: true }).fill('203.0.113.7')
    await page.getByLabel('Ignored URL parameters').fill('ref')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Settings saved.', { exact: true }).waitFor()
    expect(await getWebsite()).toMatchObject({
      favorite: true,
      time_zone: 'Europe/Vienna',
      privacy: 2,
      has_password: true,
      email: 1,
      exclude_bots: 0,
      exclude_ips: '203.0.113.7',
      exclude_params: 'ref',
    })
    await page.getByLabel('Favorite').uncheck()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await vi.waitFor(async () => expect(await getWebsite()).toMatchObject({ favorite: true }), { timeout: 10_000 })
    // Until the form shows the restored value, the switch is off, and `uncheck` would do nothing.
    await page.getByRole('switch', { name: 'Favorite', checked: true }).waitFor()

    await page.getByLabel('Favorite').uncheck()
    await page.getByRole('link', { name: 'Statistics' }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    const discardButton = page.getByRole('button', { name: 'Discard changes' })
    await discardButton.click()
    await page.getByText('No unsaved changes').waitFor()
    // The button is disabled now, but keeps the focus.
    expect(await discardButton.evaluate((button) => button.matches(':focus'))).toBe(true)
    await page.getByRole('link', { name: 'Statistics' }).click()
    await page.getByText('No visits yet').waitFor()
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('preview ignored parameters and show excluded events', async () => {
    const id = websiteIds.get('shop')
    for (const sid of ['a', 'b', 'c']) await sendPageview(`https://shop.example.com/cart?sid=${sid}`, firefoxUserAgent)
    await sendPageview('https://shop.example.com/', 'Googlebot/2.1 (+http://www.google.com/bot.html)')
    // The page fetches the counts only once, so wait until the server has saved them, about a second after the event.
    await vi.waitFor(
      async () => expect((await ada.session.get(`/api/v1/websites/${id}/dropped`)).body.meta.total).toBe(1),
      { timeout: 20_000 },
    )
    const { page } = await openSettings('shop.example.com')
    await page.getByText('from bots').waitFor()
    await page.getByRole('button', { name: '+ sid' }).click()
    await page.getByText('3 pages would be counted as 1.').waitFor()
    await page.getByText('3 pages merged, 3 page views').waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
  })

  it('show errors at the field', async () => {
    const { page } = await openSettings('wrong.example.com')
    await page.getByLabel('Excluded IPs', { exact: true }).fill('203.0.113.7\nnowhere')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText(/line 2/i).waitFor()
    expect(await page.getByLabel('Excluded IPs', { exact: true }).inputValue()).toBe('203.0.113.7\nnowhere')
    await expectNoViolations(page)
  })

  it('delete the website after its domain has been typed, and are then skipped by the Back button', async () => {
    const id = websiteIds.get('short')
    const { page } = await tab.open(ada)
    await openForTest(page, '/monitors')
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: 'short.example.com', exact: true }).first().click()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Delete short.example.com' }).click()
    const confirmButton = page.getByRole('button', { name: 'Delete website' })
    expect(await confirmButton.isDisabled()).toBe(true)
    await page.getByLabel('Type short.example.com to confirm').fill('short.example.com')
    await confirmButton.click()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    expect((await ada.session.get(`/api/v1/websites/${id}`)).status).toBe(404)
    await page.evaluate('history.back()')
    await page.getByRole('heading', { name: 'Monitors', level: 1 }).waitFor()
  })

  it('are hidden from other users', async () => {
    const { page } = await tab.open(await server.createUser('mallory'))
    const response = await page.goto('/mine.example.com/settings')
    expect(response?.status()).toBe(404)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  })
})
