/**
 * Measures the cost of traffic alerts for many websites: CPU time of Node and of PostgreSQL per website and minute. The
 * database has eight weeks of visits of each website. The clock of the watcher advances minute by minute, without
 * waiting.
 *
 * The baseline is the reading that every program does which watches websites: once a minute, it reads all websites with
 * their monitors, and counts the visits of the last five minutes, with a plain `pg` client and one statement for each.
 * It decides nothing, and computes no fits.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientBase } from 'pg'
import { pino } from 'pino'
import { recordReceiving } from '../../src/heartbeats/outage-store.ts'
import { TrafficWatcher } from '../../src/impact/watch/traffic-watcher.ts'
import { addMs } from '../../src/lib/clock.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { findProcessesIn } from '../../src/storage/embedded/processes.ts'
import { openDatabase, startDatabase, withOwnerConnection } from '../../src/storage/open-database.ts'
import type { Queries } from '../../src/storage/transaction.ts'
import { encodeVisitSlot, findFirstSlotAt, VISIT_SLOT_MS } from '../../src/traffic/model/visit-slots.ts'
import { packVisitSlots } from '../../src/traffic/packing/packed-counts.ts'
import { createRandomSource, type RandomSource } from '../../tests/support/random-source.ts'
import { readCpuTimeMs } from '../support/processes.ts'
import { median, reportPerformancePromise } from '../support/report.ts'

/** Microseconds per website and minute. */
interface Cost {
  nodeCpuUs: number
  postgresCpuUs: number
  elapsedUs: number
}

interface Round {
  reading: Cost
  belfry: Cost
}

interface WatchCosts {
  rounds: Round[]
  /** Duration of the first run of a node, which reads the last visits of all websites. */
  startMs: number
  /** Duration of one fit, computed from eight weeks of visits. */
  fitMs: number
}

const MAX_CPU_RATIO = 3
const WEBSITES = 10_000
const ROUNDS = 3
/** In each round, the watcher counts one slot of visits, which ends every five minutes. */
const MINUTES_PER_ROUND = 5
const HISTORY_DAYS = 58
const VISITS_PER_DAY = 100
/** Only the visits of these last hours are stored as rows. For earlier visits, the counts are enough. */
const ROWS_HOURS = 6
const WEBSITES_PER_USER = 10
const FIRST_FITS = 200
/** If a run takes longer, it may not have read the visits of all websites yet, and another run follows. */
const MAX_KNOWN_RUN_MS = 15_000
/** Rows per statement. PostgreSQL cancels a statement that takes too long. */
const FILL_SIZE = 500

async function measureWatchCosts(seed = 1): Promise<WatchCosts> {
  const folder = await mkdtemp(join(tmpdir(), 'belfry-bench-'))
  const dataDir = join(folder, 'data')
  const log = pino({ level: 'silent' })
  const source = await startDatabase({ dataDir, databaseUrl: undefined }, log)
  const limits = { timeoutMs: 30_000, requestConnections: 2, backgroundConnections: 2 }
  const { db } = await openDatabase(source, { log, limits, group: 'background', schema: 'update' })
  try {
    const random = createRandomSource(seed)
    let now = new Date(Math.floor(Date.now() / (5 * MINUTE_MS)) * 5 * MINUTE_MS)
    const clock = { now: () => now }
    const fill = { now, random }
    await fillWebsites(db, now)
    await fillDays(db, fill)
    await fillVisits(db, addMs(now, -ROWS_HOURS * HOUR_MS), ROWS_HOURS * HOUR_MS)
    await withOwnerConnection(source.connection, async (client) => void (await client.query('vacuum (analyze)')))
    const startWatcher = () => new TrafficWatcher({ db, clock, isWatcher: () => true, onAlerts() {} })

    const fitStart = performance.now()
    await recordReceiving(db)
    await startWatcher().run()
    const fitMs = (performance.now() - fitStart) / FIRST_FITS
    await copyFits(db, now)

    const watcher = startWatcher()
    const firstStart = performance.now()
    await recordReceiving(db)
    // A run takes at most 20 s to read what the node doesn't remember. The next run continues.
    for (let runStart = firstStart, isDone = false; !isDone; runStart = performance.now()) {
      await watcher.run()
      isDone = performance.now() - runStart < MAX_KNOWN_RUN_MS
    }
    const startMs = performance.now() - firstStart

    const measureRound = async (client: ClientBase): Promise<Round> => {
      const round: Round = { reading: { ...noCost }, belfry: { ...noCost } }
      for (let minute = 0; minute < MINUTES_PER_ROUND; minute++) {
        await fillVisits(db, now, MINUTE_MS)
        now = addMs(now, MINUTE_MS)
        await recordReceiving(db)
        await addCost(round.reading, dataDir, () => readPlainly(client, now))
        await addCost(round.belfry, dataDir, () => watcher.run())
      }
      return round
    }
    const rounds: Round[] = []
    await withOwnerConnection(source.connection, async (client) => {
      while (rounds.length < ROUNDS) rounds.push(await measureRound(client))
    })
    return { rounds, startMs, fitMs }
  } finally {
    await db.close()
    await source.release()
    await rm(folder, { recursive: true, force: true })
  }
}

const noCost: Readonly<Cost> = { nodeCpuUs: 0, postgresCpuUs: 0, elapsedUs: 0 }

/** Adds the cost of a minute of a round. */
async function addCost(cost: Cost, dataDir: string, work: () => Promise<unknown>): Promise<void> {
  const pids = await findProcessesIn(layoutOf(dataDir).cluster)
  const before = { postgres: await readCpuTimeMs(pids), cpu: process.cpuUsage(), at: performance.now() }
  await work()
  const elapsedUs = (performance.now() - before.at) * 1_000
  const { user, system } = process.cpuUsage(before.cpu)
  const postgresCpuUs = ((await readCpuTimeMs(pids)) - before.postgres) * 1_000
  cost.nodeCpuUs += (user + system) / WEBSITES / MINUTES_PER_ROUND
  cost.postgresCpuUs += postgresCpuUs / WEBSITES / MINUTES_PER_ROUND
  cost.elapsedUs += elapsedUs / WEBSITES / MINUTES_PER_ROUND
}

async function readPlainly(client: ClientBase, now: Date): Promise<void> {
  await client.query('begin')
  await client.query(`select set_config('belfry.across_users', 'on', true)`)
  await client.query(
    `select w.id, w.user_id, w.domain, w.time_zone, m.id as monitor_id, m.friendly_name, m.url, m.status, t.fitted_at
       from websites w
       join monitors m on m.user_id = w.user_id and m.website_id = w.id
       join traffic_watches t on t.user_id = w.user_id and t.website_id = w.id
      where w.watch_traffic`,
  )
  await client.query(
    `select website_id, count(*) as visits, max(started_at) as last_visit_at
       from visits
      where started_at > $1 and started_at <= $2 and day >= $3
      group by website_id`,
    [addMs(now, -5 * MINUTE_MS), now, addMs(now, -DAY_MS).toISOString().slice(0, 10)],
  )
  await client.query('commit')
}

export async function reportWatchCost(): Promise<boolean[]> {
  const minutes = ROUNDS * MINUTES_PER_ROUND
  console.log(`Traffic alerts: ${WEBSITES} websites with ${VISITS_PER_DAY} visits a day, ${minutes} simulated minutes`)
  const { rounds, startMs, fitMs } = await measureWatchCosts()
  console.log('  CPU time per website and minute:')
  for (const { reading, belfry } of rounds)
    console.log(`  plain reading ${formatCost(reading)}   belfry ${formatCost(belfry)}`)
  console.log(
    `  A daily fit takes ${fitMs.toFixed(1)} ms. The first run of a node takes ${(startMs / 1_000).toFixed(1)} s.`,
  )
  const ratio = median(rounds.map(({ reading, belfry }) => sumCpuUs(belfry) / sumCpuUs(reading)))
  return [
    reportPerformancePromise(
      `traffic alerts take at most ${MAX_CPU_RATIO}× the CPU time of plainly reading websites and visits`,
      `${ratio.toFixed(2)}×`,
      ratio <= MAX_CPU_RATIO,
    ),
  ]
}

const sumCpuUs = ({ nodeCpuUs, postgresCpuUs }: Cost) => nodeCpuUs + postgresCpuUs

function formatCost(cost: Cost): string {
  const { nodeCpuUs, postgresCpuUs, elapsedUs } = cost
  return `${sumCpuUs(cost).toFixed(1)} µs (Node ${nodeCpuUs.toFixed(1)}, PostgreSQL ${postgresCpuUs.toFixed(1)}, elapsed ${elapsedUs.toFixed(1)})`
}

interface Fill {
  now: Date
  random: RandomSource
}

/** Only the first websites are due for a fit. `copyFits` copies their fits to the others. */
async function fillWebsites(q: Queries, now: Date): Promise<void> {
  await q.query(
    `insert into users (email, password_hash, created_at)
     select 'user-' || n || '@example.com', '', $2 from generate_series(1, $1::int) n`,
    [WEBSITES / WEBSITES_PER_USER, now],
  )
  for (let first = 1; first <= WEBSITES; first += FILL_SIZE) {
    await q.query(
      `with inserted as (
         insert into websites (user_id, domain, privacy, email, exclude_bots, favorite, time_zone, created_at, updated_at, watch_traffic)
         select 1 + (n - 1) / $3::int, 'site-' || n || '.example', 1, 0, 1, false,
                (array['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'])[1 + n % 4], $2, $2, true
           from generate_series($4::int, $1::int) n
         returning user_id, id, domain
       ), watched as (
         insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
                               remind_every_minutes, status, status_changed_at, search_text, created_at, updated_at, website_id)
         select user_id, domain, 'https://' || domain || '/', 'traffic', 60, 0, 5, 0, 'up', $2, domain, $2, $2, id
           from inserted
         returning user_id, id
       )
       insert into monitor_states (user_id, monitor_id, due_at)
       select user_id, id, $2::timestamptz + interval '1 day' from watched`,
      [first + FILL_SIZE - 1, now, WEBSITES_PER_USER, first],
    )
  }
  await q.query(
    `insert into traffic_watches (user_id, website_id, fitted_at)
     select user_id, id, $1 from websites where id > $2`,
    [now, FIRST_FITS],
  )
}

/** Stores the daily counts of all websites. There are ten kinds of websites, each with its own counts. */
async function fillDays(q: Queries, { now, random }: Fill): Promise<void> {
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  for (let kind = 0; kind < 10; kind++) {
    for (let day = midnight - HISTORY_DAYS * DAY_MS; day <= midnight; day += DAY_MS) {
      const date = new Date(day).toISOString().slice(0, 10)
      const counts = new Map<number, number>()
      let visits = 0
      for (let at = day; at < Math.min(day + DAY_MS, now.getTime()); at += VISIT_SLOT_MS) {
        const rate = (VISITS_PER_DAY / 288) * (1 - 0.8 * Math.cos(((at % DAY_MS) / DAY_MS) * 2 * Math.PI))
        const count = random.poisson(rate)
        if (count === 0) continue
        counts.set(encodeVisitSlot(0, at, findFirstSlotAt(date)), count)
        visits += count
      }
      await q.query(
        `insert into traffic_days (website_id, day, visitors, views, visits, bounces, duration_ms, events, is_packed, visit_slots)
         select id, $2, $3, $3, $3, 0, 0, 0, true, $4 from websites where id % 10 = $1`,
        [kind, date, visits, packVisitSlots(counts)],
      )
    }
  }
}

/** Stores visits that begin at random times, at random websites. */
async function fillVisits(q: Queries, from: Date, lengthMs: number): Promise<void> {
  await q.query(
    `insert into visits (website_id, day, visitor, id, started_at, last_at, views, actions, hours)
     select 1 + floor(random() * $3)::int, (v.at at time zone 'UTC')::date, nextval('visit_ids'), currval('visit_ids'), v.at, v.at, 1, 0, 1
       from (select $1::timestamptz + random() * $2::float8 * interval '1 millisecond' as at
               from generate_series(1, $4::int)) v`,
    [from, lengthMs, WEBSITES, Math.round((WEBSITES * VISITS_PER_DAY * lengthMs) / DAY_MS)],
  )
}

/** Copies the first fits to all websites. Their `fitted_at` times are spread over the last day, so that few are due at a time. */
async function copyFits(q: Queries, now: Date): Promise<void> {
  await q.query(
    `update traffic_watches t
        set fit = (select fit from traffic_watches f where f.website_id = 1 + t.website_id % $2 and f.fit is not null),
            fitted_at = $1::timestamptz - random() * interval '1 day'`,
    [now, FIRST_FITS],
  )
}
