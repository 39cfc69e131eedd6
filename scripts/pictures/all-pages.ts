/** Takes screenshots of every page, light and dark, on a phone and on a desktop, for a review after a change of the design. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { DemoServer } from './demo-server.ts'
import { now, timeZone } from './sample-data.ts'

interface PagePicture {
  name: string
  path: string
  isSignedOut?: true
  /** Prepares the page, for example opens the dialog that the picture shows. */
  prepare?: (page: Page) => Promise<unknown>
}

const clickButton = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()

/** On a phone, the preview is behind a button. On a desktop, it is beside the form. */
async function showPreviewOnPhone(page: Page): Promise<void> {
  const tab = page.getByRole('button', { name: 'Preview', exact: true })
  if (await tab.isVisible()) await tab.click()
  await page.getByTitle('Preview of the status page').waitFor()
}

const allPages: readonly PagePicture[] = [
  { name: 'overview', path: '/' },
  { name: 'overview-bars', path: '/', prepare: (page) => page.locator('.uptime-bars').first().hover() },
  { name: 'website', path: '/shop.example.com?period=30d&compare=previous' },
  {
    name: 'website-tooltip',
    path: '/shop.example.com?period=7d',
    prepare: (page) => page.locator('.line-chart-surface').first().hover(),
  },
  { name: 'website-today', path: '/shop.example.com?period=today' },
  { name: 'website-year', path: '/shop.example.com?period=12mo&interval=week' },
  { name: 'website-event', path: '/shop.example.com?filter=event:signup' },
  {
    name: 'website-all-rows',
    path: '/shop.example.com',
    prepare: async (page) => {
      await clickButton(/View all/)(page)
      await page.locator('.row-table-loading').first().waitFor({ state: 'detached' })
    },
  },
  { name: 'website-locked', path: '/blog.example.org', isSignedOut: true },
  { name: 'website-settings', path: '/shop.example.com/settings' },
  {
    name: 'website-time-zone',
    path: '/shop.example.com/settings',
    prepare: (page) => page.getByRole('combobox', { name: 'Time zone' }).click(),
  },
  { name: 'website-new', path: '/websites/new' },
  { name: 'monitors', path: '/monitors' },
  { name: 'monitor', path: '/monitors/1?window=30d' },
  { name: 'monitor-down', path: '/monitors/2' },
  {
    name: 'monitor-tooltip',
    path: '/monitors/1?window=24h',
    prepare: (page) => page.locator('.line-chart-surface').first().hover(),
  },
  { name: 'monitor-domain', path: '/monitors/17' },
  { name: 'monitor-heartbeat', path: '/monitors/18' },
  { name: 'monitor-new', path: '/monitors/new' },
  {
    name: 'monitor-new-heartbeat',
    path: '/monitors/new',
    prepare: (page) => page.getByRole('radio', { name: 'Heartbeat' }).click(),
  },
  { name: 'monitor-edit', path: '/monitors/1/edit' },
  { name: 'incidents', path: '/incidents?period=90d' },
  { name: 'incident', path: '/incidents/1' },
  { name: 'maintenance', path: '/maintenance' },
  { name: 'maintenance-new', path: '/maintenance/new', prepare: clickButton('Recurring') },
  { name: 'status-page', path: '/status/example', isSignedOut: true },
  { name: 'status-history', path: '/status/example/history', isSignedOut: true },
  { name: 'status-pages', path: '/status-pages' },
  { name: 'status-page-new', path: '/status-pages/new' },
  { name: 'status-page-edit', path: '/status-pages/2' },
  { name: 'status-page-preview', path: '/status-pages/2', prepare: showPreviewOnPhone },
  { name: 'status-page-posts', path: '/status-pages/2/posts' },
  { name: 'status-page-subscribers', path: '/status-pages/2/subscribers' },
  { name: 'channels', path: '/notification-channels' },
  { name: 'channel-new', path: '/notification-channels/new' },
  { name: 'channel', path: '/notification-channels/1' },
  { name: 'keys', path: '/keys' },
  { name: 'key-new', path: '/keys', prepare: clickButton(/key/i) },
  { name: 'users', path: '/users' },
  { name: 'account', path: '/account' },
  { name: 'account-menu', path: '/monitors', prepare: clickButton('Account') },
  { name: 'palette', path: '/', prepare: (page) => page.keyboard.press('Control+k') },
  { name: 'not-found', path: '/nothing/at/all' },
  { name: 'sign-in', path: '/sign-in', isSignedOut: true },
]

const viewports = [
  { label: 'phone', viewport: { width: 375, height: 812 }, isMobile: true, hasTouch: true },
  { label: 'desktop', viewport: { width: 1440, height: 900 } },
] as const

async function openPage(page: Page, baseUrl: string, { path, prepare }: PagePicture): Promise<void> {
  await page.goto(baseUrl + path)
  await page.waitForLoadState('networkidle').catch(() => {})
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
  await prepare?.(page)
  await page.evaluate('document.fonts.ready.then(() => new Promise((done) => setTimeout(done, 250)))')
}

/** Takes pictures of the pages in `names`, or of all pages if `names` is empty. */
export async function takeAllPictures(
  browser: Browser,
  server: DemoServer,
  { folder, names }: { folder: string; names: readonly string[] },
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const chosenPages = allPages.filter(({ name }) => names.length === 0 || names.includes(name))
  for (const picture of chosenPages) {
    for (const { label, ...device } of viewports) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({ ...device, colorScheme, locale: 'en-GB', timezoneId: timeZone })
        await context.clock.setFixedTime(now)
        if (!picture.isSignedOut)
          await context.addCookies([{ name: 'belfry_session', value: server.cookie, url: server.baseUrl }])
        const page = await context.newPage()
        page.setDefaultTimeout(8_000)
        const file = `${picture.name}-${label}-${colorScheme}.png`
        try {
          await openPage(page, server.baseUrl, picture)
        } catch (error) {
          console.log(`  ${file}: ${(error as Error).message.split('\n')[0]}`)
        }
        await page.screenshot({ path: join(folder, file), fullPage: picture.prepare === undefined })
        await context.close()
      }
    }
  }
}
