/**
 * Measures statistics with one million and with ten million events: the disk that they take, how long overviews take, and filtered ones
 * beside DuckDB. `npm run bench -- stats 1000000` uses a million events instead of ten, and a tenth of that for the small website.
 */

import { pino } from 'pino'
import { systemClock } from '../src/lib/clock.ts'
import { localDayAt } from '../src/lib/local-day.ts'
import { DAY_MS } from '../src/shared/time.ts'
import { packDays } from '../src/traffic/packing/pack-days.ts'
import { maintainTrafficPartitions } from '../src/traffic/retention/partitions.ts'
import type { StatisticsOverview } from '../src/traffic/stats/schema.ts'
import { TrafficThreads } from '../src/traffic/threads/traffic-threads.ts'
import { type BenchCaller, type BenchServer, startBenchServer } from './support/bench-server.ts'
import { printDisk, readTableSizes } from './support/disk.ts'
import { comparedPanels, type DuckDb, type DuckDbQuery, startDuckDb } from './support/duckdb-baseline.ts'
import { type BenchWebsite, createWebsite, fillWebsite, TRAFFIC_DAYS } from './support/fill-traffic.ts'
import { readMemoryMb } from './support/processes.ts'
import { median, reportPerformancePromise } from './support/report.ts'

const log = pino({ level: 'silent' })
const REQUEST_COUNT = 15
const FILTERED_REQUEST_COUNT = 7
const OTHERS_ROUNDS = 3
const TEN_MILLION = 10_000_000
const MAX_MB_PER_MILLION = 25
const MAX_EXTRA_MB = 300

const tables = [
  'events',
  'visits',
  'traffic_blocks',
  'traffic_days',
  'traffic_weeks',
  'traffic_counts',
  'traffic_values',
]

/** A filter that matches all visits, one that matches most, one that matches few, and one for single page views. */
const filterSets: { name: string; filters: { dimension: 'device' | 'country' | 'page'; pattern: string }[] }[] = [
  { name: 'device:*', filters: [{ dimension: 'device', pattern: '*' }] },
  { name: 'device:desktop', filters: [{ dimension: 'device', pattern: 'desktop' }] },
  { name: 'country:IS', filters: [{ dimension: 'country', pattern: 'IS' }] },
  { name: 'page:/docs/*', filters: [{ dimension: 'page', pattern: '/docs/*' }] },
]

async function get(server: BenchServer, owner: BenchCaller, path: string): Promise<unknown> {
  const response = await fetch(`${server.baseUrl}${path}`, { headers: owner.headers })
  const body = await response.json()
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return body
}

/** Returns the times in milliseconds. `prepare` runs before each request, and is not part of the time. */
async function timeRequests(
  server: BenchServer,
  owner: BenchCaller,
  path: string,
  { count = REQUEST_COUNT, prepare = async () => {} }: { count?: number; prepare?: () => Promise<void> } = {},
): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < count; n++) {
    await prepare()
    const startedAt = performance.now()
    await get(server, owner, path)
    times.push(performance.now() - startedAt)
  }
  return times
}

/** Gives the blocks new numbers, so that the server counts them again instead of using what it counted before. */
async function forgetCounts({ db }: BenchServer): Promise<void> {
  await db.query(`update traffic_days set block_set = nextval('block_sets') where block_set > 0`)
}

/** Packs days and deletes their rows, as the server's jobs do. */
async function packAll(server: BenchServer, threads: TrafficThreads): Promise<void> {
  const { db } = server
  await packDays({ db, clock: systemClock, trafficThreads: threads, cluster: { areAllUpgraded: () => true } })
  // An empty partition is dropped after its pages are free.
  await server.vacuum('events', 'visits')
  const config = { eventDays: Number.POSITIVE_INFINITY }
  await maintainTrafficPartitions({ db, clock: systemClock, log, config }, new AbortController().signal)
  await server.vacuum(...tables)
}

const percentile99 = (times: readonly number[]) =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0

/** How long small requests of another user take, while `work` runs. */
async function timeOthers(server: BenchServer, other: BenchCaller, path: string, work: Promise<unknown>) {
  const times: number[] = []
  let isRunning = true
  const end = work.finally(() => {
    isRunning = false
  })
  while (isRunning) times.push(...(await timeRequests(server, other, path, { count: 1 })))
  await end
  return times
}

export async function bench([events = String(TEN_MILLION)]: string[]): Promise<boolean> {
  const largeCount = Number(events)
  // Without the role worker, the server doesn't pack days before DuckDB has read their rows.
  const server = await startBenchServer({ BELFRY_ROLES: 'web' })
  const threads = new TrafficThreads()
  let duckDb: DuckDb | undefined
  try {
    const owner = await server.createUser('ada', 'websites:read', 'websites:write')
    const other = await server.createUser('grace', 'websites:read', 'websites:write')
    const sizesBefore = await readTableSizes(server.db)
    const large = await fillWebsite(server, await createWebsite(server, owner, 'large.example'), largeCount)
    duckDb = await startDuckDb({ dataDir: server.dataDir, databaseUrl: undefined }, large.id)
    await server.vacuum(...tables)
    const sizesOfRows = await readTableSizes(server.db)
    const packingStartedAt = performance.now()
    await packAll(server, threads)
    const packingSeconds = (performance.now() - packingStartedAt) / 1000
    const sizesOfBlocks = await readTableSizes(server.db)
    const small = await fillWebsite(server, await createWebsite(server, owner, 'small.example'), largeCount / 10)
    await packAll(server, threads)
    console.log(`  packing ${large.eventCount.toLocaleString('en')} events took ${packingSeconds.toFixed(0)} s`)
    const disk = { before: sizesBefore, eventCount: large.eventCount }
    printDisk('as rows', { ...disk, after: sizesOfRows })
    const mbPerMillion = printDisk('when packed', { ...disk, after: sizesOfBlocks })
    return [
      reportPerformancePromise(
        `a million events take at most ${MAX_MB_PER_MILLION} MB`,
        `${mbPerMillion.toFixed(1)} MB`,
        mbPerMillion <= MAX_MB_PER_MILLION,
      ),
      ...(await measureOverviews(server, owner, small, large)),
      ...(await measureFilters(server, owner, other, large, duckDb)),
    ].every(Boolean)
  } finally {
    threads.close()
    await duckDb?.stop()
    await server.stop()
  }
}

const today = () => localDayAt('UTC', Date.now()).startsAt
const formatDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)
/** The days that have events. */
const findRange = () => ({ from: formatDay(today() - TRAFFIC_DAYS * DAY_MS), to: formatDay(today() - DAY_MS) })

async function measureOverviews(server: BenchServer, owner: BenchCaller, small: BenchWebsite, large: BenchWebsite) {
  const { from, to } = findRange()
  const measure = async ({ id }: BenchWebsite, query: string) =>
    median(await timeRequests(server, owner, `/api/v1/stats/${id}/overview?${query}&compare=previous`))
  const wholeDays = `from=${from}&to=${to}`
  for (const website of [small, large]) await measure(website, wholeDays)
  const smallMs = await measure(small, wholeDays)
  const largeMs = await measure(large, wholeDays)
  // The range ends now, so the earlier period ends in the middle of a day. The visits of that day until then are counted.
  const untilNow = `from=${formatDay(today() - (TRAFFIC_DAYS - 1) * DAY_MS)}&to=${formatDay(today())}`
  await measure(large, untilNow)
  const untilNowMs = await measure(large, untilNow)
  console.log(`  overview of ${TRAFFIC_DAYS} days: ${smallMs.toFixed(1)} → ${largeMs.toFixed(1)} ms`)
  console.log(
    `  overview of ${TRAFFIC_DAYS} days until now, compared with the earlier days until the same time: ${untilNowMs.toFixed(1)} ms`,
  )
  const growth = largeMs / smallMs
  const untilNowRatio = untilNowMs / largeMs
  return [
    reportPerformancePromise('ten times the events at most 1.3×', `${growth.toFixed(2)}×`, growth <= 1.3),
    reportPerformancePromise('under 150 ms', `${largeMs.toFixed(1)} ms`, largeMs < 150),
    reportPerformancePromise('until now at most 3× of whole days', `${untilNowRatio.toFixed(2)}×`, untilNowRatio <= 3),
  ]
}

async function measureFilters(
  server: BenchServer,
  owner: BenchCaller,
  other: BenchCaller,
  large: BenchWebsite,
  duckDb: DuckDb,
): Promise<boolean[]> {
  const range = findRange()
  const results: boolean[] = []
  const memoryBefore = await readMemoryMb(server.pid())
  let maxMemory = memoryBefore
  const prepare = () => forgetCounts(server)
  const toPath = ({ filters }: (typeof filterSets)[number]) =>
    `/api/v1/stats/${large.id}/overview?from=${range.from}&to=${range.to}&${filters
      .map(({ dimension, pattern }) => `filter=${dimension}:${encodeURIComponent(pattern)}`)
      .join('&')}`
  for (const filterSet of filterSets) {
    const path = toPath(filterSet)
    await timeRequests(server, owner, path, { count: 2, prepare })
    const { data } = (await get(server, owner, path)) as { data: StatisticsOverview }
    const belfryMs = median(await timeRequests(server, owner, path, { count: FILTERED_REQUEST_COUNT, prepare }))
    const againMs = median(await timeRequests(server, owner, path))
    maxMemory = Math.max(maxMemory, await readMemoryMb(server.pid()))
    const [plainMs, tunedMs] = [
      await timeDuckDb(duckDb, { ...range, ...filterSet, panels: comparedPanels, method: 'plain' }, data),
      await timeDuckDb(duckDb, { ...range, ...filterSet, panels: comparedPanels, method: 'tuned' }, data),
    ]
    const hitCount = data.totals.pageviews + data.totals.events
    console.log(
      `  ${filterSet.name}, ${hitCount.toLocaleString('en')} page views and custom events match: ${belfryMs.toFixed(0)} ms, again ${againMs.toFixed(0)} ms; DuckDB ${plainMs.toFixed(0)} ms, tuned ${tunedMs.toFixed(0)} ms`,
    )
    if (filterSet.filters[0]?.dimension !== 'device') continue
    const ratio = belfryMs / plainMs
    results.push(
      reportPerformancePromise(`${filterSet.name} at most 1.0× of DuckDB`, `${ratio.toFixed(2)}×`, ratio <= 1),
    )
  }
  const duckDbMb = await duckDb.readMemoryMb()
  console.log(`  memory: ${memoryBefore.toFixed(0)} → ${maxMemory.toFixed(0)} MB; DuckDB ${duckDbMb.toFixed(0)} MB`)
  const extraMb = maxMemory - memoryBefore
  results.push(
    reportPerformancePromise(
      `filters take less than ${MAX_EXTRA_MB} MB more`,
      `${extraMb.toFixed(0)} MB`,
      extraMb < MAX_EXTRA_MB,
    ),
    await measureOthers(server, owner, other, toPath(filterSets[0] as (typeof filterSets)[number])),
  )
  return results
}

async function timeDuckDb(duckDb: DuckDb, query: DuckDbQuery, { totals }: StatisticsOverview): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < FILTERED_REQUEST_COUNT; n++) {
    const { ms, overview } = await duckDb.query(query)
    const visitors = overview.days.reduce((sum, day) => sum + day.visitors, 0)
    if (visitors !== totals.visitors) throw new Error(`DuckDB counts ${visitors} visitors, Belfry ${totals.visitors}`)
    times.push(ms)
  }
  return median(times)
}

/** Another user's small requests must hardly notice a large one. */
async function measureOthers(server: BenchServer, owner: BenchCaller, other: BenchCaller, path: string) {
  const website = await createWebsite(server, other, 'other.example')
  const otherPath = `/api/v1/stats/${website}/overview?from=${findRange().from}&to=${findRange().to}&filter=device:desktop`
  const largeRequests = () => timeRequests(server, owner, path, { count: 10, prepare: () => forgetCounts(server) })
  await timeRequests(server, other, otherPath, { count: 200 })
  // In turns, because the machine may not be equally fast all the time.
  const timesAlone: number[] = []
  const timesBeside: number[] = []
  for (let round = 0; round < OTHERS_ROUNDS; round++) {
    timesAlone.push(...(await timeRequests(server, other, otherPath, { count: 500 })))
    timesBeside.push(...(await timeOthers(server, other, otherPath, largeRequests())))
  }
  const [alone, beside] = [percentile99(timesAlone), percentile99(timesBeside)]
  console.log(
    `  p99 of another user's small requests: ${alone.toFixed(1)} ms, during a large one ${beside.toFixed(1)} ms`,
  )
  const ratio = beside / alone
  return reportPerformancePromise("others' p99 at most 2×", `${ratio.toFixed(2)}×`, ratio <= 2)
}
