/** Creates a website with many events, stored as the server stores them. */
import { pino } from 'pino'
import { localDayAt } from '../../src/lib/local-day.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import { generateDemoEvents } from '../../src/traffic/demo/generate.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import type { TrafficEvent } from '../../src/traffic/model/event.ts'
import { ensureMonthPartitions } from '../../src/traffic/retention/partitions.ts'
import { Rollup } from '../../src/traffic/rollup/rollup.ts'
import { TrafficThreads } from '../../src/traffic/threads/traffic-threads.ts'
import type { BenchCaller, BenchServer } from './bench-server.ts'

/** The events are from this many days before today. */
export const TRAFFIC_DAYS = 30
/**
 * A batch is rolled up in one transaction. PostgreSQL cancels a statement that takes 30 s, and ends a transaction that waits 60 s
 * for its next statement (`backgroundLimits`). On a busy machine, a larger batch could exceed these limits.
 */
const BATCH_SIZE = 10_000
/** Events between two progress lines. */
const PROGRESS_INTERVAL_EVENTS = 200_000
const distinctValues = { pageCount: 5_000, sourceCount: 500, countryCount: 100 }
/** Average events per visitor, including page views and engagement. */
const EVENTS_PER_VISITOR = 5.5

export interface BenchWebsite {
  id: number
  eventCount: number
}

export async function createWebsite(server: BenchServer, owner: BenchCaller, domain: string): Promise<number> {
  const body = new URLSearchParams({ domain })
  const response = await fetch(`${server.baseUrl}/api/v1/websites`, { method: 'POST', headers: owner.headers, body })
  return ((await response.json()) as { data: { id: number } }).data.id
}

/** Stores events as the server does after receiving them: in the inbox, and from there in visits and daily totals. */
export async function fillWebsite({ db }: BenchServer, websiteId: number, targetCount: number): Promise<BenchWebsite> {
  const to = localDayAt('UTC', Date.now()).startsAt
  const from = to - TRAFFIC_DAYS * DAY_MS
  await ensureMonthPartitions(db, from, to)
  const rollup = new Rollup({
    db,
    log: pino({ level: 'silent' }),
    threads: new TrafficThreads(),
    sliceEvents: BATCH_SIZE,
  })
  const visitorsPerDay = targetCount / TRAFFIC_DAYS / EVENTS_PER_VISITOR
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
