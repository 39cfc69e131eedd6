/** The demo website, a shop with a blog: its pages, what visitors do there, and where they come from. */
import type { Origin } from '../model/event.ts'

const pages = `/ /pricing /features /blog /docs /signup /download /about /blog/why-small-teams-win /contact /docs/start
  /blog/ten-things-we-learned /products /docs/install /products/lantern /blog/how-we-ship /login /docs/api /products/compass
  /blog/what-changed-in-spring /customers /careers /products/anchor /docs/faq /products?page=2 /blog/a-year-without-meetings
  /privacy /search?q=lantern /changelog /products/sextant /blog/hiring-slowly /search?q=price /docs/backup /terms /press
  /blog/notes-on-colour /products?page=3 /docs/import /imprint /newsletter`.split(/\s+/)

/** Uses the pages above first, and adds blog posts as needed. */
export function createPages(count: number): string[] {
  return takeOrCreate(pages, count, (n) => `/blog/${2015 + (n % 11)}/post-${n}`)
}

export interface DemoAction {
  name: string
  /** JSON objects. Each event has one of them. */
  props?: readonly string[]
  passive?: true
}

const propsOf = (key: string, values: readonly string[]) => values.map((value) => JSON.stringify({ [key]: value }))

const outboundClick: DemoAction = {
  name: 'Outbound Link: Click',
  props: propsOf('url', ['https://example.org/', 'https://example.net/partners', 'https://github.com/example/lantern']),
}

/**
 * Pages whose path begins with `pathPrefix` offer the action. `probability` is the probability that a visitor of such a
 * page takes it.
 */
const actions: readonly [pathPrefix: string, probability: number, action: DemoAction][] = [
  ['/signup', 0.35, { name: 'Signup', props: propsOf('plan', ['free', 'free', 'team', 'business']) }],
  ['/download', 0.5, { name: 'File Download', props: propsOf('url', ['/files/lantern.zip', '/files/brochure.pdf']) }],
  ['/newsletter', 0.3, { name: 'Newsletter' }],
  ['/pricing', 0.3, { name: 'Banner seen', passive: true }],
  ['/products', 0.08, { name: 'Add to cart' }],
  ['/', 0.03, outboundClick],
]

export function findDemoAction(page: string): { actionProbability: number; action: DemoAction } | undefined {
  const entry = actions.find(([pathPrefix]) => page.startsWith(pathPrefix))
  return entry === undefined ? undefined : { actionProbability: entry[1], action: entry[2] }
}

export interface TrafficSource {
  origin: Origin
  weight: number
}

const createTrafficSource = (weight: number, source: string, referrer?: string, campaign?: string): TrafficSource => ({
  origin: { ...(referrer === undefined ? {} : { referrer }), source, ...(campaign === undefined ? {} : { campaign }) },
  weight,
})

const sources: readonly TrafficSource[] = [
  createTrafficSource(38, 'Direct'),
  createTrafficSource(24, 'Google', 'google.com'),
  createTrafficSource(5, 'Newsletter', undefined, 'Weekly newsletter'),
  createTrafficSource(3.5, 'Google', 'google.com', 'Spring sale'),
  createTrafficSource(3, 'Bing', 'bing.com'),
  createTrafficSource(3, 'DuckDuckGo', 'duckduckgo.com'),
  createTrafficSource(2.5, 'Reddit', 'reddit.com/r/selfhosted'),
  createTrafficSource(2.5, 'Hacker News', 'news.ycombinator.com'),
  createTrafficSource(2, 'GitHub', 'github.com/example/lantern'),
  createTrafficSource(2, 'Facebook', 'facebook.com'),
  createTrafficSource(1.5, 'Facebook', 'facebook.com', 'Lookalike'),
  createTrafficSource(1.5, 'LinkedIn', 'linkedin.com'),
  createTrafficSource(1.5, 'ChatGPT', 'chatgpt.com'),
  createTrafficSource(1, 'X', 't.co'),
  createTrafficSource(1, 'Mastodon', 'mastodon.social'),
  createTrafficSource(1, 'Newsletter', undefined, 'Welcome'),
  createTrafficSource(0.8, 'YouTube', 'youtube.com'),
  createTrafficSource(0.7, 'Instagram', 'instagram.com', 'Spring sale'),
  createTrafficSource(0.6, 'Google', 'google.co.uk'),
  createTrafficSource(0.5, 'Ecosia', 'ecosia.org'),
  createTrafficSource(0.5, 'Wikipedia', 'en.wikipedia.org/wiki/Lantern'),
  createTrafficSource(0.4, 'example.org', 'example.org/reviews/lantern'),
  createTrafficSource(0.3, 'example.net', 'blog.example.net/2026/tools'),
  createTrafficSource(0.2, 'Lobsters', 'lobste.rs'),
]

/** Returns entries for `count` different source names. A name can have several entries, with different referrers and campaigns. */
export function createTrafficSources(count: number): TrafficSource[] {
  const allNames = [...new Set(sources.map(({ origin }) => origin.source))]
  const names = new Set(allNames.slice(0, count))
  const otherSources = takeOrCreate<TrafficSource>([], Math.max(0, count - allNames.length), (n) =>
    createTrafficSource(4 / (n + 10), `site-${n}.example`, `site-${n}.example/links`),
  )
  return [...sources.filter(({ origin }) => names.has(origin.source)), ...otherSources]
}

/** The first `count` items. If there are fewer, `create` is called with 1, 2… for the rest. */
export function takeOrCreate<T>(items: readonly T[], count: number, create: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => items[index] ?? create(index - items.length + 1))
}
