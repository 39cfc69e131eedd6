/**
 * Measures how fast beats are received and stored durably, compared with a server that is written the usual way and is as
 * durable. Also measures the CPU time of the evaluation of a heartbeat, compared with the bookkeeping of an HTTP check,
 * which is the check without its request.
 */
import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type BenchServer, startBenchServer } from './support/bench-server.ts'
import { compareWithUsualIntake } from './support/compare-intake.ts'
import { reportLoad } from './support/load-rounds.ts'
import { findFreePort, readCpuTimeMs, startProcess } from './support/processes.ts'
import { median, reportPerformancePromise } from './support/report.ts'

const OWNER = 'owner'
/** How many heartbeats receive beats. */
const BEATING_MONITORS = 2_000
/** Monitors of each type whose checks are compared. */
const COMPARED_MONITORS = 5_000
/** The compared checks become due over this time, after a time in which the benchmark prepares them. */
const PREPARATION_SECONDS = 2
const DUE_SECONDS = 4
const POLL_INTERVAL_MS = 500
const COMPARISONS = 3
const BARE_GET_COUNT = 6_000
/** The rate of the compared checks. */
const BARE_PER_SECOND = COMPARED_MONITORS / DUE_SECONDS

/** The tokens are `token-0` and so on. */
const insertHeartbeatsSql = `with inserted as (
    insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
      remind_every_minutes, options, beat_token, beat_hash, status, status_changed_at, search_text, created_at, updated_at)
    select id, 'Backup ' || n, '', 'heartbeat', 60, 2, 5, 0,
           '{"period": 86400, "cron": null, "time_zone": null, "grace": 300}'::jsonb,
           '\\x00', sha256(convert_to('token-' || n, 'UTF8')), 'pending', now(), 'backup ' || n, now(), now()
      from users, generate_series($2::int, $3::int) n where email = $1 returning user_id, id
  )
  insert into monitor_states (user_id, monitor_id, due_at) select user_id, id, now() from inserted`

const createHttpInsertSql = (url: string) => `with inserted as (
    insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
      remind_every_minutes, http, status, status_changed_at, search_text, created_at, updated_at)
    select id, 'Shop ' || n, '${url}' || n, 'http', 86400, 2, 5, 0,
           '{"method": "GET", "body": null, "expected_status": "200-399", "keyword": null, "keyword_absent": null,
             "follow_redirects": true, "verify_tls": true}'::jsonb,
           'pending', now(), 'shop ' || n, now(), now()
      from users, generate_series($2::int, $3::int) n where email = $1 returning user_id, id
  )
  insert into monitor_states (user_id, monitor_id, due_at) select user_id, id, now() from inserted`

export async function bench(): Promise<boolean> {
  const server = await startBenchServer()
  const target = await startProcess(['bench/support/target.ts'], await findFreePort())
  try {
    await server.createUser(OWNER, 'monitors:read')
    await server.fill(OWNER, 'heartbeats', insertHeartbeatsSql, COMPARED_MONITORS)
    await server.fill(
      OWNER,
      'HTTP monitors',
      createHttpInsertSql(`http://127.0.0.1:${target.port}/`),
      COMPARED_MONITORS,
    )
    await server.vacuum('monitors', 'monitor_states')
    await server.restart({ BELFRY_PRIVATE_TARGETS: 'allow' })
    await waitUntilChecked(server, 'http')
    await waitUntilChecked(server, 'heartbeat')
    return [...(await compareReceiving(server)), await compareChecks(server, target.port)].every(Boolean)
  } finally {
    await target.stop()
    await server.stop()
  }
}

async function compareReceiving(server: BenchServer): Promise<boolean[]> {
  console.log(`GET /beat/{token}, ${BEATING_MONITORS} heartbeats`)
  let sentCount = 0
  const path = () => `/beat/token-${sentCount++ % BEATING_MONITORS}`
  const comparison = await compareWithUsualIntake(server, { path })
  const { acknowledgedCount } = comparison
  const [storedCounts] = await server.db.query<{ waiting: number; processed: number }>(
    `select (select count(*) from beat_inbox) as waiting,
            (select count(*)
               from checks c
               join monitors m on m.user_id = c.user_id and m.id = c.monitor_id and m.type = 'heartbeat') as processed`,
  )
  const { waiting: waitingCount = 0, processed: processedCount = 0 } = storedCounts ?? {}
  return [
    ...reportLoad(comparison, { minThroughput: 0.6, maxP99: 2.5 }),
    reportPerformancePromise(
      'no acknowledged beat is missing',
      `${acknowledgedCount} acknowledged, ${waitingCount} waiting and ${processedCount} processed`,
      waitingCount + processedCount === acknowledgedCount,
    ),
  ]
}

/**
 * A heartbeat is evaluated at most every two minutes, and an HTTP monitor with the default interval is checked every minute. So
 * 100,000 heartbeats cost no more than 100,000 HTTP monitors if an evaluation costs at most twice the bookkeeping of a check.
 */
async function compareChecks(server: BenchServer, targetPort: number): Promise<boolean> {
  // The beats that the load has left behind would be processed by the first evaluations.
  await server.db.query('delete from beat_inbox')
  await server.vacuum('beat_inbox')
  const ratios: number[] = []
  for (let n = 0; n < COMPARISONS; n++) {
    const bareGetMs = await measureBareGet(targetPort)
    const httpMs = await measureChecks(server, 'http')
    const heartbeatMs = await measureChecks(server, 'heartbeat')
    ratios.push(heartbeatMs / (httpMs - bareGetMs))
    console.log(
      `  CPU time: HTTP check ${httpMs.toFixed(3)} ms, of which a bare GET ${bareGetMs.toFixed(3)} ms; heartbeat with a beat ${heartbeatMs.toFixed(3)} ms`,
    )
  }
  const ratio = median(ratios)
  return reportPerformancePromise(
    'evaluating a heartbeat at most 2× the bookkeeping of an HTTP check',
    `${ratio.toFixed(2)}×`,
    ratio <= 2,
  )
}

async function measureBareGet(port: number): Promise<number> {
  const args = ['bench/support/bare-gets.ts', String(port), String(BARE_GET_COUNT), String(BARE_PER_SECOND)]
  return Number((await promisify(execFile)(process.execPath, args)).stdout)
}

/** Returns the CPU time of one check, of Node and PostgreSQL together. Every heartbeat has a beat to process. */
async function measureChecks(server: BenchServer, type: 'http' | 'heartbeat'): Promise<number> {
  if (type === 'heartbeat') {
    await server.db.query(
      `insert into beat_inbox (user_id, monitor_id, received_at, kind, is_failure)
       select user_id, id, now(), 'alive', false from monitors where type = 'heartbeat'`,
    )
  }
  await server.db.query(
    `update monitor_states s
        set due_at = now() + ($2 + random() * $3) * interval '1 second', last_checked_at = null
       from monitors m
      where m.user_id = s.user_id and m.id = s.monitor_id and m.type = $1`,
    [type, PREPARATION_SECONDS, DUE_SECONDS],
  )
  await server.vacuum('monitor_states')
  const pids = await server.findPids()
  const cpuMsBefore = await readCpuTimeMs(pids)
  // Polling takes CPU time, too, so this starts when the last checks are due.
  await delay((PREPARATION_SECONDS + DUE_SECONDS) * 1_000)
  await waitUntilChecked(server, type)
  return ((await readCpuTimeMs(pids)) - cpuMsBefore) / COMPARED_MONITORS
}

async function waitUntilChecked(server: BenchServer, type: 'http' | 'heartbeat'): Promise<void> {
  const countUncheckedSql = `
    select count(*) as count
      from monitor_states s
      join monitors m on m.user_id = s.user_id and m.id = s.monitor_id
     where m.type = $1 and s.last_checked_at is null`
  for (;;) {
    await delay(POLL_INTERVAL_MS)
    const [row] = await server.db.query<{ count: number }>(countUncheckedSql, [type])
    if (row?.count === 0) return
  }
}
