/**
 * Measures whether the monitors of one user delay the checks of another: a quiet user with a few monitors, beside a busy user
 * whose monitors hang, or are all overdue after a start.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type BenchServer, startBenchServer } from './support/bench-server.ts'
import { startBusyLoops } from './support/busy-loops.ts'
import { createHttpInsertSql } from './support/http-monitors.ts'
import { findFreePort, startProcess } from './support/processes.ts'
import { reportPerformancePromise } from './support/report.ts'

const [QUIET, BUSY] = ['quiet', 'busy']
const QUIET_MONITORS = 20
const INTERVAL_SECONDS = 5
const HANGING_MONITORS = 3_000
const OVERDUE_MONITORS = 20_000
const MEASURED_SECONDS = 60
/** Checks of new monitors start at irregular times, so the first intervals are not measured. */
const WARM_UP_SECONDS = 20

const env = { BELFRY_PRIVATE_TARGETS: 'allow' }

/** Returns the seconds between successive checks of the quiet user's monitors, and from the last check of each until `to`. */
async function readGaps({ db }: BenchServer, from: Date, to: Date): Promise<number[]> {
  const rows = await db.query<{ gap: number }>(
    `with times as (
       select m.id, t.at
         from monitors m
         join users u on u.id = m.user_id and u.email = $1
        cross join lateral (select c.checked_at as at from checks c
                             where c.user_id = m.user_id and c.monitor_id = m.id and c.checked_at between $2 and $3
                            union all values ($2::timestamptz), ($3)) t
     )
     select extract(epoch from at - earlier)::float8 as gap
       from (select at, lag(at) over (partition by id order by at) as earlier from times) t
      where earlier is not null
      order by 1`,
    [`${QUIET}@example.com`, from, to],
  )
  return rows.map(({ gap }) => gap)
}

async function measureGaps(server: BenchServer, label: string): Promise<number> {
  await delay(WARM_UP_SECONDS * 1_000)
  const from = new Date()
  await delay(MEASURED_SECONDS * 1_000)
  const gaps = await readGaps(server, from, new Date())
  const p95 = gaps[Math.floor(gaps.length * 0.95)] ?? Infinity
  console.log(
    `  ${label}: ${gaps.length} gaps between checks of the quiet user, median ${gaps[gaps.length >> 1]?.toFixed(2)} s, p95 ${p95.toFixed(2)} s, longest ${gaps.at(-1)?.toFixed(2)} s`,
  )
  return p95
}

async function countIncidents({ db }: BenchServer, name: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'select count(*) as count from incidents i join users u on u.id = i.user_id where u.email = $1',
    [`${name}@example.com`],
  )
  return row?.count ?? 0
}

async function measureHanging(server: BenchServer, hangingPort: number): Promise<boolean[]> {
  const aloneSeconds = await measureGaps(server, 'alone')
  await server.fill(
    BUSY,
    'hanging monitors',
    createHttpInsertSql({ url: `http://127.0.0.1:${hangingPort}/`, intervalSeconds: INTERVAL_SECONDS }),
    HANGING_MONITORS,
  )
  const besideSeconds = await measureGaps(server, `beside ${HANGING_MONITORS} hanging monitors of another user`)
  const ratio = besideSeconds / aloneSeconds
  console.log(`  incidents: ${await countIncidents(server, BUSY)} of the busy user`)
  const quietIncidents = await countIncidents(server, QUIET)
  return [
    reportPerformancePromise('p95 of the gap at most 1.2×', `${ratio.toFixed(2)}×`, ratio <= 1.2),
    reportPerformancePromise('no incident of the quiet user', `${quietIncidents}`, quietIncidents === 0),
  ]
}

interface Waits {
  quietSeconds: number
  busySeconds: number
  longestReadyMs: number
}

/** Makes all monitors overdue, restarts the server, and waits until each has been checked. */
async function measureColdStart(server: BenchServer): Promise<Waits> {
  await server.db.query(
    `update monitor_states set due_at = now() - interval '1 hour', last_checked_at = null, claimed_by = null, claim = claim + 1`,
  )
  await server.vacuum('monitor_states')
  await server.restart(env)
  const startedAt = performance.now()
  const waits: Waits = { quietSeconds: Infinity, busySeconds: Infinity, longestReadyMs: 0 }
  while (waits.busySeconds === Infinity && performance.now() - startedAt < 180_000) {
    const requestedAt = performance.now()
    await fetch(`${server.baseUrl}/readyz`)
    waits.longestReadyMs = Math.max(waits.longestReadyMs, performance.now() - requestedAt)
    const rows = await server.db.query<{ email: string; unchecked: number }>(
      `select u.email, count(*) filter (where s.last_checked_at is null) as unchecked
         from monitor_states s join users u on u.id = s.user_id group by 1`,
    )
    const seconds = (performance.now() - startedAt) / 1_000
    for (const { email, unchecked } of rows) {
      if (unchecked > 0) continue
      if (email.startsWith(QUIET)) waits.quietSeconds = Math.min(waits.quietSeconds, seconds)
      else waits.busySeconds = seconds
    }
    await delay(100)
  }
  return waits
}

async function benchHanging(isBusy: boolean): Promise<boolean[]> {
  const busyLoops = isBusy ? startBusyLoops(400) : undefined
  const server = await startBenchServer()
  const target = await startProcess(['bench/support/target.ts'], await findFreePort())
  const hangingPort = await findFreePort()
  const hangingTarget = await startProcess(['bench/support/hanging-target.ts'], await findFreePort(), {
    HANGING_PORT: String(hangingPort),
  })
  try {
    await createUsers(server)
    await fillQuickMonitors(server, QUIET, {
      count: QUIET_MONITORS,
      port: target.port,
      intervalSeconds: INTERVAL_SECONDS,
    })
    console.log(`${QUIET_MONITORS} monitors of the quiet user, every ${INTERVAL_SECONDS} s`)
    await server.restart(env)
    return await measureHanging(server, hangingPort)
  } finally {
    await server.stop()
    await target.stop()
    await hangingTarget.stop()
    busyLoops?.stop()
  }
}

async function benchColdStart(isBusy: boolean): Promise<boolean[]> {
  const server = await startBenchServer()
  const target = await startProcess(['bench/support/target.ts'], await findFreePort())
  const busyLoops = isBusy ? startBusyLoops(400) : undefined
  try {
    await createUsers(server)
    await fillQuickMonitors(server, BUSY, { count: OVERDUE_MONITORS, port: target.port, intervalSeconds: 60 })
    await fillQuickMonitors(server, QUIET, { count: QUIET_MONITORS, port: target.port, intervalSeconds: 60 })
    console.log(
      `Start with ${OVERDUE_MONITORS} overdue monitors of the busy user and ${QUIET_MONITORS} of the quiet one`,
    )
    const { quietSeconds, busySeconds, longestReadyMs } = await measureColdStart(server)
    console.log(
      `  all of the quiet user checked after ${quietSeconds.toFixed(1)} s, all of the busy user after ${busySeconds.toFixed(1)} s`,
    )
    return [
      reportPerformancePromise('all of the quiet user within 3 s', `${quietSeconds.toFixed(1)} s`, quietSeconds <= 3),
      reportPerformancePromise('all monitors within 60 s', `${busySeconds.toFixed(1)} s`, busySeconds <= 60),
      reportPerformancePromise(
        '/readyz within 1 s',
        `${longestReadyMs.toFixed(0)} ms at most`,
        longestReadyMs <= 1_000,
      ),
    ]
  } finally {
    busyLoops?.stop()
    await server.stop()
    await target.stop()
  }
}

async function createUsers(server: BenchServer): Promise<void> {
  for (const name of [QUIET, BUSY]) await server.createUser(name, 'monitors:read')
}

function fillQuickMonitors(
  server: BenchServer,
  name: string,
  { count, port, intervalSeconds }: { count: number; port: number; intervalSeconds: number },
): Promise<void> {
  return server.fill(
    name,
    'monitors',
    createHttpInsertSql({ url: `http://127.0.0.1:${port}/`, intervalSeconds }),
    count,
  )
}

export async function bench(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: { busy: { type: 'boolean', default: false }, only: { type: 'string' } },
  })
  if (values.only !== undefined && !['hanging', 'start'].includes(values.only))
    throw new Error('--only must be hanging or start')
  const promises: boolean[] = []
  if (values.only !== 'start') promises.push(...(await benchHanging(values.busy)))
  if (values.only !== 'hanging') promises.push(...(await benchColdStart(values.busy)))
  return promises.every(Boolean)
}
