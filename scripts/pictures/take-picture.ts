/** Takes screenshots of pages, light and dark, on a desktop and on a phone. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { now, timeZone } from './sample-data.ts'
import { shrinkPng } from './shrink-png.ts'

export interface Picture {
  name: string
  path: string
  /** Waits until the page is complete. */
  waitForContent(page: Page): Promise<unknown>
  /** Height of the desktop window in pixels. */
  height?: number
  isPhone?: true
}

const colorSchemes = ['light', 'dark'] as const

const createDesktopOptions = (height = 800): BrowserContextOptions => ({
  viewport: { width: 1280, height },
  deviceScaleFactor: 2,
})
const phoneOptions: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
}

/** Removes the gutter for the scrollbar, which a screenshot doesn't show, and waits until charts have adapted to the new width. */
const settleScript = `document.documentElement.style.scrollbarGutter = 'auto'
  document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))`

export async function takePicture(
  browser: Browser,
  { baseUrl, cookie, folder }: { baseUrl: string; cookie: string; folder: string },
  picture: Picture,
  onTaken: (text: string) => void,
): Promise<void> {
  for (const colorScheme of colorSchemes) {
    const context = await browser.newContext({
      ...(picture.isPhone ? phoneOptions : createDesktopOptions(picture.height)),
      colorScheme,
      locale: 'en-GB',
      timezoneId: timeZone,
      reducedMotion: 'reduce',
    })
    // The browser's clock stops at the server's time. Otherwise "5 minutes ago" would change every day.
    await context.clock.setFixedTime(now)
    await context.addCookies([{ name: 'belfry_session', value: cookie, url: baseUrl }])
    // The pictures show the pages of people who have finished the setup.
    await context.addInitScript("localStorage.setItem('belfry-setup-hidden-1', 'hidden')")
    const page = await context.newPage()
    await page.goto(baseUrl + picture.path)
    await picture.waitForContent(page)
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    await page.evaluate(settleScript)
    const file = `${picture.name}-${colorScheme}.png`
    const bytes = shrinkPng(await page.screenshot({ animations: 'disabled', caret: 'hide' }))
    await writeFile(join(folder, file), bytes)
    onTaken(`${file}, ${Math.round(bytes.length / 1000)} kB`)
    await context.close()
  }
}
