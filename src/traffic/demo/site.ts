/** A shop with a blog that does not exist: its pages, what can be done there, and where people hear of it. */
import type { Origin } from '../model/event.ts'

const pages = `/ /pricing /features /blog /docs /signup /download /about /blog/why-small-teams-win /contact /docs/start
  /blog/ten-things-we-learned /products /docs/install /products/lantern /blog/how-we-ship /login /docs/api /products/compass
  /blog/what-changed-in-spring /customers /careers /products/anchor /docs/faq /products?page=2 /blog/a-year-without-meetings
  /privacy /search?q=lantern /changelog /products/sextant /blog/hiring-slowly /search?q=price /docs/backup /terms /press
  /blog/notes-on-colour /products?page=3 /docs/import /imprint /newsletter`.split(/\s+/)

/** As many as wanted: those above first, then posts of a blog that never ends. */
export function createPages(count: number): string[] {
  return takeOrCreate(pages, count, (n) => `/blog/${2015 + (n % 11)}/post-${n}`)
}

export interface DemoAction {
  name: string
  /** JSON objects, of which each time one is chosen. */
  props?: readonly string[]
  passive?: true
}

const json = (key: string, values: readonly string[]) => values.map((value) => JSON.stringify({ [key]: value }))

const outbound: DemoAction = {
  name: 'Outbound Link: Click',
  props: json('url', ['https://example.org/', 'https://example.net/partners', 'https://github.com/example/lantern']),
}

/** What may be done on a page, by its beginning, and how often somebody does. */
const actions: readonly [beginning: string, chance: number, action: DemoAction][] = [
  ['/signup', 0.35, { name: 'Signup', props: json('plan', ['free', 'free', 'team', 'business']) }],
  ['/download', 0.5, { name: 'File Download', props: json('url', ['/files/lantern.zip', '/files/brochure.pdf']) }],
  ['/newsletter', 0.3, { name: 'Newsletter' }],
  ['/pricing', 0.3, { name: 'Banner seen', passive: true }],
  ['/products', 0.08, { name: 'Add to cart' }],
  ['/', 0.03, outbound],
]

export function findDemoAction(page: string): { chance: number; action: DemoAction } | undefined {
  const found = actions.find(([beginning]) => page.startsWith(beginning))
  return found === undefined ? undefined : { chance: found[1], action: found[2] }
}

export interface TrafficSource {
  origin: Origin
  weight: number
}

const road = (weight: number, source: string, referrer?: string, campaign?: string): TrafficSource => ({
  origin: { ...(referrer === undefined ? {} : { referrer }), source, ...(campaign === undefined ? {} : { campaign }) },
  weight,
})

const roads: readonly TrafficSource[] = [
  road(38, 'Direct'),
  road(24, 'Google', 'google.com'),
  road(5, 'Newsletter', undefined, 'Weekly letter'),
  road(3.5, 'Google', 'google.com', 'Spring sale'),
  road(3, 'Bing', 'bing.com'),
  road(3, 'DuckDuckGo', 'duckduckgo.com'),
  road(2.5, 'Reddit', 'reddit.com/r/selfhosted'),
  road(2.5, 'Hacker News', 'news.ycombinator.com'),
  road(2, 'GitHub', 'github.com/example/lantern'),
  road(2, 'Facebook', 'facebook.com'),
  road(1.5, 'Facebook', 'facebook.com', 'Lookalike'),
  road(1.5, 'LinkedIn', 'linkedin.com'),
  road(1.5, 'ChatGPT', 'chatgpt.com'),
  road(1, 'X', 't.co'),
  road(1, 'Mastodon', 'mastodon.social'),
  road(1, 'Newsletter', undefined, 'Welcome'),
  road(0.8, 'YouTube', 'youtube.com'),
  road(0.7, 'Instagram', 'instagram.com', 'Spring sale'),
  road(0.6, 'Google', 'google.co.uk'),
  road(0.5, 'Ecosia', 'ecosia.org'),
  road(0.5, 'Wikipedia', 'en.wikipedia.org/wiki/Lantern'),
  road(0.4, 'example.org', 'example.org/reviews/lantern'),
  road(0.3, 'example.net', 'blog.example.net/2026/tools'),
  road(0.2, 'Lobsters', 'lobste.rs'),
]

/** Roads from so many sources; some of them have several. */
export function createTrafficSources(count: number): TrafficSource[] {
  const known = [...new Set(roads.map(({ origin }) => origin.source))]
  const wanted = new Set(known.slice(0, count))
  const others = takeOrCreate<TrafficSource>([], Math.max(0, count - known.length), (n) =>
    road(4 / (n + 10), `site-${n}.example`, `site-${n}.example/links`),
  )
  return [...roads.filter(({ origin }) => wanted.has(origin.source)), ...others]
}

export function takeOrCreate<T>(known: readonly T[], count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => known[n] ?? make(n - known.length + 1))
}
