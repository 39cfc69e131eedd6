/** Compares the uptime in every response, page, badge and report that has it, for random histories. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { gatherReport } from '../../src/reports/report.ts'
import { parseUptimeDays } from '../../src/shared/uptime-days.ts'
import { createSeededRandom } from '../support/check-results.ts'
import { createMonitor, monitorsPath } from '../support/monitors.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { computePercent, type SlotHistory, storeRandomHistory } from '../support/uptime-history.ts'

/** A fixed history, so that every run tests the same. BELFRY_UPTIME_SEED chooses another one. */
const seed = Number(process.env['BELFRY_UPTIME_SEED'] ?? 8)
const random = createSeededRandom(seed)

const DAY_SECONDS = 86_400
/** On both sides of UTC, so that days and weeks begin at other times than in UTC. */
const zones = ['America/New_York', 'Asia/Tokyo'] as const
/** The ages of the monitors in days. The first one was never monitored. */
const maxAges = [0, 0.6, 3, 60, 120, 400]

interface TestMonitor {
  id: number
  name: string
  history: SlotHistory
}

let server: TestServer
let owner: TestUser
let monitors: TestMonitor[]

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
  await owner.session.post('/api/v1/websites', { domain: 'example.com', time_zone: zones[0] })
  monitors = []
  for (const [index, maxDays] of maxAges.entries()) {
    const name = `Monitor ${index}`
    const { id } = await createMonitor(owner.session, { friendly_name: name, url: `https://${index}.example.com/` })
    monitors.push({ id, name, history: await storeRandomHistory(server, id, { maxDays, random }) })
  }
})
afterAll(() => server.close())

/** What a place reports, by the name of the place and figure. */
type Figures = Record<string, unknown>

/** Adds the figures of one place under its name. */
const nameFigures = (place: string, figures: Figures): Figures =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${place}: ${name}`, value]))

const toIso = (time: number | null) => (time === null ? null : new Date(time).toISOString())
const readData = async (path: string) => (await owner.session.get(path)).body.data
const getDayStart = (zone: string, daysAgo: number) =>
  Temporal.Instant.fromEpochMilliseconds(server.clock.now().getTime())
    .toZonedDateTimeISO(zone)
    .startOfDay()
    .subtract({ days: daysAgo })
    .startOfDay().epochMilliseconds

/** The starts of the periods that all places know by the same names. */
function listPeriodStarts(zone: string) {
  const now = Temporal.Instant.fromEpochMilliseconds(server.clock.now().getTime()).toZonedDateTimeISO('UTC')
  return {
    '1h': now.subtract({ hours: 1 }).epochMilliseconds,
    '24h': now.subtract({ hours: 24 }).epochMilliseconds,
    '30d': now.subtract({ hours: 30 * 24 }).epochMilliseconds,
    '90d': getDayStart(zone, 89),
    '6mo': now.subtract({ months: 6 }).epochMilliseconds,
    '1y': now.subtract({ years: 1 }).epochMilliseconds,
  }
}

const getExpected = ({ history }: TestMonitor, from: number, to = server.clock.now().getTime()) =>
  history.compute(from, to)

/** "72.10%", rounded down. Undefined if a page shows no percentage, because the monitor has less than a day of data. */
function formatShown({ percent, since, monitoredSeconds }: ReturnType<typeof getExpected>): string | undefined {
  if (percent === null || (since !== null && monitoredSeconds < DAY_SECONDS)) return undefined
  return percent === 100 ? '100%' : `${(Math.floor(percent * 100 + 1e-6) / 100).toFixed(2)}%`
}

/** The last 90 days of the monitor, oldest first. */
const listExpectedDays = (monitor: TestMonitor, zone: string) =>
  Array.from({ length: 90 }, (_, index) =>
    getExpected(
      monitor,
      getDayStart(zone, 89 - index),
      index === 89 ? server.clock.now().getTime() : getDayStart(zone, 88 - index),
    ),
  )

async function readMonitorEndpoints(
  monitor: TestMonitor,
  zones: readonly string[],
): Promise<[actual: Figures, expected: Figures]> {
  const [actual, expected]: [Figures, Figures] = [{}, {}]
  for (const [endpoint, windows] of [
    ['incidents', ['24h', '30d', '6mo', '1y']],
    ['checks', ['1h', '24h', '30d', '6mo', '1y']],
  ] as const) {
    for (const window of windows) {
      const { meta } = (await owner.session.get(`${monitorsPath}/${monitor.id}/${endpoint}?window=${window}`)).body
      actual[`${endpoint} ${window}`] = meta.uptime_percent
      expected[`${endpoint} ${window}`] = getExpected(monitor, listPeriodStarts('UTC')[window]).percent
    }
  }
  for (const zone of zones) {
    const { periods, days } = await readData(`${monitorsPath}/${monitor.id}/uptime?time_zone=${zone}`)
    for (const period of periods) {
      const { percent, monitoredSeconds, downtimeSeconds, since } = getExpected(
        monitor,
        listPeriodStarts(zone)[period.period as '24h'],
      )
      actual[`uptime ${zone} ${period.period}`] = [
        period.uptime_percent,
        period.monitored_seconds,
        period.downtime_seconds,
        period.monitored_since,
      ]
      expected[`uptime ${zone} ${period.period}`] = [percent, monitoredSeconds, downtimeSeconds, toIso(since)]
    }
    type Day = { uptime_percent: number | null; monitored_seconds: number; downtime_seconds: number }
    actual[`uptime ${zone} days`] = days.map((day: Day) => [
      day.uptime_percent,
      day.monitored_seconds,
      day.downtime_seconds,
    ])
    expected[`uptime ${zone} days`] = listExpectedDays(monitor, zone).map(
      ({ percent, monitoredSeconds, downtimeSeconds }) => [percent, monitoredSeconds, downtimeSeconds],
    )
  }
  return [actual, expected]
}

async function readOverview(zone: string): Promise<[actual: Figures, expected: Figures]> {
  const { monitors: parts, summary } = await readData(`/api/overview?time_zone=${zone}`)
  const [actual, expected]: [Figures, Figures] = [{}, {}]
  let [monitored, down] = [0, 0]
  for (const monitor of monitors) {
    const [columns] = parts
    const index = columns.id.indexOf(monitor.id)
    const total = getExpected(monitor, listPeriodStarts(zone)['90d'])
    monitored += total.monitoredSeconds
    down += total.downtimeSeconds
    actual[monitor.name] = [columns.uptime_percent[index], toIso(columns.monitored_since[monitor.id] ?? null)]
    expected[monitor.name] = [total.percent, toIso(total.since)]
    const { downDays } = parseUptimeDays(columns.days[index])
    actual[`${monitor.name} days`] = downDays.map(({ day, seconds }) => [day, seconds])
    expected[`${monitor.name} days`] = listExpectedDays(monitor, zone).flatMap(({ downtimeSeconds }, day) =>
      downtimeSeconds === 0 ? [] : [[day, downtimeSeconds]],
    )
  }
  actual['summary'] = summary.uptime_percent
  expected['summary'] = computePercent(monitored, down)
  return [actual, expected]
}

let pageCount = 0

/** Reads the HTML, JSON and badges of a new status page, because pages keep copies. */
async function readStatusPage(zone: string): Promise<[actual: Figures, expected: Figures]> {
  const slug = `page-${++pageCount}`
  const groups = [{ name: 'All', monitors: monitors.map(({ id }) => ({ monitor_id: id })) }]
  const created = await owner.session.post('/api/status-pages', { slug, title: 'Status', time_zone: zone, groups })
  expect(created.status, created.text).toBe(201)
  const { data } = (await server.anyone.get(`/status/${slug}.json`)).body
  const html = (await server.anyone.get(`/status/${slug}`)).text
  const [actual, expected]: [Figures, Figures] = [{}, {}]
  for (const [index, monitor] of monitors.entries()) {
    const { uptime, days, monitored_since } = data.groups[0].monitors[index]
    const starts = listPeriodStarts(zone)
    const total = getExpected(monitor, starts['90d'])
    for (const period of ['24h', '30d', '90d'] as const) {
      const expectedUptime = getExpected(monitor, starts[period])
      actual[`${monitor.name} ${period}`] = uptime[period]
      expected[`${monitor.name} ${period}`] = expectedUptime.percent
      const badge = await server.anyone.get(`/status/${slug}/${monitor.id}/badge.svg?type=uptime&period=${period}`)
      const texts = [...badge.text.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text)
      actual[`badge ${monitor.name} ${period}`] = texts.at(-1)?.replace(/^since .*/, 'since')
      // A monitor has no percentage for any period until it has a day of data.
      const shown = formatShown(total) === undefined ? undefined : formatShown(expectedUptime)
      expected[`badge ${monitor.name} ${period}`] = shown ?? (expectedUptime.percent === null ? 'no data' : 'since')
    }
    type Day = { uptime_percent: number | null; downtime_seconds: number }
    actual[`${monitor.name} days`] = days.map((day: Day) => [day.uptime_percent, day.downtime_seconds])
    expected[`${monitor.name} days`] = listExpectedDays(monitor, zone).map((day) => [day.percent, day.downtimeSeconds])
    const shownText = new RegExp(`id="monitor-${monitor.id}".*?<span class="uptime">(.*?)</span><span>Today`).exec(html)
    const shown = `${shownText?.[1]}`.replace(/<[^>]*>/g, '')
    actual[`${monitor.name} HTML`] = shown.replace(/ since .*/, ' since')
    expected[`${monitor.name} HTML`] = describeOnStatusPage(total)
    actual[`${monitor.name} since`] = monitored_since
    expected[`${monitor.name} since`] = toIso(total.since)
  }
  return [actual, expected]
}

function describeOnStatusPage(uptime: ReturnType<typeof getExpected>): string {
  if (uptime.percent === null) return 'No uptime yet'
  const percent = formatShown(uptime)
  if (percent === undefined) return 'Monitored since'
  return `${percent} uptime ${uptime.since === null ? 'in 90 days' : 'since'}`
}

/** The report of a week that began `weeksAgo`, in the time zone of the website. */
async function readReport(weeksAgo: number): Promise<[actual: Figures, expected: Figures]> {
  const { db, clock, statistics } = server.services
  const [site] = await db.query<{ id: number; teamId: number }>('select id, user_id as "teamId" from websites')
  const today = Temporal.Instant.fromEpochMilliseconds(clock.now().getTime()).toZonedDateTimeISO(zones[0])
  const monday = today.startOfDay().subtract({ days: today.dayOfWeek - 1 + 7 * weeksAgo })
  const report = await gatherReport(
    { db, clock, statistics },
    { id: site?.id as number, teamId: site?.teamId as number, domain: 'example.com', timeZone: zones[0] },
    monday.toPlainDate().toString(),
  )
  const [from, end] = [monday.epochMilliseconds, monday.add({ days: 7 }).epochMilliseconds]
  const [actual, expected]: [Figures, Figures] = [{}, {}]
  for (const monitor of monitors) {
    const found = report.monitors.find(({ name }) => name === monitor.name)
    const uptime = getExpected(monitor, from, Math.min(end, clock.now().getTime()))
    actual[monitor.name] = found && [found.uptimePercent, found.downtimeSeconds, found.monitoredMs]
    expected[monitor.name] =
      uptime.percent === null ? undefined : [uptime.percent, uptime.downtimeSeconds, uptime.monitoredSeconds * 1_000]
  }
  return [actual, expected]
}

/** Throws the differences of all places together. */
async function compareAllPlaces(zones: readonly string[]): Promise<void> {
  const [actual, expected]: [Figures, Figures] = [{}, {}]
  async function compare(place: string, reading: Promise<[Figures, Figures]>): Promise<void> {
    const [placeActual, placeExpected] = await reading
    Object.assign(actual, nameFigures(place, placeActual))
    Object.assign(expected, nameFigures(place, placeExpected))
  }
  for (const monitor of monitors) await compare(monitor.name, readMonitorEndpoints(monitor, zones))
  for (const zone of zones) {
    await compare(`overview ${zone}`, readOverview(zone))
    await compare(`status page ${zone}`, readStatusPage(zone))
  }
  for (const weeksAgo of [0, 1]) await compare(`report ${weeksAgo}`, readReport(weeksAgo))
  expect(actual, `BELFRY_UPTIME_SEED=${seed}`).toEqual(expected)
}

it(`shows the same uptime in all places (seed ${seed})`, async () => {
  await compareAllPlaces(zones)
}, 60_000)

it(`shows the same uptime in all places after a pause and more time (seed ${seed})`, async () => {
  const paused = monitors[3] as TestMonitor
  expect((await owner.session.put(`${monitorsPath}/${paused.id}`, { is_active: false })).status).toBe(200)
  const before = server.clock.now().getTime()
  server.clock.advance({ hours: 7 })
  const now = server.clock.now().getTime()
  const { db } = server.services
  for (const { id, history } of monitors) {
    const [row] = await db.query<{ isMonitored: boolean; isDown: boolean }>(
      `select exists (select from watches where monitor_id = $1 and ended_at is null) as "isMonitored",
              exists (select from incidents where monitor_id = $1 and resolved_at is null) as "isDown"`,
      [id],
    )
    if (row?.isMonitored) history.addMonitored(before, now)
    if (row?.isDown) history.addDown(before, now)
  }
  await compareAllPlaces([zones[1]])
}, 60_000)
