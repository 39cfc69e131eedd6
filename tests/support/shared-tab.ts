/** A browser tab that the tests of a file use one after the other. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { type OpenedPage, openPage, type TestBrowser } from './browser.ts'
import type { TestServer, TestUser } from './server.ts'

/**
 * This is long enough for clicks and waits on a busy machine, but shorter than a test, so that a failure names the
 * element.
 */
const TIMEOUT_MS = 30_000

/**
 * A tab of its own for each test would need half a second of processor time. The shared tab keeps its history, viewport and
 * clock. A test that depends on an empty history opens its own tab. A test that depends on the viewport or clock sets it after each
 * `open`, or opens its own tab. `open` empties localStorage and sessionStorage unless it returns the tab to the same user.
 */
export class SharedTab {
  readonly #server: Pick<TestServer, 'address'>
  readonly #browser: TestBrowser
  readonly #options: BrowserContextOptions
  #openedPage: Promise<OpenedPage> | undefined
  #user: TestUser | undefined

  constructor(server: Pick<TestServer, 'address'>, browser: TestBrowser, options: BrowserContextOptions = {}) {
    this.#server = server
    this.#browser = browser
    this.#options = options
  }

  /** Returns the tab, signed in as the user or, without one, signed out. The test then loads a page in it. */
  async open(user?: TestUser): Promise<OpenedPage> {
    this.#openedPage ??= this.#openTab()
    const openedPage = await this.#openedPage
    if (user === undefined || user !== this.#user) await this.#signIn(openedPage.page, user)
    openedPage.externalRequests.length = 0
    openedPage.consoleErrors.length = 0
    return openedPage
  }

  async #signIn(page: Page, user: TestUser | undefined): Promise<void> {
    // Leaves the page of the previous test, which could otherwise send requests with the new cookie. A text file of the
    // same origin keeps the browser's process for the next page, whereas `about:blank` would end it.
    if (page.url() !== 'about:blank') {
      await page.goto('/robots.txt')
      await page.evaluate('localStorage.clear(); sessionStorage.clear()')
    }
    await page.context().clearCookies()
    if (user !== undefined) {
      const { cookie = '' } = user.session.credentials
      await page.context().addCookies([{ name: 'belfry_session', value: cookie, url: this.#server.address }])
    }
    this.#user = user
  }

  async #openTab(): Promise<OpenedPage> {
    const context = await this.#browser.newContext({ baseURL: this.#server.address, ...this.#options })
    context.setDefaultTimeout(TIMEOUT_MS)
    return openPage(context, this.#server.address)
  }
}
