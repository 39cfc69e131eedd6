/** A test website, visitors in a real browser, and a receiver that records what the tracker sends. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { trackerRoutes } from '../../src/traffic/collect/tracker-routes.ts'
import { type OpenedPage, openBrowser, openPage, type TestBrowser } from './browser.ts'
import { type ReceivedRequest, startHttpReceiver } from './http-receiver.ts'

/** Documents by path. Paths that end in .js and all paths under /modules are served as scripts. */
export type SitePages = Record<string, string>

export interface TestSite {
  /** Returns the website's origin with this host name. The website responds in the same way under every host name. */
  getOrigin(host: string): string
  close(): Promise<void>
}

export async function startTestSite(pages: SitePages): Promise<TestSite> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0] ?? ''
    const type = /^\/modules\/|\.js$/.test(path) ? 'text/javascript' : 'text/html; charset=utf-8'
    response.writeHead(path in pages ? 200 : 404, { 'content-type': type }).end(pages[path])
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    getOrigin: (host) => `http://${host}:${port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export const createHtmlPage = (head: string, body = '') =>
  `<!doctype html><html lang="en"><title>A page</title><link rel="icon" href="data:,">${head}<body>${body}</body></html>`

// biome-ignore lint/suspicious/noExplicitAny: tests assert on the raw JSON of an event
type SentEvent = any

export interface TrackerFixture {
  site: TestSite
  /** The origin of the website under its registered domain. */
  home: string
  /** A page without the tracker. Unlike `about:blank`, it keeps the browser's process for the next page of the website. */
  blankUrl: string
  received: ReceivedRequest[]
  /**
   * Returns an empty page whose clock is paused, and forgets earlier events and errors. All tests of a file use the same
   * page, because a new context takes most of the processor time of such a test.
   */
  startVisit(): Promise<OpenedPage>
  /** Waits until this many events have arrived. */
  waitForEvents(count: number): Promise<SentEvent[]>
  /**
   * Waits until exactly these events have arrived, each described like `pageview /about from nowhere`. Their order doesn't
   * matter, because each is a separate request. If the test passes an open `page`, the page first sends an event called
   * `last` and waits for the response, so that an unexpected event sent earlier has had time to arrive, too.
   */
  expectEvents(descriptions: string[], page?: Page): Promise<void>
  close(): Promise<void>
}

const waitOptions = { timeout: 30_000, interval: 50 }

/** Opens a page in a new browser context, whose clock is paused. */
export async function openPausedPage(browser: TestBrowser, options?: BrowserContextOptions): Promise<OpenedPage> {
  const context = await browser.newContext(options)
  await context.clock.install({ time: 0 })
  await context.clock.pauseAt(1_000)
  return openPage(context, '')
}

/** Serves the tracker as Belfry does, but without Belfry's database, which would take most of the time of a start. */
async function startTrackerServer(): Promise<{ address: string; close(): Promise<void> }> {
  const app = fastify({ forceCloseConnections: true })
  trackerRoutes(app as never)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  return { address, close: () => app.close() }
}

/** `createPages` gets a function that returns the tracking snippet. */
export async function startTrackerFixture(
  createPages: (createSnippet: (attributes?: string) => string) => SitePages,
): Promise<TrackerFixture> {
  const [server, receiver] = await Promise.all([startTrackerServer(), startHttpReceiver()])
  receiver.respondWith(202, '', { 'access-control-allow-origin': '*' })
  const createSnippet = (attributes = '') =>
    `<script defer src="${server.address}/b.js" data-domain="example.com" data-api="${receiver.address}/api/event" ${attributes}></script>`
  const site = await startTestSite(Object.assign(createPages(createSnippet), { '/blank': createHtmlPage('') }))
  const home = site.getOrigin('example.com')
  const blankUrl = `${home}/blank`
  let visitor: OpenedPage | undefined
  const listSentEvents = (): SentEvent[] => receiver.received.map(({ body }) => JSON.parse(body))

  const removeOrigin = (url: string | null) => url?.replace(home, '') ?? 'nowhere'
  const describeEvents = () =>
    listSentEvents()
      .filter(({ n }) => n !== 'last')
      .map(({ n, u, r, e, p }) => {
        if (n === 'engagement') return `${e} ms on ${removeOrigin(u)}`
        return `${n} ${removeOrigin(u)} from ${removeOrigin(r)}${p ? ` ${JSON.stringify(p)}` : ''}`
      })
      .toSorted()

  return {
    site,
    home,
    blankUrl,
    received: receiver.received,
    startVisit: async () => {
      visitor ??= await openPausedPage(await openBrowser(), { screen: { width: 1920, height: 1080 } })
      if (visitor.page.url() !== blankUrl) await visitor.page.goto(blankUrl)
      visitor.consoleErrors.splice(0)
      receiver.received.splice(0)
      return visitor
    },
    waitForEvents: async (count) => {
      await vi.waitFor(() => expect(listSentEvents().length).toBeGreaterThanOrEqual(count), waitOptions)
      return listSentEvents()
    },
    expectEvents: async (descriptions, page) => {
      await page?.evaluate("new Promise((resolve) => belfry('last', { callback: () => resolve() }))")
      await vi.waitFor(() => expect(describeEvents()).toEqual(descriptions.toSorted()), waitOptions)
    },
    close: async () => {
      await visitor?.page.context().close()
      await Promise.all([server.close(), receiver.close(), site.close()])
    },
  }
}

/** Collects the status, the event name and the drop reason of every response to an event of the page. */
export function recordEventResponses(page: Page): string[] {
  const responses: string[] = []
  page.on('response', (response) => {
    if (!response.url().endsWith('/api/event')) return
    const { n: name } = JSON.parse(response.request().postData() ?? '{}')
    responses.push([response.status(), name, response.headers()['x-belfry-dropped']].filter(Boolean).join(' '))
  })
  return responses
}
