/** Somebody's website, its visitors in a real browser, and a receiver in place of the endpoint: what the tracker sends. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, LaunchOptions, Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { openBrowser, openPage, type Watched } from './browser.ts'
import { type ReceivedRequest, startHttpReceiver } from './http-receiver.ts'
import { startTestServer, type TestServer } from './server.ts'

/** Documents by their path. What ends in .js is a script, and everything under /modules, where imports go without it. */
export type Pages = Record<string, string>

export interface Site {
  /** Its address under that name, without a path. */
  at(host: string): string
  close(): Promise<void>
}

export async function startSite(pages: Pages): Promise<Site> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0] ?? ''
    const type = /^\/modules\/|\.js$/.test(path) ? 'text/javascript' : 'text/html; charset=utf-8'
    response.writeHead(path in pages ? 200 : 404, { 'content-type': type }).end(pages[path])
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    at: (host) => `http://${host}:${port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export const html = (head: string, body = '') =>
  `<!doctype html><html lang="en"><title>A page</title><link rel="icon" href="data:,">${head}<body>${body}</body></html>`

/** Every name leads to loopback, and none is looked up. */
export const ownNames = '--host-resolver-rules=MAP * 127.0.0.1'

// biome-ignore lint/suspicious/noExplicitAny: what a tracker sent, as it came
type Sent = any

export interface Stage {
  server: TestServer
  browser: Browser
  site: Site
  /** The site under the name that is counted. */
  home: string
  received: ReceivedRequest[]
  /** Whoever visits, in a browser of their own, whose clock stands still until it is told to go. */
  visitor(options?: BrowserContextOptions): Promise<Watched>
  /** Waits until so many events have arrived. */
  arrived(count: number): Promise<Sent[]>
  /** Waits for exactly these, in any order, for each travels on its own. A page that is still there is asked for one more. */
  expect(lines: string[], page?: Page): Promise<void>
  forget(): void
  close(): Promise<void>
}

const patience = { timeout: 15_000, interval: 20 }

/** `pages` are made with the line that a website puts on them. */
export async function startStage(
  pages: (snippet: (attributes?: string) => string) => Pages,
  launch: LaunchOptions = {},
): Promise<Stage> {
  const [server, receiver, browser] = await Promise.all([
    startTestServer(),
    startHttpReceiver(),
    openBrowser({ ...launch, args: [ownNames] }),
  ])
  receiver.answerWith(202, '', { 'access-control-allow-origin': '*' })
  const snippet = (attributes = '') =>
    `<script defer src="${server.address}/b.js" data-domain="example.com" data-api="${receiver.address}/api/event" ${attributes}></script>`
  const site = await startSite(pages(snippet))
  const home = site.at('example.com')
  const sent = (): Sent[] => receiver.received.map(({ body }) => JSON.parse(body))

  const short = (url: string | null) => url?.replace(home, '') ?? 'nowhere'
  const told = () =>
    sent()
      .filter(({ n }) => n !== 'last')
      .map(({ n, u, r, e, p }) => {
        if (n === 'engagement') return `${e} ms on ${short(u)}`
        return `${n} ${short(u)} from ${short(r)}${p ? ` ${JSON.stringify(p)}` : ''}`
      })
      .toSorted()

  return {
    server,
    browser,
    site,
    home,
    received: receiver.received,
    visitor: async (options) => {
      const context = await browser.newContext(options)
      await context.clock.install({ time: 0 })
      await context.clock.pauseAt(1_000)
      return openPage(context, '')
    },
    arrived: async (count) => {
      await vi.waitFor(() => expect(sent().length).toBeGreaterThanOrEqual(count), patience)
      return sent()
    },
    expect: async (lines, page) => {
      await page?.evaluate("new Promise((resolve) => belfry('last', { callback: () => resolve() }))")
      await vi.waitFor(() => expect(told()).toEqual(lines.toSorted()), patience)
    },
    forget: () => void receiver.received.splice(0),
    close: async () => {
      await browser.close()
      await Promise.all([server.close(), receiver.close(), site.close()])
    },
  }
}

/** Status and name of every event of a page that a server answered, and why it was dropped. */
export function watchAnswers(page: Page): string[] {
  const answers: string[] = []
  page.on('response', (response) => {
    if (!response.url().endsWith('/api/event')) return
    const { n: name } = JSON.parse(response.request().postData() ?? '{}')
    answers.push([response.status(), name, response.headers()['x-belfry-dropped']].filter(Boolean).join(' '))
  })
  return answers
}
