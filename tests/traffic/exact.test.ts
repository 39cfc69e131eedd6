/** Sends random traffic to the real endpoint and compares every statistic with a count of the events one by one. */
import { randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addDays, listDays, localDayAt } from '../../src/lib/local-day.ts'
import { HOUR_MS } from '../../src/shared/time.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import { type PanelName, panelNames, type SeriesName, seriesNames } from '../../src/traffic/stats/schema.ts'
import { TestClock } from '../support/clock.ts'
import { computeExpectedStatistics, type ExpectedFilter } from '../support/expected-statistics.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { writeMmdb } from '../support/mmdb.ts'
import { cityRecords, type Scenario, type ScenarioTraffic, sendRandomTraffic } from '../support/random-traffic.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { fetchOverview, fetchStatistics } from '../support/traffic.ts'
import { readVisitSlots } from '../support/visit-slots.ts'

/**
 * The scenarios have, in this order: an offset of half an hour, a day of 25 hours, a day of 23 hours, a day that starts
 * at 1 a.m., a clock change of half an hour, and the time zone furthest ahead of UTC.
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
const randomScenario = { ...(fixedScenarios[seed % fixedScenarios.length] as Scenario), seed }
type NumberedScenario = Scenario & { index: number }
const scenarios: NumberedScenario[] = [...fixedScenarios, randomScenario].map((scenario, index) => ({
  ...scenario,
  index,
}))

let server: TestServer
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'belfry-cities-'))
  await writeFile(join(folder, 'cities.mmdb'), writeMmdb(cityRecords))
  const clock = new TestClock(new Date('2026-01-01T00:00:00Z'))
  server = await startTestServer({ clock, env: { BELFRY_GEO_DB: join(folder, 'cities.mmdb') } })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})
beforeEach(() => server.clock.reset())

interface PanelRow {
  value: string
  count: number
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

/** Compares the overview, which contains the totals and the first ten rows of each panel. */
async function expectExactOverview(
  traffic: ScenarioTraffic,
  zone: string,
  filter: FilterCase,
  expected = computeExpectedStatistics(traffic.events, zone, traffic, filter),
) {
  const overview = await fetchOverview(traffic.owner.session, traffic.id, createQuery(traffic, filter))
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
  const { owner, id, events, to: today } = traffic
  const yesterday = addDays(today, -1)
  const overview = await fetchOverview(
    owner.session,
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

async function expectExactVisitSlots(traffic: ScenarioTraffic, zone: string) {
  const expectedSlots = computeExpectedStatistics(traffic.events, zone, traffic).visitSlots()
  expect(await readVisitSlots(server.services.db, traffic.id)).toEqual(expectedSlots)
}

/** Checks all intervals except the default. */
async function expectExactIntervals(traffic: ScenarioTraffic, zone: string, filter: FilterCase) {
  const expectedStatistics = computeExpectedStatistics(traffic.events, zone, traffic, filter)
  for (const interval of ['hour', 'week', 'month'] as const) {
    const query = `${createQuery(traffic, filter)}&interval=${interval}`
    const { series } = await fetchOverview(traffic.owner.session, traffic.id, query)
    expect(series).toMatchObject(expectedStatistics.overviewSeries(interval))
  }
}

type StatisticName = SeriesName | PanelName

const isSeries = (name: StatisticName): name is SeriesName => (seriesNames as readonly string[]).includes(name)

/** Requests the overview, and each series and panel that `isRequested` selects. */
async function expectExactStatistics(
  traffic: ScenarioTraffic,
  zone: string,
  filter: FilterCase,
  isRequested = (_name: StatisticName, _rowCount: number) => true,
) {
  const expectedStatistics = computeExpectedStatistics(traffic.events, zone, traffic, filter)
  await expectExactOverview(traffic, zone, filter, expectedStatistics)
  const fetchOne = (name: string, options = '') =>
    fetchStatistics(traffic.owner.session, traffic.id, `name=${name}&${createQuery(traffic, filter)}${options}`)
  for (const name of seriesNames) {
    if (isRequested(name, 0)) expect([name, await fetchOne(name)]).toEqual([name, expectedStatistics.series(name)])
  }
  for (const name of panelNames) {
    const expectedRows = expectedStatistics.rows(name)
    if (!isRequested(name, expectedRows.length)) continue
    // About half of the panels are requested with details. With each filter and each website, these are others.
    const detailTurn = Math.floor(panelNames.indexOf(name) / fixedScenarios.length) + filter.query.length + traffic.id
    const hasDetails = detailTurn % 2 === 0
    const rows = await fetchOne(name, `&per_page=100${hasDetails ? '&details=true' : ''}`)
    const expected = hasDetails ? expectedStatistics.detailedRows(name) : expectedRows
    expect([name, sortByValue(rows)]).toEqual([name, sortByValue(expected)])
  }
}

/**
 * Panels with at most ten rows are already compared completely as a part of the overview. So in `npm test`, each scenario
 * requests both series, the longer panels, and one of six parts of the shorter ones. The six fixed scenarios together request
 * every panel.
 */
function expectExactTotals(traffic: ScenarioTraffic, { zone, index }: NumberedScenario, turn = index) {
  const isRequested = (name: StatisticName, rowCount: number) =>
    isFaultsRun || isSeries(name) || rowCount > 10 || (panelNames.indexOf(name) + turn) % fixedScenarios.length === 0
  return expectExactStatistics(traffic, zone, noFilter, isRequested)
}

/** Requests each day as if it were the whole range. Each day requests other panels. */
async function expectExactDays(traffic: ScenarioTraffic, scenario: NumberedScenario) {
  for (const [n, day] of listDays(traffic.from, traffic.to).entries())
    await expectExactTotals({ ...traffic, from: day, to: day }, scenario, scenario.index + n + 1)
}

const filterCases: FilterCase[] = [
  { query: '&filter=page:/blog*', matches: ({ page }) => page.startsWith('/blog') },
  { query: '&filter=page:/&filter=page:/pricing', matches: ({ page }) => page === '/' || page === '/pricing' },
  {
    query: '&filter=event:signup',
    matches: ({ kind, name }) => kind === 'pageview' || name === 'signup',
    needsEvent: true,
  },
  { query: '&filter=hostname:www.*', matches: (_, { firstEvent }) => firstEvent.hostname?.startsWith('www.') === true },
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

/**
 * With a filter, one computation yields all panels and both series. Panels with at most ten rows are already compared completely as a
 * part of the overview. So each scenario requests all longer panels, a few of the shorter ones, and one of the two series. In
 * `npm run faults`, the six fixed scenarios together request everything with every filter.
 */
async function expectExactFilteredStatistics(
  traffic: ScenarioTraffic,
  { zone, index }: NumberedScenario,
  filter: FilterCase,
) {
  const turn = index + filterCases.indexOf(filter)
  const isRequested = (name: StatisticName, rowCount: number) =>
    isSeries(name)
      ? (seriesNames.indexOf(name) + turn) % 2 === 0
      : rowCount > 10 || (panelNames.indexOf(name) + turn) % fixedScenarios.length === 0
  await expectExactStatistics(traffic, zone, filter, isRequested)
}

/**
 * In `npm test`, each scenario requests the statistics of a third of the filters before packing (part 0), and those of another
 * third after packing (part 1). So every filter is requested in at least two time zones each time. The same goes for the intervals:
 * each scenario requests those of one filter before packing, and those of the other after packing.
 */
async function expectExactFilters(traffic: ScenarioTraffic, scenario: NumberedScenario, part: number) {
  const { zone, index } = scenario
  const isInPart = (_filter: FilterCase, n: number) => isFaultsRun || (n + index) % 3 === part
  for (const filter of filterCases.filter(isInPart)) await expectExactFilteredStatistics(traffic, scenario, filter)
  await expectExactOverview(traffic, zone, eventOnPageFilter)
  const intervalFilters = [noFilter, eventOnPageFilter].filter((_, n) => isFaultsRun || (n + index) % 2 === part)
  for (const filter of intervalFilters) await expectExactIntervals(traffic, zone, filter)
}

/** In `npm test`, each scenario compares with a third of the filters. */
async function expectExactComparisons(traffic: ScenarioTraffic, { zone, index }: NumberedScenario) {
  const filters = filterCases.filter((_, n) => isFaultsRun || (n + index) % 3 === 0)
  for (const filter of [noFilter, ...filters]) await expectExactComparison(traffic, zone, filter)
}

describe.each(scenarios)('random traffic in the time zone $zone with the seed $seed', (scenario) => {
  it('is counted exactly: in total, by day and filtered', async () => {
    const traffic = await sendRandomTraffic(server, scenario, isFaultsRun ? 190 : 145)
    expect(traffic.events.length).toBeGreaterThan(100)
    await expectExactTotals(traffic, scenario)
    await expectExactDays(traffic, scenario)
    await expectExactFilters(traffic, scenario, 0)
    await expectExactComparisons(traffic, scenario)
    await expectExactVisitSlots(traffic, scenario.zone)
    // The statistics are the same after packing.
    server.clock.advance({ days: 4 })
    await packDays(server.services)
    const unpackedCounts = await server.services.db.query('select from traffic_counts where website_id = $1', [
      traffic.id,
    ])
    expect(unpackedCounts).toEqual([])
    await expectExactTotals(traffic, scenario, scenario.index + 3)
    await expectExactFilters(traffic, scenario, 1)
    await expectExactFilteredStatistics({ ...traffic, to: traffic.from }, scenario, filterCases[0] as FilterCase)
    await expectExactVisitSlots(traffic, scenario.zone)
  })
})
