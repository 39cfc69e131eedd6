/**
 * Measures in Chromium how long each phase of a page load takes, until the first row of the page's list is painted, and how
 * smoothly the page scrolls.
 */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'

/** Times of one load, in milliseconds since navigation began. */
export interface PageLoad {
  /** When the HTML had loaded. */
  htmlMs: number
  /** When the last of the scripts and styles had loaded. */
  filesMs: number
  /** When the first row was in the document. */
  insertedMs: number
  /** When the name in the first row was painted. */
  paintedMs: number
  calls: ApiCall[]
  /** Bytes of scripts that were sent before the first row was painted. */
  scriptBytes: number
  /** Bytes of fonts and images that were sent before the first row was painted. */
  assetBytes: number
  /** When all rows were in the page. */
  completeMs: number
  /** The longest time for which the page didn't respond after the first row was painted. */
  longestTaskMs: number
}

/** A call of `/api/overview` or of an endpoint below it, as measured in the browser. */
export interface ApiCall {
  /** The path of the call, with "?limit" at the end if the call asks only for the first rows. */
  path: string
  startedMs: number
  /** Time from the start to the first byte. */
  firstByteMs: number
  /** Time from the start to the last byte. */
  durationMs: number
  bytes: number
}

export interface BenchSession {
  baseUrl: string
  cookie: string
}

const scriptPath = (name: string) => join(import.meta.dirname, name)

export async function openContext(browser: Browser, { baseUrl, cookie }: BenchSession): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: baseUrl }])
  await context.addInitScript({ path: scriptPath('watch-paint.js') })
  return context
}

/**
 * The script waits for `complete`, so that `calls` also contains calls that the page made after the first row was painted.
 */
const readLoadScript = `Promise.all([painted, complete]).then(([paintedMs, completeMs]) => {
  const [page] = performance.getEntriesByType('navigation')
  const resources = performance.getEntriesByType('resource')
  const files = resources.filter(({ name }) => /\\.(js|css)$/.test(name))
  const calls = resources.filter(({ name }) => name.includes('/api/overview'))
  const resourcesBeforePaint = resources.filter(({ responseEnd }) => responseEnd <= paintedMs)
  const sumBytes = (pattern) =>
    resourcesBeforePaint.reduce((sum, { name, encodedBodySize }) => sum + (pattern.test(name) ? encodedBodySize : 0), 0)
  const tasks = longTasks.filter(({ startTime }) => startTime >= paintedMs)
  return {
    scriptBytes: sumBytes(/\\.js$/),
    assetBytes: sumBytes(/\\.(woff2|svg|png|ico)$/),
    completeMs,
    longestTaskMs: Math.max(0, ...tasks.map(({ duration }) => duration)),
    insertedMs: rowInsertedMs,
    paintedMs,
    htmlMs: page.responseEnd,
    filesMs: Math.max(...files.map(({ responseEnd }) => responseEnd)),
    calls: calls.map((call) => ({
      path: new URL(call.name).pathname + (new URL(call.name).searchParams.has('limit') ? '?limit' : ''),
      startedMs: call.startTime,
      firstByteMs: call.responseStart - call.startTime,
      durationMs: call.responseEnd - call.startTime,
      bytes: call.encodedBodySize,
    })),
  }
})`

const SETTLE_MS = 1_500

/**
 * Opens a tab and waits until Chromium has started its processes for the new window. They take 0.6 s of CPU time, which a
 * person with an open browser doesn't wait for, so it must not count as part of the page load.
 */
export async function openTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await delay(SETTLE_MS)
  return page
}

const MAX_PAINT_WAIT_MS = 30_000

/** If no row is painted in time, fails with the text of the page, which may be an error message. */
async function waitUntilPainted(page: Page): Promise<void> {
  const timeout = delay(MAX_PAINT_WAIT_MS, 'late', { ref: false })
  if ((await Promise.race([page.evaluate('painted'), timeout])) !== 'late') return
  throw new Error(`no row within ${MAX_PAINT_WAIT_MS} ms, but: ${await page.locator('main').innerText()}`)
}

export async function loadPage(context: BrowserContext, url: string): Promise<PageLoad> {
  const page = await openTab(context)
  await page.goto(url)
  await waitUntilPainted(page)
  const load = (await page.evaluate(readLoadScript)) as PageLoad
  await page.close()
  return load
}

export interface ScrollResult {
  pixels: number
  frameCount: number
  /** The longest time between two frames. */
  longestGapMs: number
  /** The number of skipped frames. */
  droppedFrameCount: number
}

const FRAME_MS = 1000 / 60
/**
 * Browsers send a page at most one wheel event per frame. 60 events of this many pixels a second are 30 notches of a mouse wheel, or
 * four screens.
 */
const PIXELS_PER_EVENT = 50

/**
 * Turns the wheel for `ms` milliseconds. Waits until the page has loaded everything, because this measures scrolling and not loading.
 * Sends events at fixed times, without waiting until the page has handled the one before, as a wheel does: otherwise a slow page would
 * have less to scroll.
 */
export async function measureScroll(context: BrowserContext, url: string, ms: number): Promise<ScrollResult> {
  const page = await openTab(context)
  await page.addInitScript({ path: scriptPath('watch-frames.js') })
  await page.goto(url)
  await page.evaluate('complete')
  await delay(SETTLE_MS)
  const devTools = await context.newCDPSession(page)
  await page.mouse.move(640, 500)
  const from = (await page.evaluate('performance.now()')) as number
  await turnWheel(devTools, ms)
  const recording = (await page.evaluate('({ frames, y: scrollY, now: performance.now() })')) as Recording
  await page.close()
  return summarizeFrames(recording, from)
}

/** Positions and times as the page sees them. */
interface Recording {
  frames: number[]
  y: number
  now: number
}

async function turnWheel(devTools: CDPSession, ms: number): Promise<void> {
  const handledEvents: Promise<unknown>[] = []
  const startedAt = performance.now()
  for (let n = 0; n * FRAME_MS < ms; n++) {
    await delay(Math.max(0, startedAt + n * FRAME_MS - performance.now()))
    const event = { type: 'mouseWheel', x: 640, y: 500, deltaX: 0, deltaY: PIXELS_PER_EVENT } as const
    handledEvents.push(devTools.send('Input.dispatchMouseEvent', event))
  }
  await Promise.all(handledEvents)
}

function summarizeFrames({ frames, y, now }: Recording, from: number): ScrollResult {
  const times = [from, ...frames.filter((at) => at >= from && at <= now)]
  const gaps = times.slice(1).map((at, n) => at - (times[n] as number))
  return {
    pixels: Math.round(y),
    frameCount: gaps.length,
    longestGapMs: Math.max(...gaps),
    droppedFrameCount: gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / FRAME_MS) - 1), 0),
  }
}
