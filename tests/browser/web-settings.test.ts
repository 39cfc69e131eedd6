/** The settings of a website, at a browser. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { expectNoViolations } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import { openSignedIn } from '../support/signed-in.ts'

let server: TestServer
let browser: Browser
let ada: Person

beforeAll(async () => {
  server = await startTestServer()
  browser = await openBrowser()
  ada = await server.person('ada')
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

async function settingsOf(domain: string) {
  const { data } = (await ada.session.post('/api/v1/websites', { domain })).body
  const watched = await openSignedIn(browser, server, ada)
  await watched.page.goto(`/${domain}/settings`)
  await watched.page.getByLabel('Time zone').waitFor()
  const saved = async () => (await ada.session.get(`/api/v1/websites/${data.id}`)).body.data
  return { ...watched, id: data.id as number, saved }
}

const visit = (url: string, userAgent: string) =>
  fetch(`${server.address}/api/event`, {
    method: 'POST',
    headers: { 'user-agent': userAgent },
    body: JSON.stringify({ n: 'pageview', u: url, d: new URL(url).hostname, r: null }),
  })
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

describe('the settings of a website', () => {
  it('are all there, are saved together, and can be taken back', async () => {
    const { page, complaints, outside, saved } = await settingsOf('all.example.com')
    await expectNoViolations(page)
    await page.getByLabel('Favourite').check()
    await page.getByLabel('Time zone').selectOption('Europe/Vienna')
    await page.getByLabel('Password', { exact: true }).first().check()
    await page.locator('input[type=password]').fill('open sesame')
    await page.getByLabel('Send me a report every Monday').check()
    await page.getByText('Mail is not set up on this server').waitFor()
    await page.getByLabel('Leave out bots').uncheck()
    await page.getByLabel('Addresses', { exact: true }).fill('203.0.113.7')
    await page.getByLabel('Parameters of addresses').fill('ref')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect(await saved()).toMatchObject({
      favorite: true,
      time_zone: 'Europe/Vienna',
      privacy: 2,
      has_password: true,
      email: 1,
      exclude_bots: 0,
      exclude_ips: '203.0.113.7',
      exclude_params: 'ref',
    })
    await page.getByLabel('Favourite').uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await vi.waitFor(async () => expect(await saved()).toMatchObject({ favorite: true }), { timeout: 10_000 })
    expect({ complaints, outside }).toEqual({ complaints: [], outside: [] })
  })

  it('say at the field what is wrong, and lose nothing', async () => {
    const { page } = await settingsOf('wrong.example.com')
    await page.getByLabel('Addresses', { exact: true }).fill('203.0.113.7\nnowhere')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/line 2/i).waitFor()
    expect(await page.getByLabel('Addresses', { exact: true }).inputValue()).toBe('203.0.113.7\nnowhere')
    await expectNoViolations(page)
  })

  it('are not left with something unsaved without a question', async () => {
    const { page } = await settingsOf('unsaved.example.com')
    await page.getByLabel('Favourite').check()
    await page.getByRole('link', { name: 'Statistics' }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    const discard = page.getByRole('button', { name: 'Discard changes' })
    await discard.click()
    await page.getByText('Everything is saved.').waitFor()
    // There is nothing to discard any more, but the button keeps the focus.
    expect(await discard.evaluate((button) => button.matches(':focus'))).toBe(true)
    await page.getByRole('link', { name: 'Statistics' }).click()
    await page.getByText('No visit has been counted yet').waitFor()
  })

  it('show what parameters would have merged, and what was left out', async () => {
    const { page } = await settingsOf('shop.example.com')
    for (const ref of ['a', 'b', 'c']) await visit(`https://shop.example.com/cart?ref=${ref}`, firefox)
    await visit('https://shop.example.com/', 'Googlebot/2.1 (+http://www.google.com/bot.html)')
    await page.reload()
    await page.getByRole('button', { name: '+ ref' }).click()
    await page.getByText('3 pages would have been 1.').waitFor()
    await page.getByText('3 pages in one, 3 views').waitFor()
    await vi.waitFor(
      async () => {
        await page.reload()
        await page.getByText('from bots').waitFor({ timeout: 2_000 })
      },
      { timeout: 20_000 },
    )
    await expectNoViolations(page)
  })

  it('delete the website when its domain has been typed', async () => {
    const { page, id } = await settingsOf('gone.example.com')
    await page.getByRole('button', { name: 'Delete gone.example.com' }).click()
    const confirm = page.getByRole('button', { name: 'Delete the website' })
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByLabel('Type gone.example.com to confirm').fill('gone.example.com')
    await confirm.click()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    expect((await ada.session.get(`/api/v1/websites/${id}`)).status).toBe(404)
  })

  it('of what was deleted are not on the way back', async () => {
    const { page } = await settingsOf('short.example.com')
    await page.goto('/monitors')
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: 'short.example.com', exact: true }).first().click()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Delete short.example.com' }).click()
    await page.getByLabel('Type short.example.com to confirm').fill('short.example.com')
    await page.getByRole('button', { name: 'Delete the website' }).click()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await page.evaluate('history.back()')
    await page.getByRole('heading', { name: 'Monitors', level: 1 }).waitFor()
  })

  it('are for nobody else', async () => {
    await settingsOf('mine.example.com')
    const { page } = await openSignedIn(browser, server, await server.person('mallory'))
    const answer = await page.goto('/mine.example.com/settings')
    expect(answer?.status()).toBe(404)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  })
})
