/** Opens a page as a signed-in user, until the end of the test. */
import type { BrowserContextOptions } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { type OpenedPage, openPage, type TestBrowser } from './browser.ts'
import type { TestServer, TestUser } from './server.ts'

export async function openSignedIn(
  browser: TestBrowser,
  server: TestServer,
  user: TestUser,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ baseURL: server.address, locale: 'en-GB', ...options })
  // Without this, the page would keep receiving live updates after the test.
  onTestFinished(() => context.close())
  const { cookie = '' } = user.session.credentials
  await context.addCookies([{ name: 'belfry_session', value: cookie, url: server.address }])
  // This is shorter than the test timeout, so that a failure names the missing element.
  context.setDefaultTimeout(20_000)
  return openPage(context, server.address)
}
