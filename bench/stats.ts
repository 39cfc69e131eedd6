/**
 * Measures how long an overview of 30 days takes with one million and with ten million events, and how long a filtered
 * overview takes if a million events match.
 */

import { pino } from 'pino'
import { systemClock } from '../src/lib/clock.ts'
import { localDayAt } from '../src/lib/local-day.ts'
import { DAY_MS } from '../src/shared/time.ts'
import { generateDemoEvents } from '../src/traffic/demo/generate.ts'
import { insertBatch } from '../src/traffic/inbox/store.ts'
import type { TrafficEvent } from '../src/traffic/model/event.ts'
import { packDays } from '../src/traffic/packing/pack-days.ts'
import { ensureMonthPartitions } from '../src/traffic/retention/partitions.ts'
import { Rollup } from '../src/traffic/rollup/rollup.ts'
import type { StatisticsOverview } from '../src/traffic/stats/schema.ts'
import { type BenchCaller, type BenchServer, startBenchServer } from './support/bench-server.ts'
import { median, reportPerformancePromise } from './support/report.ts'

const DAYS = 30
const BATCH_SIZE = 20_000
/** Events between two progress lines. */
const PROGRESS_INTERVAL_EVENTS = 200_000
const REQUEST_COUNT = 15
/**
 * The filtered overview covers this many of the 30 days. In these days the large website has a million page views and custom
 * events, and about as many engagement events.
 */
const FILTERED_DAYS = 9
const distinctValues = { pageCount: 5_000, sourceCount: 500, countryCount: 100 }
/** Average events per visitor, including page views and engagement. */
const EVENTS_PER_VISITOR = 5.5

const [MILLION, TEN_MILLION] = [1_000_000, 10_000_000]

interface Website {
  id: number
  eventCount: number
}

async function createWebsite(server: BenchServer, owner: BenchCaller, domain: string): Promise<number> {
  const body = new URLSearchParams({ domain })
  const response = await fetch(`${server.baseUrl}/api/v1/websites`, { method: 'POST', headers: owner.headers, body })
  return ((await response.json()) as { data: { id: number } }).data.id
}

/** Stores events as the server does after receiving them: in the inbox, and from there in visits and daily totals. */
async function fillWebsite({ db }: BenchServer, websiteId: number, targetCount: number): Promise<Website> {
  const to = localDayAt('UTC', Date.now()).startsAt
  const from = to - DAYS * DAY_MS
  await ensureMonthPartitions(db, from, to)
  const rollup = new Rollup({ db, log: pino({ level: 'silent' }), sliceEvents: BATCH_SIZE })
  const visitorsPerDay = targetCount / DAYS / EVENTS_PER_VISITOR
  const startedAt = performance.now()
  let eventCount = 0
  let batch: TrafficEvent[] = []
  const flush = async () => {
    await insertBatch(db, batch)
    eventCount += batch.length
    batch = []
    await rollup.rollUpAll()
    if (eventCount % PROGRESS_INTERVAL_EVENTS >= BATCH_SIZE && eventCount < targetCount) return
    const perSecond = (eventCount / (performance.now() - startedAt)) * 1000
    process.stderr.write(
      `\r  ${eventCount.toLocaleString('en')} of about ${targetCount.toLocaleString('en')} events, ${perSecond.toFixed(0)}/s `,
    )
  }
  for (const event of generateDemoEvents({
    websiteId,
    timeZone: 'UTC',
    from,
    to,
    visitorsPerDay,
    seed: 1,
    ...distinctValues,
  })) {
    if (eventCount + batch.length >= targetCount) break
    batch.push(event)
    if (batch.length === BATCH_SIZE) await flush()
  }
  await flush()
  process.stderr.write('\n')
  return { id: websiteId, eventCount }
}

async function measureRequest(server: BenchServer, owner: BenchCaller, path: string): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < REQUEST_COUNT; n++) {
    const startedAt = performance.now()
    const response = await fetch(`${server.baseUrl}${path}`, { headers: owner.headers })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    times.push(performance.now() - startedAt)
  }
  return median(times)
}

/** Counts page views and custom events. */
async function countMatchingEvents(server: BenchServer, owner: BenchCaller, path: string): Promise<number> {
  const response = await fetch(`${server.baseUrl}${path}`, { headers: owner.headers })
  const { data } = (await response.json()) as { data: StatisticsOverview }
  return data.totals.pageviews + data.totals.events
}

async function readTableSizes({ db }: BenchServer): Promise<Record<string, number>> {
  const rows = await db.query<{ name: string; bytes: number }>(
    `select split_part(relname, '_2', 1) as name, sum(pg_total_relation_size(oid))::bigint as bytes from pg_class
      where relnamespace = 'belfry'::regnamespace and relkind = 'r'
        and relname ~ '^(events|visits|traffic)' group by 1`,
  )
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]))
}

export async function bench(): Promise<boolean> {
  const server = await startBenchServer()
  try {
    const owner = await server.createUser('ada', 'websites:read', 'websites:write')
    const sizesWithoutLarge = await readTableSizes(server)
    const large = await fillWebsite(server, await createWebsite(server, owner, 'large.example'), TEN_MILLION)
    await packDays({ db: server.db, clock: systemClock })
    await server.vacuum('events', 'visits', 'traffic_days', 'traffic_weeks', 'traffic_counts', 'traffic_values')
    const sizesWithLarge = await readTableSizes(server)
    const small = await fillWebsite(server, await createWebsite(server, owner, 'small.example'), MILLION)
    await packDays({ db: server.db, clock: systemClock })
    await server.vacuum('events', 'visits', 'traffic_days', 'traffic_weeks', 'traffic_counts', 'traffic_values')

    const today = localDayAt('UTC', Date.now()).startsAt
    const formatDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)
    const range = `from=${formatDay(today - DAYS * DAY_MS)}&to=${formatDay(today - DAY_MS)}&compare=previous`
    const formatOverviewPath = ({ id }: Website, more = '') => `/api/v1/stats/${id}/overview?${range}${more}`
    for (const site of [small, large]) await measureRequest(server, owner, formatOverviewPath(site))
    const [smallMs, largeMs] = [
      await measureRequest(server, owner, formatOverviewPath(small)),
      await measureRequest(server, owner, formatOverviewPath(large)),
    ]
    // The range ends now, so the earlier period ends within a day, and Belfry counts the visits of that day.
    const untilNow = `from=${formatDay(today - (DAYS - 1) * DAY_MS)}&to=${formatDay(today)}&compare=previous`
    const untilNowMs = await measureRequest(server, owner, `/api/v1/stats/${large.id}/overview?${untilNow}`)
    const filteredPath = `/api/v1/stats/${large.id}/overview?from=${formatDay(today - FILTERED_DAYS * DAY_MS)}&to=${formatDay(today - DAY_MS)}&filter=page:/*`
    const matchingEventCount = await countMatchingEvents(server, owner, filteredPath)
    const filteredMs = await measureRequest(server, owner, filteredPath)
    const sizesPerMillion = Object.entries(sizesWithLarge).map(([name, bytes]) => {
      const mb = (bytes - (sizesWithoutLarge[name] ?? 0)) / (large.eventCount / MILLION) / 1e6
      return `${name} ${mb.toFixed(1)} MB`
    })
    console.log(`  overview of ${DAYS} days: ${smallMs.toFixed(1)} → ${largeMs.toFixed(1)} ms`)
    console.log(
      `  overview of ${DAYS} days until now, compared with the same part of the earlier ones: ${untilNowMs.toFixed(1)} ms`,
    )
    console.log(`  a million events take: ${sizesPerMillion.join(', ')}`)
    const ratio = largeMs / smallMs
    return [
      reportPerformancePromise('ten times the events at most 1.3×', `${ratio.toFixed(2)}×`, ratio <= 1.3),
      reportPerformancePromise('under 150 ms', `${largeMs.toFixed(1)} ms`, largeMs < 150),
      reportPerformancePromise(
        'filtered over a million matching events under 2 s',
        `${matchingEventCount.toLocaleString('en')} in ${(filteredMs / 1000).toFixed(2)} s`,
        matchingEventCount >= MILLION && filteredMs < 2_000,
      ),
    ].every(Boolean)
  } finally {
    await server.stop()
  }
}
