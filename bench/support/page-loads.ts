/** Page loads in Chromium: time to first paint, what it waited for, and scrolling. */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'

/** Times of one load, in milliseconds since navigation began. */
export interface Load {
  /** When the page itself, and the last of its scripts and styles, had loaded. */
  html: number
  files: number
  /** When the first row was in the document, and when its name was painted. */
  inserted: number
  painted: number
  calls: Call[]
}

/** An API call made by the page, as measured in the browser. */
export interface Call {
  path: string
  begun: number
  /** Time to the first and to the last byte. */
  waited: number
  took: number
  bytes: number
}

export interface Visitor {
  base: string
  cookie: string
}

const script = (name: string) => join(import.meta.dirname, name)

export async function openContext(browser: Browser, { base, cookie }: Visitor): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: base }])
  await context.addInitScript({ path: script('watch-paint.js') })
  return context
}

/** A live stream never ends, so it has no end time. */
const readTimes = `painted.then((painted) => {
  const [page] = performance.getEntriesByType('navigation')
  const all = performance.getEntriesByType('resource')
  const files = all.filter(({ name }) => /\\.(js|css)$/.test(name))
  const calls = all.filter(({ name }) => name.includes('/api/'))
  return {
    ...seen,
    painted,
    html: page.responseEnd,
    files: Math.max(...files.map(({ responseEnd }) => responseEnd)),
    calls: calls.map((call) => ({
      path: new URL(call.name).pathname,
      begun: call.startTime,
      waited: call.responseStart - call.startTime,
      took: call.responseEnd - call.startTime,
      bytes: call.encodedBodySize,
    })),
  }
})`

const SETTLE_MS = 1_500

/**
 * With a new window Chromium starts processes that take 0.6 s of a core. That isn't part of the cost of a page in an open
 * browser.
 */
export async function openTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await setTimeout(SETTLE_MS)
  return page
}

const MOST_MS = 30_000

/** Fails early if the page shows an error. */
async function untilPainted(page: Page): Promise<void> {
  const late = setTimeout(MOST_MS, 'late', { ref: false })
  if ((await Promise.race([page.evaluate('painted'), late])) !== 'late') return
  throw new Error(`no row within ${MOST_MS} ms, but: ${await page.locator('main').innerText()}`)
}

export async function loadPage(context: BrowserContext, url: string): Promise<Load> {
  const page = await openTab(context)
  await page.goto(url)
  await untilPainted(page)
  const times = (await page.evaluate(readTimes)) as Load
  await page.close()
  return times
}

export interface Scroll {
  pixels: number
  frames: number
  /** Milliseconds between two frames. */
  longest: number
  /** Frames that were skipped. */
  dropped: number
}

const FRAME_MS = 1000 / 60

/** Scrolls as fast as the browser can, for this long. */
export async function scroll(page: Page, ms: number): Promise<Scroll> {
  await page.mouse.move(640, 500)
  await page.addInitScript({ path: script('watch-frames.js') })
  await page.reload()
  await untilPainted(page)
  const from = (await page.evaluate('performance.now()')) as number
  const end = performance.now() + ms
  while (performance.now() < end) await page.mouse.wheel(0, 240)
  const seen = (await page.evaluate('({ frames, y: scrollY })')) as { frames: number[]; y: number }
  const frames = seen.frames.filter((at) => at >= from)
  const gaps = frames.slice(1).map((at, n) => at - (frames[n] as number))
  return {
    pixels: Math.round(seen.y),
    frames: frames.length,
    longest: Math.max(...gaps),
    dropped: gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / FRAME_MS) - 1), 0),
  }
}
