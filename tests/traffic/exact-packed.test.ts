/**
 * Packs days with random traffic, adds late events and packs them again. At each step, every answer must equal a count of the events
 * one by one.
 */
import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addDays, listDays, localDay, localDayAt } from '../../src/lib/local-day.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import type { TrafficEvent } from '../../src/traffic/model/event.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import { ensureMonthPartitions } from '../../src/traffic/retention/partitions.ts'
import { deleteRemovedTraffic } from '../../src/traffic/retention/removal.ts'
import { type PanelName, panelNames, seriesNames } from '../../src/traffic/stats/schema.ts'
import { TestClock } from '../support/clock.ts'
import { computeExpectedStatistics, type ExpectedFilter, type SampleEvent } from '../support/expected-statistics.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { createEventsOn } from '../support/inbox-events.ts'
import { createRandomSource } from '../support/random-source.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, fetchOverview, fetchStatistics } from '../support/traffic.ts'

interface Website {
  zone: string
  seed: number
  /** The clocks change on the fifth of eight days. */
  firstDay: string
}

/** One seed is different in each run. If it fails, the name of the test contains the seed. */
const websites: Website[] = [
  { zone: 'Europe/Berlin', seed: 1, firstDay: '2026-03-25' },
  { zone: 'America/New_York', seed: randomInt(1_000, 2 ** 31), firstDay: '2026-10-28' },
]
const DAY_COUNT = 8
const BATCH_COUNT = 3

const continents: Record<string, string> = { DE: 'Europe', FR: 'Europe', US: 'North America', BR: 'South America' }
/** The values of each dimension. Undefined stands for an unknown value. */
const valuesOfVisitors = {
  country: ['DE', 'FR', 'US', 'BR', undefined],
  region: ['DE-BE', 'US-NY', undefined],
  city: ['Berlin, DE', 'Paris, FR', undefined],
  language: ['de', 'en', undefined],
  browser: ['Firefox', 'Chrome', 'Safari'],
  os: ['GNU/Linux', 'iOS', undefined],
  device: ['desktop', 'mobile'],
  resolution: ['1920x1080', '390x844', undefined],
} as const
const valuesOfVisits = {
  referrer: ['google.com/search', 'example.org/post', undefined],
  source: ['Google', 'example.org', 'Direct'],
  campaign: ['spring', undefined, undefined],
  hostname: ['www.example.com', 'shop.example.com', undefined],
} as const
const pages = ['/', '/pricing', '/blog/one', '/blog/two', '/search?q=x', '/ü']
const eventNames = ['signup', 'download', 'Outbound Link: Click']

interface SampleBatches {
  batches: TrafficEvent[][]
  events: SampleEvent[]
}

/** All events have different times, because the order of simultaneous events would be undefined. */
function createTraffic(websiteId: number, { zone, seed, firstDay }: Website): SampleBatches {
  const random = createRandomSource(seed)
  const pick = <T>(list: readonly T[]) => list[Math.floor(random.uniform() * list.length)] as T
  const pickAll = (lists: Record<string, readonly (string | undefined)[]>) =>
    Object.fromEntries(
      Object.entries(lists).flatMap(([name, list]) => {
        const value = pick(list)
        return value === undefined ? [] : [[name, value]]
      }),
    )
  const batches: TrafficEvent[][] = Array.from({ length: BATCH_COUNT }, () => [])
  const events: SampleEvent[] = []
  const times = new Set<number>()
  for (const dayText of listDays(firstDay, addDays(firstDay, DAY_COUNT - 1))) {
    const { startsAt, endsAt } = localDay(zone, dayText)
    for (let visitor = 1; visitor <= 7; visitor++) {
      const visitorValues = pickAll(valuesOfVisitors)
      // A few visitors have only events that arrive late.
      const firstBatch = random.uniform() < 0.1 ? 1 : 0
      for (let visits = 1 + random.poisson(0.8); visits > 0; visits--) {
        let at = startsAt + Math.floor(random.uniform() * (endsAt - startsAt))
        const origin = pickAll(valuesOfVisits)
        for (let count = 1 + random.poisson(2); count > 0; count--) {
          at += 1 + Math.floor(random.uniform() ** 2 * 20 * MINUTE_MS)
          if (at >= endsAt || times.has(at)) continue
          times.add(at)
          const kind = pick(['view', 'view', 'view', 'custom', 'engagement'] as const)
          const isPassive = random.uniform() < 0.3
          const batch = random.uniform() < 0.8 ? firstBatch : pick([1, 2])
          // The browser of some visitors changes. The first event of the day decides.
          const values = random.uniform() < 0.1 ? pickAll(valuesOfVisitors) : visitorValues
          const page = pick(pages)
          const name = pick(eventNames)
          const { day, startsAt: dayStart } = localDayAt(zone, at)
          batches[batch]?.push({
            websiteId,
            kind,
            at,
            day,
            hour: Math.floor((at - dayStart) / HOUR_MS),
            visitor: 2 ** 44 + visitor,
            page,
            ...(kind === 'custom' && { name }),
            ...(kind === 'custom' && isPassive && { passive: true as const }),
            ...(kind === 'custom' && random.uniform() < 0.5 && { props: '{"plan":"pro"}' }),
            ...(kind === 'engagement' && { engagedMs: 4_000 }),
            ...origin,
            ...values,
          })
          const { country } = values
          events.push({
            at,
            batch,
            kind: kind === 'view' ? 'pageview' : kind,
            visitor: String(visitor),
            page,
            ...(kind === 'custom' && { name, isPassive }),
            ...origin,
            ...values,
            ...(country !== undefined && { continent: continents[country] as string }),
          })
        }
      }
    }
  }
  return { batches, events }
}

interface FilterCase extends ExpectedFilter {
  query: string
}

const visitorFilters = Object.entries({ ...valuesOfVisitors, continent: ['Europe'] }).map(
  ([name, [value]]): FilterCase => ({
    query: `&filter=${name}:${value}`,
    matches: (event) => event[name as keyof SampleEvent] === value,
  }),
)
const visitFilters = Object.entries(valuesOfVisits).map(
  ([name, [value]]): FilterCase => ({
    query: `&filter=${name}:${value}`,
    matches: (_, { firstEvent }) => firstEvent[name as keyof SampleEvent] === value,
  }),
)
const filters: FilterCase[] = [
  { query: '' },
  ...visitorFilters,
  ...visitFilters,
  { query: '&filter=page:/blog*', matches: ({ page }) => page.startsWith('/blog') },
  { query: '&filter=landing_page:/', matches: (_, { landingPage }) => landingPage === '/' },
  { query: '&filter=exit_page:/pricing', matches: (_, { exitPage }) => exitPage === '/pricing' },
  {
    query: '&filter=event:signup',
    matches: ({ kind, name }) => kind === 'pageview' || name === 'signup',
    needsEvent: true,
  },
  {
    query: '&filter=event:*&filter=page:/&filter=page:/pricing&filter=device:desktop',
    matches: ({ page, device }) => (page === '/' || page === '/pricing') && device === 'desktop',
    needsEvent: true,
  },
  { query: '&filter=browser:Lynx', matches: () => false },
]

interface Traffic {
  id: number
  zone: string
  firstDay: string
  lastDay: string
  events: SampleEvent[]
}

let server: TestServer
let owner: TestUser

beforeAll(async () => {
  server = await startTestServer({ clock: new TestClock(new Date('2026-01-01T00:00:00Z')) })
})
afterAll(() => server?.close())

type Expected = ReturnType<typeof computeExpectedStatistics>

interface PanelRow {
  value: string
  count: number
}
const sortByValue = (rows: readonly PanelRow[]) => rows.toSorted((one, other) => (one.value < other.value ? -1 : 1))
const intervals = ['day', 'hour', 'week', 'month'] as const

/** All values of the panels are in the overview, because no dimension has more than ten. */
async function expectExactOverview(traffic: Traffic, filter: FilterCase, turn: number, expected: Expected) {
  const { id, firstDay: from, lastDay: to } = traffic
  const interval = intervals[turn % intervals.length] as (typeof intervals)[number]
  const overview = await fetchOverview(owner.session, id, `from=${from}&to=${to}&interval=${interval}${filter.query}`)
  expect(overview.totals, filter.query).toEqual(expected.totals)
  expect(overview.series, filter.query).toMatchObject(expected.overviewSeries(interval))
  for (const name of panelNames)
    expect([name, filter.query, sortByValue(overview.panels[name])]).toEqual([
      name,
      filter.query,
      sortByValue(expected.rows(name)),
    ])
}

/** Compares five days until now, the last of them without traffic, with the five days before. The last of these counts until the same time. */
async function expectExactComparison(traffic: Traffic, filter: FilterCase): Promise<void> {
  const { id, zone, events, firstDay } = traffic
  const today = localDayAt(zone, server.clock.now().getTime()).day
  const from = addDays(today, -4)
  const { previous } = await fetchOverview(
    owner.session,
    id,
    `from=${from}&to=${today}&compare=previous${filter.query}`,
  )
  const range = { from: addDays(from, -5), to: addDays(from, -1) }
  expect(previous).toMatchObject(range)
  expect(range).toEqual({ from: firstDay, to: addDays(firstDay, 4) })
  const until = Date.parse(previous.until)
  expect(localDayAt(zone, until).day).toBe(range.to)
  const expectedPart = computeExpectedStatistics(events, zone, range, { ...filter, until })
  expect(previous.totals, filter.query).toEqual(expectedPart.totals)
  const expectedDays = computeExpectedStatistics(events, zone, range, filter)
  expect(previous.series, filter.query).toMatchObject(expectedDays.overviewSeries('day'))
}

async function expectExactDetails(traffic: Traffic, filter: FilterCase, name: PanelName, expected: Expected) {
  const { id, firstDay: from, lastDay: to } = traffic
  const query = `name=${name}&from=${from}&to=${to}&per_page=100&details=true${filter.query}`
  const rows = await fetchStatistics(owner.session, id, query)
  expect([query, sortByValue(rows)]).toEqual([query, sortByValue(expected.detailedRows(name))])
}

async function expectExactCsv(traffic: Traffic, filter: FilterCase, expected: Expected) {
  const { id, firstDay: from, lastDay: to } = traffic
  const path = `/api/v1/stats/${id}?name=page&from=${from}&to=${to}${filter.query}`
  const { text } = await owner.session.get(path, { headers: { accept: 'text/csv' } })
  const [header, ...lines] = text.trimEnd().split('\r\n')
  expect([filter.query, header, ...lines.toSorted()]).toEqual([
    filter.query,
    'page,count',
    ...expected
      .rows('page')
      .map(({ value, count }) => `${value},${count}`)
      .sort(),
  ])
}

async function expectExactSeries(traffic: Traffic, filter: FilterCase, turn: number, expected: Expected) {
  const { id, firstDay: from, lastDay: to } = traffic
  const name = seriesNames[turn % seriesNames.length] as (typeof seriesNames)[number]
  const rows = await fetchStatistics(owner.session, id, `name=${name}&from=${from}&to=${to}${filter.query}`)
  expect([name, filter.query, rows]).toEqual([name, filter.query, expected.series(name)])
}

/**
 * Each turn, a third of the filters get an overview and a third a comparison. The thirds rotate from turn to turn. `npm test` skips the rest,
 * and `npm run faults` gives them an overview, too. The intervals, panels and series change from filter to filter and from turn to turn.
 */
async function expectExactAnswers(traffic: Traffic, turn: number): Promise<void> {
  const { zone, events, firstDay: from, lastDay: to } = traffic
  const checks = filters.flatMap((filter, index) => {
    const part = (index + turn) % 3
    if (part === 1) return [() => expectExactComparison(traffic, filter)]
    if (part === 2 && !isFaultsRun) return []
    const expected = computeExpectedStatistics(events, zone, { from, to }, filter)
    const panel = panelNames[(turn * 5 + index) % panelNames.length] as PanelName
    return [
      () => expectExactOverview(traffic, filter, turn + index, expected),
      index % 4 === 0
        ? () => expectExactSeries(traffic, filter, turn + index / 4, expected)
        : () => expectExactDetails(traffic, filter, panel, expected),
      ...(index % 5 === turn ? [() => expectExactCsv(traffic, filter, expected)] : []),
    ]
  })
  const CONCURRENT_CHECKS = 4
  const runNext = async (): Promise<void> => {
    for (let check = checks.shift(); check !== undefined; check = checks.shift()) await check()
  }
  await Promise.all(Array.from({ length: CONCURRENT_CHECKS }, runNext))
}

const readStored = async (id: number) => {
  const [row] = await server.services.db.query<{ rows: number; blocks: number }>(
    `select (select count(*)::integer from visits where website_id = $1) as rows,
            (select count(*)::integer from traffic_blocks where website_id = $1) as blocks`,
    [id],
  )
  return row
}

describe.each(websites)('traffic in $zone with the seed $seed', (website) => {
  it('is counted exactly as rows, in blocks, with late events, and packed again', async () => {
    const { db, rollup } = server.services
    const { zone, firstDay, seed } = website
    const lastDay = addDays(firstDay, DAY_COUNT - 1)
    // Two days after the last one, early in the afternoon. All days are over then.
    server.clock.reset()
    const now = localDay(zone, addDays(firstDay, DAY_COUNT + 1)).startsAt + 14.6 * HOUR_MS
    server.clock.advance({ seconds: (now - server.clock.now().getTime()) / 1000 })
    owner = await server.createUser(`ada-${seed}`)
    await ensureMonthPartitions(db, Date.parse(firstDay) - DAY_MS, now)
    const id = await createSite(owner, `exact-${seed}.example.com`, { time_zone: zone })
    const otherId = await createSite(owner, `other-${seed}.example.com`, { time_zone: zone })
    const { batches, events } = createTraffic(id, website)
    const [onTime = [], late = [], later = []] = batches
    const arrivedUntil = (batch: number): Traffic => ({
      id,
      zone,
      firstDay,
      lastDay,
      events: events.filter((event) => (event.batch ?? 0) <= batch),
    })
    await insertBatch(db, onTime)
    await insertBatch(
      db,
      onTime.map((event) => ({ ...event, websiteId: otherId })),
    )
    await rollup.rollUpAll()
    await expectExactAnswers(arrivedUntil(0), 0)

    await packDays(server.services)
    expect(await readStored(id)).toEqual({ rows: 0, blocks: DAY_COUNT })
    await expectExactAnswers(arrivedUntil(0), 1)

    // A day with late events has both rows and blocks.
    await insertBatch(db, late)
    await rollup.rollUpAll()
    expect(await readStored(id)).toEqual({ rows: expect.any(Number), blocks: DAY_COUNT })
    expect((await readStored(id))?.rows).toBeGreaterThan(0)
    await expectExactAnswers(arrivedUntil(1), 2)

    // Another website with the same visitors is deleted.
    expect((await owner.session.delete(`/api/v1/websites/${otherId}`)).status).toBe(200)
    await deleteRemovedTraffic(server.services)
    expect(await readStored(otherId)).toEqual({ rows: 0, blocks: 0 })

    await packDays(server.services)
    await insertBatch(db, later)
    await rollup.rollUpAll()
    await packDays(server.services)
    expect(await readStored(id)).toEqual({ rows: 0, blocks: DAY_COUNT })
    await expectExactAnswers(arrivedUntil(2), 3)
  })
})

describe('a damaged block', () => {
  const day = '2026-05-06'
  const range = { from: '2026-05-04', to: '2026-05-08' }

  async function createPackedSite(domain: string): Promise<number> {
    const { db, rollup } = server.services
    const id = await createSite(owner, domain)
    await insertBatch(
      db,
      listDays(range.from, range.to).flatMap((someDay) => createEventsOn(id, someDay, 20)),
    )
    await rollup.rollUpAll()
    await packDays(server.services)
    return id
  }

  it('fails only the questions that read it, and names the day', async () => {
    server.clock.reset()
    server.clock.advance({ days: 140 })
    owner = await server.createUser('damaged')
    await ensureMonthPartitions(server.services.db, Date.parse(range.from), Date.parse(range.to))
    const [damagedId, intactId] = [
      await createPackedSite('damaged.example.com'),
      await createPackedSite('intact.example.com'),
    ]
    await server.services.db.query(
      `update traffic_blocks set page = set_byte(page, 9, get_byte(page, 9) # 1) where website_id = $1 and day = $2`,
      [damagedId, day],
    )
    const fetchPages = (id: number, { from, to }: typeof range, name = 'page') =>
      owner.session.get(`/api/v1/stats/${id}?name=${name}&from=${from}&to=${to}&filter=browser:Firefox`)
    const failed = await fetchPages(damagedId, range)
    expect([failed.status, failed.text]).toEqual([
      500,
      expect.stringContaining(
        `The stored visits of ${day} are damaged. Choose a period without this day, or ask an admin`,
      ),
    ])
    expect(server.logLines).toContainEqual(expect.stringContaining(`"${day}: The checksum of a column is wrong.`))
    // Other days, other columns, and other websites are not affected, and neither are answers without a filter.
    const intact = await fetchPages(intactId, range)
    expect(intact.status).toBe(200)
    expect((await fetchPages(damagedId, { from: range.from, to: addDays(day, -1) })).status).toBe(200)
    expect((await fetchPages(damagedId, range, 'browser')).body.data).toEqual(
      (await fetchPages(intactId, range, 'browser')).body.data,
    )
    const query = `from=${range.from}&to=${range.to}&interval=hour`
    const [damagedOverview, intactOverview] = [
      await fetchOverview(owner.session, damagedId, query),
      await fetchOverview(owner.session, intactId, query),
    ]
    expect({ ...damagedOverview, website: {} }).toEqual({ ...intactOverview, website: {} })
  })
})
