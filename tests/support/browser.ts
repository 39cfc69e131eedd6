/** Opens pages in a real Chromium and records requests to other servers and console errors. */
import { type Browser, type BrowserContext, chromium, type LaunchOptions, type Page } from 'playwright-core'

export async function openBrowser(options: LaunchOptions = {}): Promise<Browser> {
  const executablePath = process.env['BELFRY_CHROMIUM'] ?? '/usr/bin/chromium'
  const args = [
    '--disable-gpu',
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    ...(options.args ?? []),
  ]
  return chromium.launch({ ...options, executablePath, args, chromiumSandbox: process.getuid?.() !== 0 })
}

export interface OpenedPage {
  page: Page
  /** URLs that the page requested from other servers. Tests expect none. */
  externalRequests: string[]
  /** Errors in the browser's console and uncaught exceptions, including Content-Security-Policy violations. */
  consoleErrors: string[]
}

export async function openPage(browser: Browser | BrowserContext, base: string): Promise<OpenedPage> {
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
