/** A real Chromium, which may ask nobody but the server under test. */
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

export interface Watched {
  page: Page
  /** Addresses outside the server that the page asked for: there should be none. */
  outside: string[]
  /** What the page complained about, the Content-Security-Policy included. */
  complaints: string[]
}

export async function openPage(browser: Browser | BrowserContext, base: string): Promise<Watched> {
  const page = await browser.newPage()
  const outside: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(base) && !url.startsWith('data:') && !url.startsWith('blob:')) outside.push(url)
  })
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return { page, outside, complaints }
}
