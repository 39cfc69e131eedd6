/** Takes pictures of pages, each light and dark, as a browser on a desk and on a phone shows them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { now, timeZone } from './cast.ts'
import { shrinkPng } from './shrink-png.ts'

export interface Picture {
  name: string
  path: string
  /** What is there when the page is complete. */
  until(page: Page): Promise<unknown>
  /** Of the window, in pixels, unless it is on a phone. */
  height?: number
  phone?: true
}

const schemes = ['light', 'dark'] as const

const desk = (height = 800): BrowserContextOptions => ({ viewport: { width: 1280, height }, deviceScaleFactor: 2 })
const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
}

/** There is no scrollbar in a picture, so there is no room to be left for one. Charts follow with the next frame. */
const settle = `document.documentElement.style.scrollbarGutter = 'auto'
  document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))`

export async function takePicture(
  browser: Browser,
  { base, cookie, folder }: { base: string; cookie: string; folder: string },
  picture: Picture,
  onTaken: (text: string) => void,
): Promise<void> {
  for (const colorScheme of schemes) {
    const context = await browser.newContext({
      ...(picture.phone ? phone : desk(picture.height)),
      colorScheme,
      locale: 'en-GB',
      timezoneId: timeZone,
      reducedMotion: 'reduce',
    })
    // The browser's clock stands still with the server's, or "5 minutes ago" would be another time each day.
    await context.clock.setFixedTime(now)
    await context.addCookies([{ name: 'belfry_session', value: cookie, url: base }])
    const page = await context.newPage()
    await page.goto(base + picture.path)
    await picture.until(page)
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    await page.evaluate(settle)
    const file = `${picture.name}-${colorScheme}.png`
    const bytes = shrinkPng(await page.screenshot({ animations: 'disabled', caret: 'hide' }))
    await writeFile(join(folder, file), bytes)
    onTaken(`${file}, ${Math.round(bytes.length / 1000)} kB`)
    await context.close()
  }
}
