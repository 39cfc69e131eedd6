/**
 * npm run pictures: takes the README's screenshots with sample data and a fixed clock, so they change only when the pages change.
 * npm run pictures -- FOLDER [NAME…]: instead saves screenshots of all pages, or only of the named pages, to FOLDER, for a design review.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { launchBrowser } from '../tests/support/browser.ts'
import { takeAllPictures } from './pictures/all-pages.ts'
import { startDemoServer } from './pictures/demo-server.ts'
import { type Picture, takePicture } from './pictures/take-picture.ts'

/** Scrolls to the latest incident that cost visits, with its chart. */
async function showVisitsAroundIncident(page: Page): Promise<void> {
  const incident = page.locator('.incident-impact', { hasText: 'visits missed' }).first()
  await incident.getByText('Visits around the incident').click()
  await incident.getByRole('img', { name: /^Visits around the incident/ }).waitFor()
  await scrollTo(page.getByRole('heading', { name: /^Incidents/ }))
}

async function showReplay(page: Page): Promise<void> {
  await page.locator('.replay-weeks').waitFor()
  await scrollTo(page.getByRole('heading', { name: 'Traffic alerts' }))
}

/** Leaves some space above the heading. */
const scrollTo = (heading: Locator) =>
  heading.evaluate((element) => scrollBy(0, element.getBoundingClientRect().top - 90))

const pictures: Picture[] = [
  { name: 'overview', path: '/', waitForContent: (page) => page.getByText('Checkout').first().waitFor() },
  {
    name: 'website',
    path: '/shop.example.com?period=30d&compare=previous',
    waitForContent: (page) =>
      Promise.all([page.getByText('/pricing').first().waitFor(), page.getByText(/outages.*visits missed/).waitFor()]),
    height: 1160,
  },
  {
    name: 'monitor',
    path: '/monitors/1?window=30d',
    waitForContent: (page) => page.getByText('notifications sent').first().waitFor(),
    height: 1160,
  },
  { name: 'impact', path: '/monitors/1?window=30d', waitForContent: showVisitsAroundIncident },
  { name: 'replay', path: '/lantern.example/settings', waitForContent: showReplay },
  {
    name: 'status-page',
    path: '/status/example',
    waitForContent: (page) => page.getByText('Web shop').filter({ visible: true }).first().waitFor(),
    height: 1160,
  },
  {
    name: 'status-page-editor',
    path: '/status-pages/2',
    waitForContent: (page) => page.getByTitle('Preview of the status page').waitFor(),
    height: 900,
  },
  {
    name: 'status-page-phone',
    path: '/status/example',
    waitForContent: (page) => page.getByText('Web shop').filter({ visible: true }).first().waitFor(),
    isPhone: true,
  },
  { name: 'phone', path: '/', waitForContent: (page) => page.getByText('Checkout').first().waitFor(), isPhone: true },
]

const folder = join(import.meta.dirname, '..', 'docs', 'pictures')

const server = await startDemoServer()
try {
  console.log('Taking pictures.')
  await mkdir(folder, { recursive: true })
  const browser = await launchBrowser(server.browserOptions)
  const [, , allPagesFolder, ...names] = process.argv
  try {
    if (allPagesFolder !== undefined) await takeAllPictures(browser, server, { folder: allPagesFolder, names })
    else
      for (const picture of pictures) {
        await takePicture(browser, { ...server, folder }, picture, (text) => console.log(`  ${text}`))
      }
  } finally {
    await browser.close()
  }
} finally {
  await server.close()
}
