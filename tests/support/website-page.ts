/** Opens pages of websites in a browser whose clock shows the time of the test server. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import type { OpenedPage, TestBrowser } from './browser.ts'
import type { TestServer, TestUser } from './server.ts'
import { SharedTab } from './shared-tab.ts'

export class WebsitePages {
  readonly #server: TestServer
  readonly #browser: TestBrowser
  readonly #sharedTab: SharedTab

  constructor(server: TestServer, browser: TestBrowser) {
    this.#server = server
    this.#browser = browser
    this.#sharedTab = this.#createTab()
  }

  /** Loads a page in the tab that all tests share or, with options, in a new tab until the end of the test. */
  async visit(path: string, person?: TestUser, options?: BrowserContextOptions): Promise<OpenedPage> {
    const tab = options === undefined ? this.#sharedTab : this.#createTab(options)
    const openedPage = await tab.open(person)
    const { page } = openedPage
    if (options !== undefined) onTestFinished(() => page.context().close())
    await page.clock.setFixedTime(this.#server.clock.now())
    await page.goto(path)
    return openedPage
  }

  #createTab(options: BrowserContextOptions = {}): SharedTab {
    return new SharedTab(this.#server, this.#browser, { timezoneId: 'America/New_York', ...options })
  }
}

export const findButton = (page: Page, name: string | RegExp) => page.getByRole('button', { name })

export const waitForVisitors = (page: Page, count: number) =>
  findButton(page, new RegExp(`^Visitors ${count}\\b`)).waitFor()

/** Opens a menu and clicks one of its items. */
export async function chooseInMenu(page: Page, menu: RegExp, item: string): Promise<void> {
  await findButton(page, menu).click()
  await page.getByRole('menu').locator('[role^=menuitem]', { hasText: item }).click()
}
