/** Runs checks as in production (claim, run, evaluate, record) and measures what a check costs and how late it starts. */
import { execFile } from 'node:child_process'
import { parseArgs, promisify } from 'node:util'
import { type BenchServer, startBenchServer } from './support/bench-server.ts'
import { measureOverload } from './support/check-overload.ts'
import { createHttpInsertSql } from './support/http-monitors.ts'
import { createMixedInsertSql, startMixedTargets } from './support/mixed-monitors.ts'
import { findFreePort, readCpuTimeMs, readMemoryMb, startProcess } from './support/processes.ts'
import { median, reportPerformancePromise } from './support/report.ts'

const OWNER = 'owner'
const TOKEN = 'a token for benchmarks'
const MAX_RATIO_TO_BARE = 3
/** With at least this many monitors, the performance promises for a large installation apply instead of the usual ones. */
const MIN_LARGE_INSTALLATION_MONITORS = 50_000
const BARE_CHECK_COUNT = 9_000
/**
 * The measurement is divided into this many periods. In each of them, the checks and the baseline are measured at the same time, so
 * that the changing speed of the machine affects both alike.
 */
const SLICE_COUNT = 5

interface LatenessHistogram {
  count: number
  /** Each pair has a number of seconds, and the number of checks that started at most this late. */
  cumulativeCounts: [seconds: number, count: number][]
}

async function readLatenessHistogram({ baseUrl }: BenchServer): Promise<LatenessHistogram> {
  const response = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const lines = (await response.text()).matchAll(/^belfry_check_lateness_seconds_bucket\{le="([^"]+)"\} (\d+)/gm)
  const cumulativeCounts = [...lines].map(([, le, count]): [number, number] => [
    le === '+Inf' ? Infinity : Number(le),
    Number(count),
  ])
  return { count: cumulativeCounts.at(-1)?.[1] ?? 0, cumulativeCounts }
}

/** Returns the upper limit of the smallest histogram bucket that covers 99 % of the checks. */
function findP99Lateness(before: LatenessHistogram, after: LatenessHistogram): number {
  const total = after.count - before.count
  const bucket = after.cumulativeCounts.find(
    ([, count], n) => count - (before.cumulativeCounts[n]?.[1] ?? 0) >= 0.99 * total,
  )
  return bucket?.[0] ?? Infinity
}

/**
 * Returns the CPU time of a bare check. The baseline runs at the rate of the checks: as fast as possible, it would wake up its
 * target and itself less often, which takes a tenth less CPU time.
 */
async function measureBare({ script, port }: Baseline, perSecond: number): Promise<number> {
  const args = [script, String(port), String(BARE_CHECK_COUNT), String(perSecond)]
  return Number((await promisify(execFile)(process.execPath, args)).stdout)
}

const delay = (seconds: number) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds))

/** Ignores heartbeats, which have no result before their first beat. */
async function waitUntilAllChecked(server: BenchServer, startedAt: number): Promise<number> {
  for (;;) {
    const [row] = await server.db.query(
      `select count(*)::int as unchecked
         from monitor_states s
         join monitors m on m.user_id = s.user_id and m.id = s.monitor_id
        where s.last_checked_at is null and m.type <> 'heartbeat'`,
    )
    const seconds = (performance.now() - startedAt) / 1000
    process.stderr.write(
      `\r  ${row?.['unchecked'].toLocaleString('en')} not checked yet after ${seconds.toFixed(0)} s `,
    )
    if (row?.['unchecked'] === 0 || seconds > 180) {
      process.stderr.write('\n')
      return row?.['unchecked'] === 0 ? seconds : Infinity
    }
    await delay(1)
  }
}

/**
 * A check is stored after its end, with the time of its start. A ping takes a second, so right at the end of the
 * measurement the last checks of some monitors are not stored yet. Before it looks for missed checks, the benchmark
 * waits this long, which is longer than any of its checks takes.
 */
const MAX_UNSTORED_SECONDS = 5
const MAX_LISTED_MONITORS = 10

interface MissedMonitor {
  id: number
  type: string
  /** The longest time without a check. undefined if the monitor had no check at all. */
  longestSeconds: number | undefined
  /** Whether the longest time without a check lasted until the end of the measurement. */
  isAtEnd: boolean
}

/**
 * Lists the monitors for which no check started for longer than the interval plus a second at any time between `from` and `to`.
 * Ignores heartbeats and monitors with a longer interval.
 */
async function listMissedMonitors(
  server: BenchServer,
  from: Date,
  to: Date,
  intervalSeconds: number,
): Promise<MissedMonitor[]> {
  const rows = await server.db.query(
    `with gaps as (
       select monitor_id, checked_at, checked_at - lag(checked_at, 1, $1::timestamptz) over w as gap
         from checks
        where checked_at between $1::timestamptz and $2::timestamptz
       window w as (partition by monitor_id order by checked_at)
     ), checked as (
       select monitor_id, max(gap) as longest, $2::timestamptz - max(checked_at) as at_end
         from gaps
        group by monitor_id
     )
     select m.id, m.type, extract(epoch from greatest(longest, at_end))::float8 as seconds,
            coalesce(at_end >= longest, true) as is_at_end
       from monitors m
       left join checked c on c.monitor_id = m.id
      where m.type <> 'heartbeat' and m.interval_seconds < $3
        and coalesce(greatest(longest, at_end) > $3 * interval '1 second', true)
      order by m.id`,
    [from, to, intervalSeconds + 1],
  )
  return rows.map((row) => ({
    id: Number(row['id']),
    type: row['type'],
    longestSeconds: row['seconds'] ?? undefined,
    isAtEnd: row['is_at_end'],
  }))
}

function describeMissed({ id, type, longestSeconds, isAtEnd }: MissedMonitor): string {
  const gap = longestSeconds === undefined ? 'no check' : `no check for ${longestSeconds.toFixed(1)} s`
  return `monitor ${id} (${type}), ${gap}${isAtEnd ? ' at the end' : ''}`
}

async function countFailedChecks(server: BenchServer): Promise<number> {
  const [row] = await server.db.query('select count(*)::int as failed from checks where cause is not null')
  return row?.['failed']
}

export async function bench(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      monitors: { type: 'string', default: '10000' },
      interval: { type: 'string', default: '10' },
      mix: { type: 'boolean', default: false },
      'busy-minutes': { type: 'string', default: '0' },
    },
  })
  const [monitorCount, intervalSeconds] = [Number(values.monitors), Number(values.interval)]
  const isLarge = monitorCount >= MIN_LARGE_INSTALLATION_MONITORS
  const server = await startBenchServer()
  const target = await startProcess(['bench/support/target.ts'], await findFreePort())
  const mixedTargets = values.mix ? await startMixedTargets() : undefined
  try {
    await server.createUser(OWNER, 'monitors:read')
    const insertSql =
      mixedTargets === undefined
        ? createHttpInsertSql({ url: `http://127.0.0.1:${target.port}/`, intervalSeconds })
        : createMixedInsertSql(mixedTargets.port, intervalSeconds)
    await server.fill(OWNER, 'monitors', insertSql, monitorCount)
    await server.vacuum('monitors', 'monitor_states')
    console.log(
      `${monitorCount} monitors every ${intervalSeconds} s: ${(monitorCount / intervalSeconds).toFixed(0)} checks a second`,
    )
    const startedAt = performance.now()
    await server.restart({ BELFRY_PRIVATE_TARGETS: 'allow', BELFRY_METRICS_TOKEN: TOKEN, ...mixedTargets?.env })
    const secondsUntilChecked = await waitUntilAllChecked(server, startedAt)
    const baseline =
      mixedTargets === undefined
        ? { name: 'bare GET', script: 'bench/support/bare-gets.ts', port: target.port }
        : { name: 'bare check of the mix', script: 'bench/support/bare-mix.ts', port: mixedTargets.port }
    // By now the scheduler has spread the monitors evenly over the interval.
    const results = [...(await measure(server, { monitorCount, intervalSeconds, isLarge, baseline }))]
    if (isLarge)
      results.push(
        reportPerformancePromise(
          'every monitor checked within 60 s of the start',
          `${secondsUntilChecked.toFixed(1)} s`,
          secondsUntilChecked <= 60,
        ),
      )
    const busyMinutes = Number(values['busy-minutes'])
    if (busyMinutes > 0) results.push(...(await measureOverload(server, { intervalSeconds, busyMinutes })))
    return results.every(Boolean)
  } finally {
    await server.stop()
    await target.stop()
    await mixedTargets?.stop()
  }
}

async function readUsage(server: BenchServer, pids: number[]) {
  const [row] = await server.db.query(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal_bytes`)
  return {
    cpuMs: await readCpuTimeMs(pids),
    nodeCpuMs: await readCpuTimeMs([server.pid()]),
    walBytes: row?.['wal_bytes'] as number,
    histogram: await readLatenessHistogram(server),
  }
}

/** Returns the bytes per check, including the indexes. Skips the partitions for later hours, which are empty. */
async function measureRowBytes(server: BenchServer): Promise<number> {
  const [row] = await server.db.query(
    `select round(sum(pg_total_relation_size(inhrelid)) / greatest(1, (select count(*) from checks)))::int as bytes
       from pg_inherits where inhparent = 'checks'::regclass and pg_relation_size(inhrelid) > 0`,
  )
  return row?.['bytes']
}

/** Does on the network what the checks do, and nothing else. */
interface Baseline {
  name: string
  script: string
  port: number
}

interface Measurement {
  monitorCount: number
  intervalSeconds: number
  isLarge: boolean
  baseline: Baseline
}

async function measure(
  server: BenchServer,
  { monitorCount, intervalSeconds, isLarge, baseline }: Measurement,
): Promise<boolean[]> {
  await delay(isLarge ? intervalSeconds / 4 : intervalSeconds)
  const ratios: number[] = []
  const firstHistogram = await readLatenessHistogram(server)
  const from = new Date()
  let maxMemoryMb = 0
  for (let slice = 0; slice < SLICE_COUNT; slice++) {
    const pids = await server.findPids()
    const before = await readUsage(server, pids)
    const cpuMsPerBareCheck = isLarge ? undefined : await measureBare(baseline, monitorCount / intervalSeconds)
    if (isLarge) await delay(intervalSeconds / 2)
    const after = await readUsage(server, pids)
    const checkCount = after.histogram.count - before.histogram.count
    const cpuMsPerCheck = (after.cpuMs - before.cpuMs) / checkCount
    if (cpuMsPerBareCheck !== undefined) ratios.push(cpuMsPerCheck / cpuMsPerBareCheck)
    maxMemoryMb = Math.max(maxMemoryMb, await readMemoryMb(server.pid()))
    console.log(
      `  ${checkCount} checks, ${cpuMsPerCheck.toFixed(3)} ms of CPU time each ` +
        `(Node ${((after.nodeCpuMs - before.nodeCpuMs) / checkCount).toFixed(3)}), ` +
        `${((after.walBytes - before.walBytes) / checkCount).toFixed(0)} bytes of WAL` +
        `${cpuMsPerBareCheck === undefined ? '' : `, ${baseline.name} ${cpuMsPerBareCheck.toFixed(3)} ms`}` +
        `, 99 % at most ${findP99Lateness(before.histogram, after.histogram)} s late, ${maxMemoryMb.toFixed(0)} MB`,
    )
  }
  console.log(`  a check takes ${await measureRowBytes(server)} bytes in the table of single checks`)
  const p99Seconds = findP99Lateness(firstHistogram, await readLatenessHistogram(server))
  const to = new Date()
  await delay(MAX_UNSTORED_SECONDS)
  const missedMonitors = await listMissedMonitors(server, from, to, intervalSeconds)
  for (const monitor of missedMonitors.slice(0, MAX_LISTED_MONITORS))
    console.log(`  missed: ${describeMissed(monitor)}`)
  const results = [
    reportPerformancePromise('none missed', `${missedMonitors.length} of ${monitorCount}`, missedMonitors.length === 0),
  ]
  const failedCount = await countFailedChecks(server)
  results.push(reportPerformancePromise('every check succeeded', `${failedCount} failed`, failedCount === 0))
  if (isLarge) {
    results.push(reportPerformancePromise('p99 of lateness under 1 s', `at most ${p99Seconds} s`, p99Seconds < 1))
    results.push(
      reportPerformancePromise('the Node process under 300 MB', `${maxMemoryMb.toFixed(0)} MB`, maxMemoryMb < 300),
    )
  } else {
    const ratio = median(ratios)
    results.push(
      reportPerformancePromise(
        `Node and PostgreSQL at most ${MAX_RATIO_TO_BARE}× a ${baseline.name}`,
        `${ratio.toFixed(2)}×`,
        ratio <= MAX_RATIO_TO_BARE,
      ),
    )
    results.push(
      reportPerformancePromise('p99 of lateness under 250 ms', `at most ${p99Seconds} s`, p99Seconds <= 0.25),
    )
  }
  return results
}
