/** Opens pages in a real Chromium and records requests to other servers and console errors. */
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from 'playwright-core'
import { findHeadlessShell } from './chromium.ts'

/** A Chromium option that resolves every host name to loopback, without DNS. */
export const RESOLVE_TO_LOOPBACK = '--host-resolver-rules=MAP * 127.0.0.1'

export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  const executablePath = options.executablePath ?? findHeadlessShell()
  const args = [
    '--disable-gpu',
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    RESOLVE_TO_LOOPBACK,
    ...(options.args ?? []),
  ]
  if (executablePath === undefined) throw new Error('Chromium not found. Set BELFRY_CHROMIUM to its path.')
  return chromium.launch({ ...options, executablePath, args, chromiumSandbox: process.getuid?.() !== 0 })
}

export type TestBrowser = Pick<Browser, 'newContext' | 'newPage' | 'contexts' | 'close'>

let sharedBrowser: Promise<Browser> | undefined

/**
 * Compiles functions only when they are called, and on no other thread. The workers keep all cores busy, so other threads would gain
 * nothing, and this takes a thirtieth less processor time.
 */
const COMPILE_LATE = '--js-flags=--max-lazy --single-threaded'

/**
 * Returns the Chromium that all test files of a worker share, because starting one takes a second. The caller sees and
 * closes only its own contexts. The browser itself ends with the worker.
 */
export async function openBrowser(): Promise<TestBrowser> {
  sharedBrowser ??= launchBrowser({ args: [COMPILE_LATE] })
  const browser = await sharedBrowser
  const contexts = new Set<BrowserContext>()
  const newContext: Browser['newContext'] = async (options) => {
    // Without a locale, pages would be in the language of the machine.
    // Endless animations, such as that of the spinner, would keep a core busy.
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options })
    contexts.add(context)
    context.on('close', () => contexts.delete(context))
    return drawOnlyCorner(context, options)
  }
  return {
    newContext,
    newPage: async (options) => (await newContext(options)).newPage(),
    contexts: () => [...contexts],
    close: async () => {
      await Promise.all([...contexts].map((context) => context.close()))
    },
  }
}

/** The part of a page that is drawn, in pixels. */
const DRAWN_SIZE = { width: 100, height: 80 }

/**
 * Drawing takes an eighth of the processor time of loads and clicks, and nobody looks at the pages of these tests. So pages have their whole
 * viewport for layout, scrolling and input, but only a corner of it is drawn.
 */
function drawOnlyCorner(context: BrowserContext, options: BrowserContextOptions = {}): BrowserContext {
  const { deviceScaleFactor = 1, isMobile: mobile = false, screen } = options
  const newPage = context.newPage.bind(context)
  context.newPage = async () => {
    const page = await newPage()
    const devtools = await context.newCDPSession(page)
    const setViewportSize = page.setViewportSize.bind(page)
    const shrink = async () => {
      const size = page.viewportSize()
      if (size === null) return
      const { width: screenWidth, height: screenHeight } = screen ?? size
      const metrics = { ...size, screenWidth, screenHeight, deviceScaleFactor, mobile, dontSetVisibleSize: true }
      await devtools.send('Emulation.setDeviceMetricsOverride', metrics)
      await devtools.send('Emulation.setVisibleSize', DRAWN_SIZE)
    }
    page.setViewportSize = async (size) => {
      await setViewportSize(size)
      await shrink()
    }
    await shrink()
    return page
  }
  return context
}

export interface OpenedPage {
  page: Page
  /** URLs that the page requested from other servers. Tests expect none. */
  externalRequests: string[]
  /** Errors in the browser's console and uncaught exceptions, including Content-Security-Policy violations. */
  consoleErrors: string[]
}

export async function openPage(browser: TestBrowser | BrowserContext, base: string): Promise<OpenedPage> {
  const page = await browser.newPage()
  const externalRequests: string[] = []
  const consoleErrors: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(base) && !url.startsWith('data:') && !url.startsWith('blob:')) externalRequests.push(url)
  })
  page.on('console', (message) => {
    if (message.type() === 'error') consoleErrors.push(message.text())
  })
  page.on('pageerror', (error) => consoleErrors.push(error.message))
  return { page, externalRequests, consoleErrors }
}

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

export const overflowsSideways = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
