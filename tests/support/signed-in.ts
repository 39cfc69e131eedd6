/** Opens a page as a signed-in user. */
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { type OpenedPage, openPage } from './browser.ts'
import type { Person, TestServer } from './server.ts'

export async function openSignedIn(
  browser: Browser,
  server: TestServer,
  user: Person,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ baseURL: server.address, locale: 'en-GB', ...options })
  const { cookie = '' } = user.session.credentials
  await context.addCookies([{ name: 'belfry_session', value: cookie, url: server.address }])
  // Shorter than the test timeout, so that a failure names the missing element.
  context.setDefaultTimeout(20_000)
  return openPage(context, server.address)
}
