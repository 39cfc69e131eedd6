/** Sends random traffic to the real endpoint and compares every statistic with a count of the events one by one. */
import { randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addDays, listDays, localDayAt } from '../../src/lib/local-day.ts'
import { HOUR_MS } from '../../src/shared/time.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import { panelNames, seriesNames } from '../../src/traffic/stats/schema.ts'
import { createSeededRandom } from '../support/check-results.ts'
import { TestClock } from '../support/clock.ts'
import { computeExpectedStatistics, type ExpectedFilter, type SampleEvent } from '../support/expected-statistics.ts'
import { writeMmdb } from '../support/mmdb.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { type Browser, browsers, createSite, fetchOverview, fetchStatistics, sendEvent } from '../support/traffic.ts'

/**
 * In this order: an offset of half an hour, a day of 25 hours, a day of 23 hours, a day that starts at 1 a.m., a clock
 * change of half an hour, and the time zone furthest ahead of UTC.
 */
const fixedScenarios = [
  { zone: 'Asia/Kolkata', start: '2026-01-04T17:00:00Z', seed: 1 },
  { zone: 'Europe/Berlin', start: '2026-10-24T20:00:00Z', seed: 2 },
  { zone: 'America/New_York', start: '2026-03-07T22:00:00Z', seed: 3 },
  { zone: 'Africa/Cairo', start: '2026-04-23T18:00:00Z', seed: 4 },
  { zone: 'Australia/Lord_Howe', start: '2026-04-04T10:00:00Z', seed: 5 },
  { zone: 'Pacific/Kiritimati', start: '2026-06-30T08:00:00Z', seed: 6 },
]
/** One more scenario is different in each run. If it fails, the name of the test contains its seed. */
const seed = randomInt(1_000, 2 ** 31)
const scenarios = [...fixedScenarios, { ...(fixedScenarios[seed % fixedScenarios.length] as Scenario), seed }]

interface Scenario {
  zone: string
  start: string
  seed: number
}

/** Records as in real city databases: a region with a code, one without, and a city without a region. */
const cityRecords = {
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

let server: TestServer
let ada: TestUser

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'belfry-cities-'))
  await writeFile(join(folder, 'cities.mmdb'), writeMmdb(cityRecords))
})
afterAll(() => rm(folder, { recursive: true }))
/** Each test gets its own server, because sessions expire in the months between the scenarios. */
beforeEach(async () => {
  const clock = new TestClock(new Date('2026-01-01T00:00:00Z'))
  server = await startTestServer({ clock, env: { BELFRY_GEO_DB: join(folder, 'cities.mmdb') } })
})
afterEach(() => server.close())

interface PanelRow {
  value: string
  count: number
}

interface ScenarioTraffic {
  id: number
  events: SampleEvent[]
  from: string
  to: string
}

/** Sends three days of events of a few visitors, among them events that must be dropped. */
async function sendTraffic({ zone, start, seed }: Scenario): Promise<ScenarioTraffic> {
  const domain = `scenario-${seed}.example.com`
  server.clock.advance({ seconds: (Date.parse(start) - server.clock.now().getTime()) / 1000 })
  ada = await server.createUser('ada')
  const id = await createSite(ada, domain, {
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
  for (let n = 0; n < 190; n++) {
    // Events have different times, because the order of simultaneous events would be undefined.
    server.clock.advance({ seconds: Math.ceil(random() ** 3 * 90 * 60_000 + 1) / 1000 })
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
    const storedQuery = campaign === undefined ? '' : `${separator}utm_campaign=${campaign}`
    const u = `https://shop.${domain}${page}${query.length > 0 ? separator : ''}${query.join('&')}#part`
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
      page: page + storedQuery,
      ...(kind === 'custom' && { name, isPassive }),
      ...(referrer.referrer !== undefined && { referrer: referrer.referrer }),
      source: referrer.source,
      ...(campaign !== undefined && { campaign }),
      ...(visitor.place.country !== undefined && visitor.place),
      ...(visitor.language !== '*' && { language: visitor.language.slice(0, 2) }),
      ...browsers[visitor.browser].visitor,
      ...(visitor.size !== 'huge' && { resolution: visitor.size }),
    })
    if (n % 61 === 60) await packDays(server.services)
  }
  const firstDay = localDayAt(zone, Date.parse(start)).day
  return { id, events, from: firstDay, to: localDayAt(zone, at).day }
}

const sortByValue = (rows: PanelRow[]) => rows.toSorted((a, b) => (a.value < b.value ? -1 : 1))

interface FilterCase extends ExpectedFilter {
  /** The filters in the query of a request. */
  query: string
}

const noFilter: FilterCase = { query: '' }

function createQuery({ from, to }: ScenarioTraffic, { query }: FilterCase): string {
  return `from=${from}&to=${to}${query}`
}

/** The overview contains the totals and the first ten rows of each panel. */
async function expectExactOverview(traffic: ScenarioTraffic, zone: string, filter: FilterCase) {
  const expected = computeExpectedStatistics(traffic.events, zone, traffic, filter)
  const overview = await fetchOverview(ada.session, traffic.id, createQuery(traffic, filter))
  expect(overview.totals).toEqual(expected.totals)
  expect(overview.series).toMatchObject(expected.overviewSeries(traffic.from === traffic.to ? 'hour' : 'day'))
  for (const name of panelNames) {
    const rows: PanelRow[] = overview.panels[name]
    const expectedRows = expected.rows(name)
    const highestCounts = expectedRows.map(({ count }) => count).sort((a, b) => b - a)
    expect([name, rows.map(({ count }) => count)]).toEqual([name, highestCounts.slice(0, 10)])
    expect(expectedRows, name).toEqual(expect.arrayContaining(rows))
  }
}

/** Compares the last day, which is still running, with the same part of the day before. */
async function expectExactComparison(traffic: ScenarioTraffic, zone: string, filter: FilterCase) {
  const { id, events, to: today } = traffic
  const yesterday = addDays(today, -1)
  const overview = await fetchOverview(
    ada.session,
    id,
    `from=${today}&to=${today}&compare=previous&interval=hour${filter.query}`,
  )
  const { from, to, until, totals, series } = overview.previous
  const toClock = (time: Date | string) =>
    Temporal.Instant.from(typeof time === 'string' ? time : time.toISOString())
      .toZonedDateTimeISO(zone)
      .toPlainTime()
  expect([from, to, localDayAt(zone, Date.parse(until)).day]).toEqual([yesterday, yesterday, yesterday])
  expect(toClock(until)).toEqual(toClock(server.clock.now()))
  const range = { from: yesterday, to: yesterday }
  const expectedPart = computeExpectedStatistics(events, zone, range, { ...filter, until: Date.parse(until) })
  expect(totals).toEqual(expectedPart.totals)
  expect(series).toEqual({
    ...computeExpectedStatistics(events, zone, range, filter).overviewSeries('hour'),
    incomplete: null,
  })
  const now = server.clock.now().getTime()
  const isRunning = ({ value }: PanelRow) => Date.parse(value) <= now && now < Date.parse(value) + HOUR_MS
  expect(overview.series.incomplete).toBe(overview.series.visitors.findLast(isRunning).value)
}

/** Checks all intervals except the default. */
async function expectExactIntervals(traffic: ScenarioTraffic, zone: string, filter: FilterCase) {
  const expected = computeExpectedStatistics(traffic.events, zone, traffic, filter)
  for (const interval of ['hour', 'week', 'month'] as const) {
    const query = `${createQuery(traffic, filter)}&interval=${interval}`
    const { series } = await fetchOverview(ada.session, traffic.id, query)
    expect(series).toMatchObject(expected.overviewSeries(interval))
  }
}

/** Requests every series and every panel. */
async function expectExactStatistics(traffic: ScenarioTraffic, zone: string, filter: FilterCase) {
  await expectExactOverview(traffic, zone, filter)
  const expected = computeExpectedStatistics(traffic.events, zone, traffic, filter)
  const fetchOne = (name: string, options = '') =>
    fetchStatistics(ada.session, traffic.id, `name=${name}&${createQuery(traffic, filter)}${options}`)
  for (const name of seriesNames) expect([name, await fetchOne(name)]).toEqual([name, expected.series(name)])
  for (const name of panelNames) {
    const rows = await fetchOne(name, '&per_page=100')
    expect([name, sortByValue(rows)]).toEqual([name, sortByValue(expected.rows(name))])
  }
}

const filterCases: FilterCase[] = [
  { query: '&filter=page:/blog*', matches: ({ page }) => page.startsWith('/blog') },
  { query: '&filter=page:/&filter=page:/pricing', matches: ({ page }) => page === '/' || page === '/pricing' },
  {
    query: '&filter=event:signup',
    matches: ({ kind, name }) => kind === 'pageview' || name === 'signup',
    needsEvent: true,
  },
  { query: '&filter=source:Google', matches: (_, { firstEvent }) => firstEvent.source === 'Google' },
  { query: '&filter=continent:Eur*&filter=source:*', matches: ({ continent }) => continent === 'Europe' },
  {
    query: '&filter=landing_page:/&filter=browser:Chrome',
    matches: ({ browser }, { landingPage }) => landingPage === '/' && browser === 'Chrome',
  },
  {
    query: '&filter=exit_page:/*&filter=page:/pricing',
    matches: ({ page }, { exitPage }) => exitPage !== '' && page === '/pricing',
  },
  { query: '&filter=region:GB-*&filter=region:Provence, FR', matches: ({ region }) => region !== undefined },
  {
    query: '&filter=city:London*&filter=event:*',
    matches: ({ city }) => city?.startsWith('London') === true,
    needsEvent: true,
  },
  { query: '&filter=country:ZZ', matches: () => false },
]

const eventOnPageFilter: FilterCase = {
  query: '&filter=event:signup&filter=page:/pricing',
  matches: ({ kind, page, name }) => page === '/pricing' && (kind === 'pageview' || name === 'signup'),
  needsEvent: true,
}

async function expectExactFilters(traffic: ScenarioTraffic, { zone }: Scenario) {
  for (const filter of filterCases) await expectExactStatistics(traffic, zone, filter)
  await expectExactOverview(traffic, zone, eventOnPageFilter)
  await expectExactIntervals(traffic, zone, noFilter)
  await expectExactIntervals(traffic, zone, eventOnPageFilter)
}

describe.each(scenarios)('random traffic in the time zone $zone with the seed $seed', (scenario) => {
  it('is counted exactly: in total, by day and filtered', async () => {
    const traffic = await sendTraffic(scenario)
    expect(traffic.events.length).toBeGreaterThan(100)
    await expectExactStatistics(traffic, scenario.zone, noFilter)
    for (const day of listDays(traffic.from, traffic.to))
      await expectExactStatistics({ ...traffic, from: day, to: day }, scenario.zone, noFilter)
    await expectExactFilters(traffic, scenario)
    for (const filter of [noFilter, ...filterCases]) await expectExactComparison(traffic, scenario.zone, filter)
    // The statistics are the same after packing.
    server.clock.advance({ days: 4 })
    await packDays(server.services)
    const unpackedCounts = await server.services.db.query('select from traffic_counts where website_id = $1', [
      traffic.id,
    ])
    expect(unpackedCounts).toEqual([])
    await expectExactStatistics(traffic, scenario.zone, noFilter)
    await expectExactFilters(traffic, scenario)
    await expectExactStatistics({ ...traffic, to: traffic.from }, scenario.zone, filterCases[0] as FilterCase)
  })
})
