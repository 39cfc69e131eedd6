/** Watching a website in its settings: traffic alerts, and monitors of its domain and certificate. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/shared/time.ts'
import { button, openBrowser, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'
import { monitorsPath } from '../support/monitors.ts'
import { showPage } from '../support/open-in-app.ts'
import { insertPastVisits } from '../support/past-visits.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite } from '../support/traffic.ts'
import { WebsitePages } from '../support/website-page.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let server: TestServer
let browser: TestBrowser
let pages: WebsitePages
/**
 * Her websites exist before the first page is loaded, so that tests can open their settings without loading the document again. Tests of
 * websites with too many alerts have their own user, because the websites of a user share the false alarms allowed.
 */
let ada: TestUser
const adasWebsites = new Map<string, CreatedWebsite>()
/** The replays of her websites have alerts, but no test turns the traffic alerts of these websites on. */
let eve: TestUser

beforeAll(async () => {
  ;[server, browser] = await Promise.all([startTestServer(), openBrowser()])
  ada = await server.createUser('ada')
  for (const [domain, days] of [
    ['switched.example', 0],
    ['new.example', 5],
    ['empty.example', 0],
    ['spikes.example', 0],
  ] as const)
    adasWebsites.set(domain, await createWebsite(ada, domain, days, () => false))
  const fields = { time_zone: 'UTC', holidays: 'DE', quiet_days: ['2025-08-11', '2025-08-12'] }
  adasWebsites.set('added.example', describeWebsite(ada, await createSite(ada, 'added.example', fields)))
  eve = await server.createUser('eve')
  await createWebsite(eve, 'year.example', 378, isSilentFrom('2025-03-03T09:00:00Z'))
  await createQuietWebsite(eve, 'quiet.example')
  pages = new WebsitePages(server, browser)
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

type CreatedWebsite = ReturnType<typeof describeWebsite>

const describeWebsite = (owner: TestUser, id: number) => ({
  id,
  get: async () => (await owner.session.get(`/api/v1/websites/${id}`)).body.data,
})

const getAdasWebsite = (domain: string) => adasWebsites.get(domain) as CreatedWebsite

/**
 * Creates a website with two visits every five minutes until last midnight, except at times for which `isSilent`
 * returns true.
 */
async function createWebsite(owner: TestUser, domain: string, days: number, isSilent: (at: number) => boolean) {
  const id = await createSite(owner, domain, { time_zone: 'UTC' })
  const countAt = (at: number) => (isSilent(at) ? 0 : 2)
  await insertPastVisits(server.services.db, id, { days, to: server.clock.now(), countAt })
  return describeWebsite(owner, id)
}

/** Creates a website with hardly any visits on the public holidays of Germany and on two other days. */
async function createQuietWebsite(owner: TestUser, domain: string): Promise<void> {
  const quietDays = ['2025-10-03', '2025-12-25', '2025-12-26', '2026-01-01', '2025-11-17', '2025-11-18']
  const isQuiet = (at: number) => quietDays.includes(new Date(at).toISOString().slice(0, 10)) && at % HOUR_MS !== 0
  const id = await createSite(owner, domain, { time_zone: 'UTC' })
  const countAt = (at: number) => (isQuiet(at) ? 0 : 4)
  await insertPastVisits(server.services.db, id, { days: 120, to: server.clock.now(), countAt })
}

/** Returns whether a time is in the eight hours from `start` on. */
const isSilentFrom = (start: string) => (at: number) => at >= Date.parse(start) && at < Date.parse(start) + 8 * HOUR_MS

async function openSettings(owner: TestUser, domain: string) {
  const openedPage = await pages.open(`/${domain}/settings`, owner)
  await getSwitch(openedPage.page).waitFor()
  return openedPage
}

const getSwitch = (page: Page) => page.getByRole('switch', { name: 'Alert me when visits stop' })
const getLimit = (page: Page) => page.getByLabel('False alarms allowed')
const getQuietDays = (page: Page) => page.getByRole('group', { name: 'Other quiet days' })
const getReplay = (page: Page) => page.locator('.replay:not(.replay-stale)')

async function saveSettings(page: Page): Promise<void> {
  await button(page, 'Save changes').click()
  await page.getByText('No unsaved changes').waitFor()
}

describe('the traffic alerts of a website', () => {
  it('show what they would have done in the last 12 months', async () => {
    const { page, consoleErrors, externalRequests } = await openSettings(eve, 'year.example')
    // The second alert is for today, because no visits of today are stored.
    await page.getByText('In the last 12 months, Belfry would have alerted you 2 times.').waitFor()
    const alerts = page.getByRole('list', { name: 'Alerts that Belfry would have sent' }).getByRole('listitem')
    expect(await alerts.allInnerTexts()).toEqual([
      expect.stringMatching(/4 Jan 2026.*no visits for 10 h/s),
      expect.stringMatching(/3 Mar 2025.*no visits for 8 h/s),
    ])
    await page.getByText(/you would be alerted after about \d+ minutes/).waitFor()
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('can leave out the public holidays and quiet days that the page suggests', async () => {
    const { page, consoleErrors } = await openSettings(eve, 'quiet.example')
    // One more alert is for today, because no visits of today are stored.
    await page.getByText(/ \d alerts were on days with few visits, such as public holidays\./).waitFor()
    expect(await getSwitch(page).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Add the public holidays of Germany and 2 more days' }).click()
    await getQuietDays(page)
      .getByText(/^17.{1,3}18 Nov 2025$/)
      .waitFor()
    await saveSettings(page)
    expect(await page.getByLabel('Public holidays').inputValue()).toBe('DE')
    await getReplay(page)
      .getByText(/Belfry would have alerted you once/)
      .waitFor()
    await expectNoViolations(page)
    expect(consoleErrors).toEqual([])
  })

  it('stay off if they would have come too often, until the limit is higher', async () => {
    const owner = await server.createUser('irregular')
    const isSilent = (at: number) => Math.floor(at / DAY_MS) % 20 === 3 && at % DAY_MS >= 9 * HOUR_MS
    // The server replays the visits four times in this test. More days would only take longer.
    const website = await createWebsite(owner, 'irregular.example', 130, isSilent)
    // The day is before the first visit. With it, the accessibility check includes the list of quiet days.
    await owner.session.put(`/api/v1/websites/${website.id}`, { quiet_days: ['2025-01-01'] })
    const { page } = await openSettings(owner, 'irregular.example')
    await page.getByText(/alerted you \d times.* 1 false alarm a year, so you can't turn these alerts on/).waitFor()
    expect(await getSwitch(page).isDisabled()).toBe(true)
    await page.getByRole('button', { name: /^Show all/ }).click()
    await page.getByRole('button', { name: 'Show fewer' }).waitFor()
    await getQuietDays(page).getByText('1 Jan 2025').waitFor()
    await expectNoViolations(page)

    await getLimit(page).selectOption('One a month')
    await getReplay(page)
      .getByText(/alerted you \d times\.$/)
      .waitFor()
    await getSwitch(page).check()
    await saveSettings(page)
    expect(await website.get()).toMatchObject({ watch_traffic: true, silence_alarms_a_year: 12 })

    // The server refuses a lower limit while the alerts are on.
    await getLimit(page).selectOption('One a year')
    await button(page, 'Save changes').click()
    await page
      .getByText(/you would have received \d alerts about this website.* share of the false alarms allowed is 1/)
      .waitFor()
    expect(await website.get()).toMatchObject({ watch_traffic: true, silence_alarms_a_year: 12 })
    await button(page, 'Discard changes').click()
    expect(await getLimit(page).inputValue()).toBe('12')
  })

  it('are turned on by keyboard, and off again', async () => {
    const website = getAdasWebsite('switched.example')
    const { page, consoleErrors, externalRequests } = await openSettings(ada, 'switched.example')
    await getReplay(page).waitFor()
    await getSwitch(page).focus()
    await page.keyboard.press('Space')
    expect(await getSwitch(page).evaluate((element) => element.matches(':focus:checked'))).toBe(true)
    expect(await website.get()).toMatchObject({ watch_traffic: false })
    await page.keyboard.press('Enter')
    await page.getByText('Settings saved.', { exact: true }).waitFor()
    expect(await website.get()).toMatchObject({ watch_traffic: true, watch_spikes: false })
    await page.getByRole('link', { name: 'the traffic monitor of switched.example' }).click()
    await page.waitForURL(/\/monitors\/\d+$/)
    await page.goBack()
    await getSwitch(page).uncheck()
    await saveSettings(page)
    expect(await website.get()).toMatchObject({ watch_traffic: false })
    expect({ consoleErrors, externalRequests }).toEqual({ consoleErrors: [], externalRequests: [] })
  })

  it('can leave out days that the owner adds, until the owner removes them', async () => {
    const website = getAdasWebsite('added.example')
    const { page, consoleErrors } = await openSettings(ada, 'added.example')
    const days = getQuietDays(page)
    await days.getByRole('button', { name: 'Add', exact: true }).click()
    await days.getByText('Enter the first day.').waitFor()
    await days.getByLabel('First day').fill('2026-12-24')
    await days.getByRole('button', { name: 'Add', exact: true }).click()
    await days.getByText('24 Dec 2026').waitFor()
    await days.getByRole('button', { name: /^Remove 11.{1,3}12 Aug 2025$/ }).click()
    await saveSettings(page)
    expect(await website.get()).toMatchObject({ quiet_days: ['2026-12-24'], holidays: 'DE' })
    await getReplay(page).waitFor()
    expect(consoleErrors).toEqual([])
  })

  it('say when they begin if there is too little history', async () => {
    const website = getAdasWebsite('new.example')
    const { page } = await openSettings(ada, 'new.example')
    await page.getByText('You can already turn on “Alert me when visits stop”. Alerts begin on 14 Jan 2026.').waitFor()
    await getSwitch(page).check()
    await page.getByText(/what is usual\. Alerts begin on 14 Jan 2026\.$/).waitFor()
    await saveSettings(page)
    expect(await website.get()).toMatchObject({ watch_traffic: true })

    await showPage(page, '/empty.example/settings')
    await page.getByText('Alerts begin two weeks after the first visits.').waitFor()
  })

  it('can be about spikes alone, and be undone', async () => {
    const website = getAdasWebsite('spikes.example')
    const { page } = await openSettings(ada, 'spikes.example')
    const spikes = page.getByRole('switch', { name: 'Alert me about traffic spikes' })
    await spikes.check()
    await saveSettings(page)
    await page.getByRole('link', { name: 'the traffic monitor of spikes.example' }).waitFor()
    expect(await website.get()).toMatchObject({ watch_traffic: false, watch_spikes: true })
    await button(page, 'Undo').click()
    await page.getByText('Alerts go to the notification channels').waitFor({ state: 'detached' })
    expect(await website.get()).toMatchObject({ watch_spikes: false })
    expect(await spikes.isChecked()).toBe(false)
  })
})

describe('watching the domain and certificate of a website', () => {
  const listMonitors = async ({ session }: TestUser) =>
    (await session.get(monitorsPath)).body.data.map(({ type, url }: { type: string; url: string }) => [type, url])

  it('adds two monitors with one click, and undo removes them', async () => {
    const carol = await server.createUser('carol')
    await createSite(carol, 'shop.example.co.uk')
    const { page } = await pages.visit('/shop.example.co.uk/settings', carol)
    await button(page, 'Watch domain and certificate').click()
    await page.getByText('2 monitors added.').waitFor()
    await page.getByRole('link', { name: 'example.co.uk domain' }).waitFor()
    await page.getByRole('link', { name: 'shop.example.co.uk certificate' }).waitFor()
    expect(await listMonitors(carol)).toEqual([
      ['tls', 'shop.example.co.uk'],
      ['domain', 'example.co.uk'],
    ])
    await button(page, 'Undo').click()
    await button(page, 'Watch domain and certificate').waitFor()
    expect(await listMonitors(carol)).toEqual([])
  })

  it('says which domains have no registration data', async () => {
    const bob = await server.createUser('bob')
    const { page } = await pages.visit('/websites/new', bob)
    await page.getByLabel('Domain', { exact: true }).fill('tidewater.example')
    await button(page, 'Add website').click()
    await button(page, 'Watch domain and certificate').click()
    await page.getByText("Can't be checked: the registry of .example offers no RDAP.").waitFor()
    await page.getByRole('link', { name: 'tidewater.example certificate' }).waitFor()
    await button(page, 'Watch domain').waitFor()
    // A certificate monitor doesn't check uptime, so the step "Monitor uptime" stays open.
    await page.getByRole('link', { name: 'Monitor uptime' }).waitFor()
    expect(await listMonitors(bob)).toEqual([['tls', 'tidewater.example']])
  })
})
