/** Random traffic through the real endpoint: every answer is what counting the events one by one comes to. */
import { randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listDays, localDayOf } from '../../src/lib/local-day.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import { panelNames, seriesNames } from '../../src/traffic/stats/schema.ts'
import { seededRandom } from '../support/check-results.ts'
import { TestClock } from '../support/clock.ts'
import { writeMmdb } from '../support/mmdb.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import {
  type Browser,
  browsers,
  countSlowly,
  createSite,
  type Fits,
  type MadeEvent,
  overview,
  send,
  statistics,
} from '../support/traffic.ts'

/** Half an hour off, a day of 25 hours, one of 23, one that begins at 1 o'clock, 45 minutes off, far ahead. */
const known = [
  { zone: 'Asia/Kolkata', start: '2026-01-04T17:00:00Z', seed: 1 },
  { zone: 'Europe/Berlin', start: '2026-10-24T20:00:00Z', seed: 2 },
  { zone: 'America/New_York', start: '2026-03-07T22:00:00Z', seed: 3 },
  { zone: 'Africa/Cairo', start: '2026-04-23T18:00:00Z', seed: 4 },
  { zone: 'Australia/Lord_Howe', start: '2026-04-04T10:00:00Z', seed: 5 },
  { zone: 'Pacific/Kiritimati', start: '2026-06-30T08:00:00Z', seed: 6 },
]
/** And what nobody has seen before. Should it fail, its seed is in the name of the test. */
const seed = randomInt(1_000, 2 ** 31)
const scenes = [...known, { ...(known[seed % known.length] as Scene), seed }]

interface Scene {
  zone: string
  start: string
  seed: number
}

/** As city databases have them: a region with a code or without, a city without a region, a country alone. */
const cities = {
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
/** The database of countries knows one more, and none knows the last. */
const places = [
  { address: '81.2.69.142', country: 'GB', continent: 'Europe', region: 'GB-ENG', city: 'London, GB' },
  { address: '81.2.69.143', country: 'GB', continent: 'Europe', region: 'GB-ENG', city: 'London, GB' },
  { address: '81.3.0.1', country: 'FR', continent: 'Europe', region: 'Provence, FR', city: 'London, FR' },
  { address: '8.8.8.8', country: 'US', continent: 'North America' },
  { address: '2a02:8100::1', country: 'DE', continent: 'Europe', city: 'Köln, DE' },
  { address: '10.1.2.3' },
]
/** Who is dropped, and why. */
const unwanted: { reason: string; address?: string; agent?: string; headers?: Record<string, string> }[] = [
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
  { sent: 'https://blog.example.org/post/', referrer: 'blog.example.org/post', source: 'example.org' },
  { sent: 'https://EXAMPLE.com/inside', source: 'Direct' },
]
const pages = ['/', '/pricing', '/blog/one', '/blog/two', '/a%20b', '/search?q=x']

let server: TestServer
let ada: Person

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'belfry-cities-'))
  await writeFile(join(folder, 'cities.mmdb'), writeMmdb(cities))
})
afterAll(() => rm(folder, { recursive: true }))
/** Half a year passes in here, and no session lasts that long. */
beforeEach(async () => {
  const clock = new TestClock(new Date('2026-01-01T00:00:00Z'))
  server = await startTestServer({ clock, env: { BELFRY_GEO_DB: join(folder, 'cities.mmdb') } })
})
afterEach(() => server.close())

interface Acted {
  id: number
  events: MadeEvent[]
  from: string
  to: string
}

/** Three days of a few visitors; what is excluded is sent as well, and must not be seen again. */
async function act({ zone, start, seed }: Scene): Promise<Acted> {
  const domain = `scene-${seed}.example.com`
  server.clock.advance({ seconds: (Date.parse(start) - server.clock.now().getTime()) / 1000 })
  ada = await server.person('ada')
  const id = await createSite(ada, domain, {
    time_zone: zone,
    exclude_bots: 1,
    exclude_params: 'utm_medium\nsecret*',
    exclude_ips: '192.0.2.0/24\n2001:db8::/32',
  })
  const random = seededRandom(seed)
  const any = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const people = Array.from({ length: 8 }, (_, n) => ({
    place: any(places),
    browser: any(Object.keys(browsers) as Browser[]),
    language: any(['de-DE,de;q=0.9', 'en', '*']),
    size: any(['1920x1080', '390x844', 'huge']),
    suffix: n,
  }))
  const events: MadeEvent[] = []
  let at = Date.parse(start)
  for (let n = 0; n < 190; n++) {
    // No two at the same moment: nobody could say which of them was first.
    server.clock.advance({ seconds: Math.ceil(random() ** 3 * 90 * 60_000 + 1) / 1000 })
    at = server.clock.now().getTime()
    const person = any(people)
    const referrer = any(referrers)
    const campaign = random() < 0.2 ? any(['spring', 'launch']) : undefined
    const kind = any(['pageview', 'pageview', 'pageview', 'custom', 'engagement'] as const)
    const page = any(pages)
    const name = any(['signup', 'download', '=cmd()'])
    const passive = random() < 0.3
    const query = [campaign && `utm_campaign=${campaign}&utm_medium=x`, random() < 0.3 && 'secret_id=7'].filter(Boolean)
    const glue = page.includes('?') ? '&' : '?'
    const kept = campaign === undefined ? '' : `${glue}utm_campaign=${campaign}`
    const u = `https://shop.${domain}${page}${query.length > 0 ? glue : ''}${query.join('&')}#part`
    const drop = random() < 0.15 ? any(unwanted) : undefined
    const answer = await send(
      server,
      {
        n: kind === 'custom' ? name : kind,
        u,
        d: `shop.${domain}`,
        r: referrer.sent?.replace('EXAMPLE.com', domain) ?? null,
        s: person.size,
        ...(passive && { i: false }),
        ...(kind === 'engagement' && { e: 4_000 }),
      },
      {
        address: drop?.address ?? person.place.address,
        browser: person.browser,
        ...(drop?.agent !== undefined && { agent: drop.agent }),
        headers: { 'accept-language': person.language, ...drop?.headers },
      },
    )
    expect([answer.status, answer.headers.get('x-belfry-dropped')]).toEqual([202, drop?.reason ?? null])
    if (drop !== undefined) continue
    events.push({
      at,
      kind,
      visitor: `${person.place.address} ${person.browser}`,
      page: page + kept,
      ...(kind === 'custom' && { name, passive }),
      ...(referrer.referrer !== undefined && { referrer: referrer.referrer }),
      source: referrer.source,
      ...(campaign !== undefined && { campaign }),
      ...(person.place.country !== undefined && person.place),
      ...(person.language !== '*' && { language: person.language.slice(0, 2) }),
      ...browsers[person.browser].visitor,
      ...(person.size !== 'huge' && { resolution: person.size }),
    })
    if (n % 61 === 60) await packDays(server.services)
  }
  const first = localDayOf(zone, Date.parse(start)).day
  return { id, events, from: first, to: localDayOf(zone, at).day }
}

const sorted = (rows: { value: string; count: number }[]) =>
  rows.toSorted((one, other) => (one.value < other.value ? -1 : 1))

async function expectAll({ id, events, from, to }: Acted, zone: string, query = '', fits?: Fits) {
  const slow = countSlowly(events, zone, { from, to }, fits)
  const range = `from=${from}&to=${to}${query}`
  for (const name of seriesNames) {
    expect([name, await statistics(ada.session, id, `name=${name}&${range}`)]).toEqual([name, slow.series(name)])
  }
  const page = await overview(ada.session, id, range)
  expect(page.totals).toEqual(slow.totals)
  for (const name of panelNames) {
    const rows = await statistics(ada.session, id, `name=${name}&${range}&per_page=100`)
    expect([name, sorted(rows)]).toEqual([name, sorted(slow.rows(name))])
    expect(sorted(page.panels[name])).toEqual(sorted(rows.slice(0, 10)))
  }
}

describe.each(scenes)('random traffic by the clock of $zone, from the seed $seed', (scene) => {
  it('is counted exactly, as a whole, day by day, and filtered', async () => {
    const acted = await act(scene)
    expect(acted.events.length).toBeGreaterThan(100)
    await expectAll(acted, scene.zone)
    for (const day of listDays(acted.from, acted.to)) await expectAll({ ...acted, from: day, to: day }, scene.zone)
    const filters: [string, Fits][] = [
      ['&filter=page:/blog*', ({ page }) => page.startsWith('/blog')],
      ['&filter=page:/&filter=page:/pricing', ({ page }) => page === '/' || page === '/pricing'],
      ['&filter=event:signup', ({ name }) => name === 'signup'],
      ['&filter=source:Google', (_, { first }) => first.source === 'Google'],
      ['&filter=continent:Eur*&filter=source:*', ({ continent }) => continent === 'Europe'],
      [
        '&filter=landing_page:/&filter=browser:Chrome',
        ({ browser }, { landing }) => landing === '/' && browser === 'Chrome',
      ],
      ['&filter=exit_page:/*&filter=page:/pricing', ({ page }, { exit }) => exit !== '' && page === '/pricing'],
      ['&filter=region:GB-*&filter=region:Provence, FR', ({ region }) => region !== undefined],
      [
        '&filter=city:London*&filter=event:*',
        ({ city, name }) => city?.startsWith('London') === true && name !== undefined,
      ],
      ['&filter=country:ZZ', () => false],
    ]
    for (const [query, fits] of filters) await expectAll(acted, scene.zone, query, fits)
    // And once everything is packed.
    server.clock.advance({ days: 4 })
    await packDays(server.services)
    const left = await server.services.db.query('select from traffic_counts where website_id = $1', [acted.id])
    expect(left).toEqual([])
    await expectAll(acted, scene.zone)
    for (const [query, fits] of filters) await expectAll(acted, scene.zone, query, fits)
    const [query, fits] = filters[0] as [string, Fits]
    await expectAll({ ...acted, to: acted.from }, scene.zone, query, fits)
  })
})
