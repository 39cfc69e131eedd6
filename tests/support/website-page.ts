/** Opens pages of websites in a browser whose clock shows the time of the test server. */
import type { Page, ViewportSize } from 'playwright-core'
import type { OpenedPage, TestBrowser } from './browser.ts'
import { openForTest } from './open-in-app.ts'
import type { TestServer, TestUser } from './server.ts'
import { SharedTab } from './shared-tab.ts'

const DEFAULT_VIEWPORT = { width: 1280, height: 720 }

/** All tests of a file share one tab. */
export class WebsitePages {
  readonly #server: TestServer
  readonly #tab: SharedTab

  constructor(server: TestServer, browser: TestBrowser) {
    this.#server = server
    this.#tab = new SharedTab(server, browser, { timezoneId: 'America/New_York' })
  }

  /** Loads a page. */
  async visit(path: string, person?: TestUser, viewport: ViewportSize = DEFAULT_VIEWPORT): Promise<OpenedPage> {
    const openedPage = await this.#tab.open(person)
    const { page } = openedPage
    await setViewport(page, viewport)
    await page.clock.setFixedTime(this.#server.clock.now())
    await page.goto(path)
    return openedPage
  }

  /** Opens a page like `visit`, but in the document of the previous test if that test showed the application to the same person. */
  async open(path: string, person: TestUser, viewport: ViewportSize = DEFAULT_VIEWPORT): Promise<OpenedPage> {
    const openedPage = await this.#tab.open(person)
    await setViewport(openedPage.page, viewport)
    await openedPage.page.clock.setFixedTime(this.#server.clock.now())
    await openForTest(openedPage.page, path)
    return openedPage
  }
}

async function setViewport(page: Page, viewport: ViewportSize): Promise<void> {
  const { width, height } = page.viewportSize() ?? {}
  if (width !== viewport.width || height !== viewport.height) await page.setViewportSize(viewport)
}

export const findButton = (page: Page, name: string | RegExp) => page.getByRole('button', { name })

/** Searches only the figures, because Playwright computes the name of every button that it searches. */
export const waitForVisitors = (page: Page, count: number) =>
  page
    .locator('.website-figures')
    .getByRole('button', { name: new RegExp(`^Visitors ${count}\\b`) })
    .waitFor()

/** Opens a menu and clicks one of its items. */
export async function chooseInMenu(page: Page, menu: RegExp, item: string): Promise<void> {
  await findButton(page, menu).click()
  await page.getByRole('menu').locator('[role^=menuitem]', { hasText: item }).click()
}
