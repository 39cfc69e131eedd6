/** Takes pictures of pages, each light and dark, as a browser on a desk and on a phone shows them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { now, timeZone } from './cast.ts'

export interface Picture {
  name: string
  path: string
  /** What is there when the page is complete. */
  until(page: Page): Promise<unknown>
  phone?: true
}

const schemes = ['light', 'dark'] as const

const desk: BrowserContextOptions = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5 }
const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true }

export async function takePicture(
  browser: Browser,
  { base, cookie, folder }: { base: string; cookie: string; folder: string },
  picture: Picture,
  onTaken: (text: string) => void,
): Promise<void> {
  for (const colorScheme of schemes) {
    const context = await browser.newContext({
      ...(picture.phone ? phone : desk),
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
    await page.evaluate('document.fonts.ready')
    const file = `${picture.name}-${colorScheme}.png`
    const bytes = await page.screenshot({ animations: 'disabled', caret: 'hide' })
    await writeFile(join(folder, file), bytes)
    onTaken(`${file}, ${Math.round(bytes.length / 1000)} kB`)
    await context.close()
  }
}
