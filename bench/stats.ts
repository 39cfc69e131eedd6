/**
 * Measures how long an overview of 30 days takes with one million and with ten million events, and how long a filtered
 * overview takes if a million events match.
 */

import { localDayAt } from '../src/lib/local-day.ts'
import { DAY_MS } from '../src/shared/time.ts'
import type { StatisticsOverview } from '../src/traffic/stats/schema.ts'
import { type BenchCaller, type BenchServer, startBenchServer } from './support/bench-server.ts'
import { type BenchWebsite, createWebsite, fillWebsite, TRAFFIC_DAYS } from './support/fill-traffic.ts'
import { packAllDays } from './support/pack-all-days.ts'
import { median, reportPerformancePromise } from './support/report.ts'

const REQUEST_COUNT = 15
/**
 * The filtered overview covers this many of the 30 days. In these days the large website has a million page views and custom
 * events, and about as many engagement events.
 */
const FILTERED_DAYS = 9
const [MILLION, TEN_MILLION] = [1_000_000, 10_000_000]

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
    const largeWebsite = await fillWebsite(server, await createWebsite(server, owner, 'large.example'), TEN_MILLION)
    await packAllDays(server.db)
    await server.vacuum('events', 'visits', 'traffic_days', 'traffic_weeks', 'traffic_counts', 'traffic_values')
    const sizesWithLarge = await readTableSizes(server)
    const smallWebsite = await fillWebsite(server, await createWebsite(server, owner, 'small.example'), MILLION)
    await packAllDays(server.db)
    await server.vacuum('events', 'visits', 'traffic_days', 'traffic_weeks', 'traffic_counts', 'traffic_values')

    const today = localDayAt('UTC', Date.now()).startsAt
    const formatDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)
    const range = `from=${formatDay(today - TRAFFIC_DAYS * DAY_MS)}&to=${formatDay(today - DAY_MS)}&compare=previous`
    const formatOverviewPath = ({ id }: BenchWebsite, extraQuery = '') =>
      `/api/v1/stats/${id}/overview?${range}${extraQuery}`
    for (const site of [smallWebsite, largeWebsite]) await measureRequest(server, owner, formatOverviewPath(site))
    const [smallMs, largeMs] = [
      await measureRequest(server, owner, formatOverviewPath(smallWebsite)),
      await measureRequest(server, owner, formatOverviewPath(largeWebsite)),
    ]
    // The range ends now, so the previous period ends in the middle of a day. Belfry has to count the visits of that
    // day until then.
    const untilNow = `from=${formatDay(today - (TRAFFIC_DAYS - 1) * DAY_MS)}&to=${formatDay(today)}&compare=previous`
    const untilNowMs = await measureRequest(server, owner, `/api/v1/stats/${largeWebsite.id}/overview?${untilNow}`)
    const filteredPath = `/api/v1/stats/${largeWebsite.id}/overview?from=${formatDay(today - FILTERED_DAYS * DAY_MS)}&to=${formatDay(today - DAY_MS)}&filter=page:/*`
    const matchingEventCount = await countMatchingEvents(server, owner, filteredPath)
    const filteredMs = await measureRequest(server, owner, filteredPath)
    const sizesPerMillion = Object.entries(sizesWithLarge).map(([name, bytes]) => {
      const mb = (bytes - (sizesWithoutLarge[name] ?? 0)) / (largeWebsite.eventCount / MILLION) / 1e6
      return `${name} ${mb.toFixed(1)} MB`
    })
    console.log(`  overview of ${TRAFFIC_DAYS} days: ${smallMs.toFixed(1)} → ${largeMs.toFixed(1)} ms`)
    console.log(
      `  overview of ${TRAFFIC_DAYS} days until now, compared with the previous period until the same time: ${untilNowMs.toFixed(1)} ms`,
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
