/**
 * Measures what a change of an incident costs: reading eight weeks of visits, counting those of the incident, predicting them, and
 * storing the impact. One website has 100,000 visits a day on two hosts, the other one has 100.
 *
 * The baseline sends the same statements the usual way: with a plain `pg` client, in a transaction in which each statement waits for the
 * one before it. It reads the same rows and commits the same change, but predicts nothing.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientBase } from 'pg'
import { pino } from 'pino'
import { measureIncident } from '../../src/impact/measure.ts'
import type { IncidentKey } from '../../src/impact/measure-store.ts'
import { addMs } from '../../src/lib/clock.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts'
import type { Statement } from '../../src/storage/batch.ts'
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
import { recordStatements } from '../support/record-statements.ts'
import { median, reportPerformancePromise } from '../support/report.ts'

/** Medians of one round, in milliseconds per change. */
interface Round {
  usualMs: number
  belfryMs: number
  nodeCpuMs: number
  postgresCpuMs: number
}

/** Belfry also predicts, but waits for fewer round trips. */
const MAX_RATIO = 1.2

export async function reportIncidentCost(seed: number): Promise<boolean[]> {
  console.log('Change of an incident: reading 8 weeks of visits, predicting, counting and storing')
  const folder = await mkdtemp(join(tmpdir(), 'belfry-bench-'))
  const dataDir = join(folder, 'data')
  const log = pino({ level: 'silent' })
  const source = await startDatabase({ dataDir, databaseUrl: undefined }, log)
  // A server has this many connections by default.
  const limits = { timeoutMs: 60_000, requestConnections: 9, backgroundConnections: 6 }
  const { db } = await openDatabase(source, { log, limits, group: 'background', schema: 'update' })
  try {
    return await withOwnerConnection(source.connection, async (client) => {
      const promises: boolean[] = []
      for (const visitsPerDay of [100_000, 100])
        promises.push(await compareChanges({ dataDir, db, client }, { visitsPerDay, seed }))
      return promises
    })
  } finally {
    await db.close()
    await source.release()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Connections {
  dataDir: string
  db: Database
  /** A plain `pg` client. */
  client: ClientBase
}

async function compareChanges(
  { dataDir, db, client }: Connections,
  { visitsPerDay, seed }: { visitsPerDay: number; seed: number },
): Promise<boolean> {
  const now = new Date(Math.floor(Date.now() / VISIT_SLOT_MS) * VISIT_SLOT_MS)
  const rollup = new Rollup({ db, log: pino({ level: 'silent' }), threads: new TrafficThreads() })
  const key = await fillSite(db, { now, visitsPerDay, random: createRandomSource(seed) })
  await client.query('vacuum (analyze)')
  const change = () => measureIncident({ db, clock: { now: () => now }, rollup }, key)
  const statements = await recordStatements(db, change)
  const changeUsually = () => sendTheUsualWay(client, statements)
  const visitsText = `${visitsPerDay.toLocaleString('en')} visits a day`
  console.log(`  ${visitsText}, ${statements.length} statements, ${ROUNDS} rounds of ${CHANGES_PER_ROUND} changes`)
  const rounds: Round[] = []
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const usualMs = await measureMedianMs(changeUsually)
    const pids = await findProcessesIn(layoutOf(dataDir).cluster)
    const before = { postgres: await readCpuTimeMs(pids), cpu: process.cpuUsage() }
    const belfryMs = await measureMedianMs(change)
    const { user, system } = process.cpuUsage(before.cpu)
    const result = {
      usualMs,
      belfryMs,
      nodeCpuMs: (user + system) / 1_000 / CHANGES_PER_ROUND,
      postgresCpuMs: ((await readCpuTimeMs(pids)) - before.postgres) / CHANGES_PER_ROUND,
    }
    if (round < 0) continue
    rounds.push(result)
    printRound(result)
  }
  const ratio = median(rounds.map(({ usualMs, belfryMs }) => belfryMs / usualMs))
  return reportPerformancePromise(
    `at most ${MAX_RATIO}× as long as the same statements sent the usual way, with ${visitsText}`,
    `${ratio.toFixed(2)}×`,
    ratio <= MAX_RATIO,
  )
}

function printRound({ usualMs, belfryMs, nodeCpuMs, postgresCpuMs }: Round): void {
  const cpuText = `CPU time ${nodeCpuMs.toFixed(1)} ms in Node, ${postgresCpuMs.toFixed(1)} ms in PostgreSQL`
  console.log(`  the usual way ${usualMs.toFixed(1)} ms   belfry ${belfryMs.toFixed(1)} ms; ${cpuText}`)
}

async function measureMedianMs(work: () => Promise<unknown>): Promise<number> {
  const durations: number[] = []
  for (let n = 0; n < CHANGES_PER_ROUND; n++) {
    const startedAt = performance.now()
    await work()
    durations.push(performance.now() - startedAt)
  }
  return median(durations)
}

async function sendTheUsualWay(client: ClientBase, statements: readonly Statement[]): Promise<void> {
  await client.query('begin')
  await client.query(`select set_config('belfry.across_users', 'on', true)`)
  for (const { text, values } of statements) await client.query(text, [...(values ?? [])])
  await client.query('commit')
}

const HISTORY_DAYS = 58
const ROUNDS = 5
const WARM_UP_ROUNDS = 1
const CHANGES_PER_ROUND = 60
/** The ids of the hosts of successive visits. Host 1, which the monitor checks, has two thirds of the visits. */
const hostnameIds = [1, 2, 1] as const
/** The user has this many other monitors with incidents. */
const OTHER_MONITORS = 100

interface Fill {
  now: Date
  visitsPerDay: number
  random: RandomSource
}

/** Returns an incident that lasted for 20 minutes. */
async function fillSite(db: Database, fill: Fill): Promise<IncidentKey> {
  const { now, visitsPerDay } = fill
  const domain = `visits-${visitsPerDay}.example`
  const [site] = await db.query<{ teamId: number; websiteId: number }>(
    `with owner as (
       insert into users (email, password_hash, created_at) values ($1, '', $3) returning id
     )
     insert into websites (user_id, domain, privacy, email, exclude_bots, favorite, time_zone, created_at, updated_at)
     select id, $2, 1, 0, 1, false, 'Europe/Berlin', $3, $3 from owner
     returning user_id as "teamId", id as "websiteId"`,
    [`${domain}@example.com`, domain, now],
  )
  const { teamId, websiteId } = site as { teamId: number; websiteId: number }
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
    [teamId, domain, now, OTHER_MONITORS],
  )
  await db.query(
    `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, resolved_at, resolution)
     select $1, id, 'timeout', '', t, t, t + interval '5 minutes', 'recovered'
       from monitors, generate_series($2::timestamptz - interval '50 days', $2::timestamptz - interval '1 day', interval '5 days') t
      where user_id = $1`,
    [teamId, now],
  )
  const startedAt = addMs(now, -2 * HOUR_MS - 70_000)
  const [incident] = await db.query<{ id: number }>(
    `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, resolved_at, resolution)
     values ($1, $2, 'timeout', '', $3, $3, $4, 'recovered') returning id`,
    [teamId, monitor?.id, startedAt, addMs(startedAt, 20 * MINUTE_MS)],
  )
  return { teamId, monitorId: monitor?.id as number, incidentId: incident?.id as number }
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
