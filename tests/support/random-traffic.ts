/** Sends random traffic to the real endpoint, and returns the events that the statistics should count. */
import { expect } from 'vitest'
import { localDayAt } from '../../src/lib/local-day.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import { createSeededRandom } from './check-results.ts'
import type { SampleEvent } from './expected-statistics.ts'
import type { TestServer, TestUser } from './server.ts'
import { type Browser, browsers, createSite, sendEvent } from './traffic.ts'

export interface Scenario {
  zone: string
  start: string
  seed: number
}

/** Records as in real city databases: a region with a code, one without, and a city without a region. */
export const cityRecords = {
  '81.2.69.0/24': {
    country: { iso_code: 'GB' },
    subdivisions: [{ iso_code: 'ENG', names: { en: 'England' } }],
    city: { names: { en: 'London' } },
  },
  '81.3.0.0/16': {
    country: { iso_code: 'FR' },
    subdivisions: [{ names: { en: 'Provence' } }],
    city: { names: { en: 'London' } },
  },
  '2a02:8100::/32': { country: { iso_code: 'DE' }, city: { names: { en: 'Köln' } } },
}
/** 8.8.8.8 is not in `cityRecords`, only in the built-in country database. 10.1.2.3 is in neither of them. */
const places = [
  { address: '81.2.69.142', country: 'GB', continent: 'Europe', region: 'GB-ENG', city: 'London, GB' },
  { address: '81.2.69.143', country: 'GB', continent: 'Europe', region: 'GB-ENG', city: 'London, GB' },
  { address: '81.3.0.1', country: 'FR', continent: 'Europe', region: 'Provence, FR', city: 'London, FR' },
  { address: '8.8.8.8', country: 'US', continent: 'North America' },
  { address: '2a02:8100::1', country: 'DE', continent: 'Europe', city: 'Köln, DE' },
  { address: '10.1.2.3' },
]
/** Senders whose events are dropped, with the reason. */
const droppedSenders: { reason: string; address?: string; agent?: string; headers?: Record<string, string> }[] = [
  { reason: 'ip', address: '192.0.2.77' },
  { reason: 'ip', address: '2001:db8::5' },
  { reason: 'ip', address: '::ffff:192.0.2.9' },
  { reason: 'bot', agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
  { reason: 'bot', agent: 'curl/8.5.0' },
  { reason: 'bot', headers: { 'sec-ch-ua': '"HeadlessChrome";v="126"' } },
  { reason: 'prefetch', headers: { 'sec-purpose': 'prefetch;prerender' } },
]
const referrers = [
  { sent: null, source: 'Direct' },
  { sent: 'https://www.google.com/search?q=secret', referrer: 'google.com/search', source: 'Google' },
  { sent: 'https://news.ycombinator.com/item?id=1', referrer: 'news.ycombinator.com/item', source: 'Hacker News' },
  { sent: 'https://blog.example.org/post/', referrer: 'blog.example.org/post', source: 'blog.example.org' },
  { sent: 'https://EXAMPLE.com/inside', source: 'Direct' },
]
const pages = ['/', '/pricing', '/blog/one', '/blog/two', '/a%20b', '/search?q=x']

export interface ScenarioTraffic {
  owner: TestUser
  id: number
  events: SampleEvent[]
  from: string
  to: string
}

const TRAFFIC_MS = 3 * DAY_MS

/** Sends about three days of events of a few visitors, among them events that must be dropped. */
export async function sendRandomTraffic(
  server: TestServer,
  { zone, start, seed }: Scenario,
  eventCount: number,
): Promise<ScenarioTraffic> {
  const domain = `scenario-${seed}.example.com`
  server.clock.advance({ seconds: (Date.parse(start) - server.clock.now().getTime()) / 1000 })
  const owner = await server.createUser(`ada-${seed}`)
  const id = await createSite(owner, domain, {
    time_zone: zone,
    exclude_bots: 1,
    exclude_params: 'utm_medium\nsecret*',
    exclude_ips: '192.0.2.0/24\n2001:db8::/32',
  })
  const random = createSeededRandom(seed)
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const visitors = Array.from({ length: 8 }, (_, n) => ({
    place: pick(places),
    browser: pick(Object.keys(browsers) as Browser[]),
    language: pick(['de-DE,de;q=0.9', 'en', '*']),
    size: pick(['1920x1080', '390x844', 'huge']),
    suffix: n,
  }))
  const events: SampleEvent[] = []
  let at = Date.parse(start)
  for (let n = 0; n < eventCount; n++) {
    // The third power of a random number is 1/4 on average. Events have different times, because the order of
    // simultaneous events would be undefined.
    server.clock.advance({ seconds: Math.ceil(random() ** 3 * 4 * (TRAFFIC_MS / eventCount) + 1) / 1000 })
    at = server.clock.now().getTime()
    const visitor = pick(visitors)
    const referrer = pick(referrers)
    const campaign = random() < 0.2 ? pick(['spring', 'launch']) : undefined
    const kind = pick(['pageview', 'pageview', 'pageview', 'custom', 'engagement'] as const)
    const page = pick(pages)
    const name = pick(['signup', 'download', '=cmd()'])
    const isPassive = random() < 0.3
    const query = [campaign && `utm_campaign=${campaign}&utm_medium=x`, random() < 0.3 && 'secret_id=7'].filter(Boolean)
    const separator = page.includes('?') ? '&' : '?'
    // The host name depends on the number of the event instead of a random number, so that a seed still gives the same
    // values everywhere else.
    const hostname = n % 3 === 0 ? `www.shop.${domain}` : `shop.${domain}`
    const u = `https://${hostname}${page}${query.length > 0 ? separator : ''}${query.join('&')}#part`
    const droppedSender = random() < 0.15 ? pick(droppedSenders) : undefined
    const response = await sendEvent(
      server,
      {
        n: kind === 'custom' ? name : kind,
        u,
        d: `shop.${domain}`,
        r: referrer.sent?.replace('EXAMPLE.com', domain) ?? null,
        s: visitor.size,
        ...(isPassive && { i: false }),
        ...(kind === 'engagement' && { e: 4_000 }),
      },
      {
        address: droppedSender?.address ?? visitor.place.address,
        browser: visitor.browser,
        ...(droppedSender?.agent !== undefined && { agent: droppedSender.agent }),
        headers: { 'accept-language': visitor.language, ...droppedSender?.headers },
      },
    )
    expect([response.status, response.headers.get('x-belfry-dropped')]).toEqual([202, droppedSender?.reason ?? null])
    if (droppedSender !== undefined) continue
    events.push({
      at,
      kind,
      visitor: `${visitor.place.address} ${visitor.browser}`,
      page,
      ...(kind === 'custom' && { name, isPassive }),
      ...(referrer.referrer !== undefined && { referrer: referrer.referrer }),
      source: referrer.source,
      ...(campaign !== undefined && { campaign }),
      hostname,
      ...(visitor.place.country !== undefined && visitor.place),
      ...(visitor.language !== '*' && { language: visitor.language.slice(0, 2) }),
      ...browsers[visitor.browser].visitor,
      ...(visitor.size !== 'huge' && { resolution: visitor.size }),
    })
    if (n % 61 === 60) await packDays(server.services)
  }
  const firstDay = localDayAt(zone, Date.parse(start)).day
  return { owner, id, events, from: firstDay, to: localDayAt(zone, at).day }
}
