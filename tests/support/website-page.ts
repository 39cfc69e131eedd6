/** Opens pages of websites in a browser whose clock shows the time of the test server. */
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { type OpenedPage, openPage, type TestBrowser } from './browser.ts'
import type { TestServer, TestUser } from './server.ts'

/** Long enough for clicks and waits on a busy machine. */
const TIMEOUT_MS = 30_000

export class WebsitePages {
  readonly #server: TestServer
  readonly #browser: TestBrowser
  readonly #contexts: BrowserContext[] = []

  constructor(server: TestServer, browser: TestBrowser) {
    this.#server = server
    this.#browser = browser
  }

  async visit(path: string, person?: TestUser, options: BrowserContextOptions = {}): Promise<OpenedPage> {
    const context = await this.#browser.newContext({ timezoneId: 'America/New_York', ...options })
    this.#contexts.push(context)
    context.setDefaultTimeout(TIMEOUT_MS)
    if (person !== undefined) {
      const value = person.session.credentials.cookie as string
      await context.addCookies([{ name: 'belfry_session', value, url: this.#server.address }])
    }
    const openedPage = await openPage(context, this.#server.address)
    await openedPage.page.clock.setFixedTime(this.#server.clock.now())
    await openedPage.page.goto(this.#server.address + path)
    return openedPage
  }

  async close(): Promise<void> {
    for (const context of this.#contexts.splice(0)) await context.close()
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
