/** Somebody at a browser who is signed in already. */
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { openPage, type Watched } from './browser.ts'
import type { Person, TestServer } from './server.ts'

export async function openSignedIn(
  browser: Browser,
  server: TestServer,
  person: Person,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ baseURL: server.address, locale: 'en-GB', ...options })
  const { cookie = '' } = person.session.credentials
  await context.addCookies([{ name: 'belfry_session', value: cookie, url: server.address }])
  // What is missed is named before the test gives up.
  context.setDefaultTimeout(20_000)
  return openPage(context, server.address)
}
