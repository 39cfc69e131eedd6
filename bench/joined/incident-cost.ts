/**
 * Measures what a change of an incident costs: reading eight weeks of visits, counting those of the incident, predicting them, and
 * storing the impact. One website has 100,000 visits a day on two hosts, the other one has 100.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { measureIncident } from '../../src/impact/measure.ts'
import type { IncidentKey } from '../../src/impact/measure-store.ts'
import { addMs } from '../../src/lib/clock.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts'
import type { Database } from '../../src/storage/database.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { findProcessesIn } from '../../src/storage/embedded/processes.ts'
import { openDatabase, startDatabase, withOwnerConnection } from '../../src/storage/open-database.ts'
import { dimensionTable, slotColumns } from '../../src/traffic/model/dimensions.ts'
import { encodeVisitSlot, findFirstSlotAt, VISIT_SLOT_MS } from '../../src/traffic/model/visit-slots.ts'
import { packVisitSlots } from '../../src/traffic/packing/packed-counts.ts'
import { Rollup } from '../../src/traffic/rollup/rollup.ts'
import { TrafficThreads } from '../../src/traffic/threads/traffic-threads.ts'
import { createRandomSource, type RandomSource } from '../../tests/support/random-source.ts'
import { readCpuTimeMs } from '../support/processes.ts'
import { median, reportPerformancePromise } from '../support/report.ts'

interface IncidentCost {
  visitsPerDay: number
  /** Milliseconds per change of an incident. */
  medianMs: number
  nodeCpuMs: number
  postgresCpuMs: number
}

const MAX_CHANGE_MS = 5

export async function reportIncidentCost(seed: number): Promise<boolean[]> {
  console.log('Change of an incident: reading 8 weeks of visits, predicting, counting and storing')
  const costs = await measureIncidentCost({ seed })
  return costs.map(({ visitsPerDay, medianMs, nodeCpuMs, postgresCpuMs }) =>
    reportPerformancePromise(
      `at most ${MAX_CHANGE_MS} ms with ${visitsPerDay.toLocaleString('en')} visits a day`,
      `${medianMs.toFixed(1)} ms; CPU time ${nodeCpuMs.toFixed(1)} ms in Node, ${postgresCpuMs.toFixed(1)} ms in PostgreSQL`,
      medianMs <= MAX_CHANGE_MS,
    ),
  )
}

const HISTORY_DAYS = 58
const WARM_UP_CHANGES = 50
/** The ids of the hosts of successive visits. Host 1, which the monitor checks, has two thirds of the visits. */
const hostnameIds = [1, 2, 1] as const
/** The user has this many other monitors with incidents. */
const OTHER_MONITORS = 100

async function measureIncidentCost({ changes = 300, seed = 1 } = {}): Promise<IncidentCost[]> {
  const folder = await mkdtemp(join(tmpdir(), 'belfry-bench-'))
  const dataDir = join(folder, 'data')
  const log = pino({ level: 'silent' })
  const source = await startDatabase({ dataDir, databaseUrl: undefined }, log)
  // A server has this many connections by default.
  const limits = { timeoutMs: 60_000, requestConnections: 9, backgroundConnections: 6 }
  const { db } = await openDatabase(source, { log, limits, group: 'background', schema: 'update' })
  try {
    const now = new Date(Math.floor(Date.now() / VISIT_SLOT_MS) * VISIT_SLOT_MS)
    const deps = { db, clock: { now: () => now }, rollup: new Rollup({ db, log, threads: new TrafficThreads() }) }
    const costs: IncidentCost[] = []
    for (const visitsPerDay of [100_000, 100]) {
      const key = await fillSite(db, { now, visitsPerDay, random: createRandomSource(seed) })
      await withOwnerConnection(source.connection, async (client) => void (await client.query('vacuum (analyze)')))
      for (let n = 0; n < WARM_UP_CHANGES; n++) await measureIncident(deps, key)
      const pids = await findProcessesIn(layoutOf(dataDir).cluster)
      const before = { postgres: await readCpuTimeMs(pids), cpu: process.cpuUsage() }
      const durations: number[] = []
      for (let n = 0; n < changes; n++) {
        const startedAt = performance.now()
        await measureIncident(deps, key)
        durations.push(performance.now() - startedAt)
      }
      const { user, system } = process.cpuUsage(before.cpu)
      costs.push({
        visitsPerDay,
        medianMs: median(durations),
        nodeCpuMs: (user + system) / 1_000 / changes,
        postgresCpuMs: ((await readCpuTimeMs(pids)) - before.postgres) / changes,
      })
    }
    return costs
  } finally {
    await db.close()
    await source.release()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Fill {
  now: Date
  visitsPerDay: number
  random: RandomSource
}

/** Returns an incident that lasted for 20 minutes. */
async function fillSite(db: Database, fill: Fill): Promise<IncidentKey> {
  const { now, visitsPerDay } = fill
  const domain = `visits-${visitsPerDay}.example`
  const [site] = await db.query<{ userId: number; websiteId: number }>(
    `with owner as (
       insert into users (email, password_hash, created_at) values ($1, '', $3) returning id
     )
     insert into websites (user_id, domain, privacy, email, exclude_bots, favorite, time_zone, created_at, updated_at)
     select id, $2, 1, 0, 1, false, 'Europe/Berlin', $3, $3 from owner
     returning user_id as "userId", id as "websiteId"`,
    [`${domain}@example.com`, domain, now],
  )
  const { userId, websiteId } = site as { userId: number; websiteId: number }
  await db.query(
    `insert into traffic_values (website_id, id, kind, value) values ($1, 1, $2, $3), ($1, 2, $2, 'shop.' || $3)`,
    [websiteId, dimensionTable.hostname.kind, domain],
  )
  await fillDays(db, websiteId, fill)
  // As in the server, visits are stored in the order in which they begin. So the visits during an incident are next to
  // each other.
  await db.query(
    `insert into visits (website_id, day, visitor, id, started_at, last_at, views, actions, hours, hostname)
     select $1, (v.at at time zone 'UTC')::date, n, nextval('visit_ids'), v.at, v.at, 1, 0, 1, ($4::int[])[1 + n % 3]
       from (select n, $2::timestamptz - random() * interval '1 day' as at from generate_series(1, $3::int) n order by at) v`,
    [websiteId, now, visitsPerDay, hostnameIds],
  )
  const [monitor] = await db.query<{ id: number }>(
    `insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
                           remind_every_minutes, status, status_changed_at, search_text, created_at, updated_at)
     select $1, 'Monitor ' || n, host, 'ping', 60, 2, 5, 0, 'up', $3, host, $3, $3
       from (select n, case n when 0 then $2 else 'host-' || n || '.example' end as host
               from generate_series(0, $4::int) n) m
     returning id`,
    [userId, domain, now, OTHER_MONITORS],
  )
  await db.query(
    `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, resolved_at, resolution)
     select $1, id, 'timeout', '', t, t, t + interval '5 minutes', 'recovered'
       from monitors, generate_series($2::timestamptz - interval '50 days', $2::timestamptz - interval '1 day', interval '5 days') t
      where user_id = $1`,
    [userId, now],
  )
  const startedAt = addMs(now, -2 * HOUR_MS - 70_000)
  const [incident] = await db.query<{ id: number }>(
    `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, resolved_at, resolution)
     values ($1, $2, 'timeout', '', $3, $3, $4, 'recovered') returning id`,
    [userId, monitor?.id, startedAt, addMs(startedAt, 20 * MINUTE_MS)],
  )
  return { userId, monitorId: monitor?.id as number, incidentId: incident?.id as number }
}

/** Today and yesterday are not packed yet. */
async function fillDays(db: Database, websiteId: number, { now, visitsPerDay, random }: Fill): Promise<void> {
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  for (let dayAt = midnight - HISTORY_DAYS * DAY_MS; dayAt <= midnight; dayAt += DAY_MS) {
    const day = new Date(dayAt).toISOString().slice(0, 10)
    const counts = new Map<number, number>()
    for (let at = dayAt; at < Math.min(dayAt + DAY_MS, now.getTime()); at += VISIT_SLOT_MS) {
      const rate = (visitsPerDay / 288) * (1 - 0.8 * Math.cos(((at % DAY_MS) / DAY_MS) * 2 * Math.PI))
      for (const [id, share] of [
        [1, 2 / 3],
        [2, 1 / 3],
      ] as const) {
        const count = random.poisson(rate * share)
        if (count > 0) counts.set(encodeVisitSlot(id, at, findFirstSlotAt(day)), count)
      }
    }
    const visits = counts.values().reduce((sum, count) => sum + count, 0)
    const isPacked = dayAt < midnight - DAY_MS
    await db.query(
      `insert into traffic_days (website_id, day, visitors, views, visits, bounces, duration_ms, events, is_packed, visit_slots)
       values ($1, $2, $3, $3, $3, 0, 0, 0, $4, $5)`,
      [websiteId, day, visits, isPacked, isPacked ? packVisitSlots(counts) : null],
    )
    if (isPacked) continue
    await db.query(
      `insert into traffic_counts (website_id, dimension, day, value, count)
       select $1, $2, $3, value, count from unnest($4::int[], $5::int[]) as c (value, count)`,
      [websiteId, slotColumns.visit_slots, day, [...counts.keys()], [...counts.values()]],
    )
  }
}
