/** Checks as in production: claimed, run, evaluated, recorded. Measures what one costs and how late it starts. */
import { execFile } from 'node:child_process'
import { parseArgs, promisify } from 'node:util'
import { type BenchServer, startBenchServer } from './support/bench-server.ts'
import { cpuTimeOf, freePort, memoryOf, startProcess } from './support/processes.ts'
import { median, promise } from './support/report.ts'

const OWNER = 'owner'
const TOKEN = 'a token for benchmarks'
const MAX_TIMES_BARE = 4
/** From this many monitors on, the promises for a large installation apply. */
const LARGE_INSTALLATION = 50_000
const BARE_GETS = 6_000
/** About as many as run concurrently with a thousand checks a second of a few milliseconds each. */
const BARE_CONCURRENCY = 10
/** The measurement runs in slices, with the baseline in between. */
const SLICES = 3

const insert = `with inserted as (
    insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
      remind_every_minutes, http, status, status_changed_at, search_text, created_at, updated_at)
    select id, 'Shop ' || n, current_setting('bench.url') || n, 'http', current_setting('bench.interval')::int, 2, 5, 0,
           '{"method": "GET", "body": null, "expected_status": "200-399", "keyword": null, "keyword_absent": null,
             "follow_redirects": true, "verify_tls": true}'::jsonb,
           'pending', now(), 'shop ' || n, now(), now()
      from users, generate_series($2::int, $3::int) n where email = $1 returning user_id, id
  )
  insert into monitor_states (user_id, monitor_id, due_at) select user_id, id, now() from inserted`

interface Lateness {
  count: number
  /** Cumulative: how many checks started at most this many seconds late. */
  upTo: [seconds: number, count: number][]
}

async function readLateness({ base }: BenchServer): Promise<Lateness> {
  const response = await fetch(`${base}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const lines = (await response.text()).matchAll(/^belfry_check_lateness_seconds_bucket\{le="([^"]+)"\} (\d+)/gm)
  const upTo = [...lines].map(([, le, count]): [number, number] => [
    le === '+Inf' ? Infinity : Number(le),
    Number(count),
  ])
  return { count: upTo.at(-1)?.[1] ?? 0, upTo }
}

/** The smallest bucket limit that covers 99 %. */
function p99(before: Lateness, after: Lateness): number {
  const total = after.count - before.count
  const bound = after.upTo.find(([, count], n) => count - (before.upTo[n]?.[1] ?? 0) >= 0.99 * total)
  return bound?.[0] ?? Infinity
}

async function bareGet(port: number): Promise<number> {
  const args = ['bench/support/bare-gets.ts', String(port), String(BARE_GETS), String(BARE_CONCURRENCY)]
  return Number((await promisify(execFile)(process.execPath, args)).stdout)
}

const delay = (seconds: number) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds))

async function waitUntilAllChecked(server: BenchServer, monitors: number, since: number): Promise<number> {
  for (;;) {
    const [row] = await server.db.query('select count(last_checked_at)::int as checked from monitor_states')
    const seconds = (performance.now() - since) / 1000
    process.stderr.write(`\r  ${row?.['checked'].toLocaleString('en')} checked after ${seconds.toFixed(0)} s `)
    if (row?.['checked'] === monitors || seconds > 180) {
      process.stderr.write('\n')
      return row?.['checked'] === monitors ? seconds : Infinity
    }
    await delay(1)
  }
}

/** Monitors with a gap of more than an interval and a second between two checks since `from`. */
async function countMissed(server: BenchServer, from: Date, to: Date, interval: number): Promise<number> {
  const [row] = await server.db.query(
    `with gaps as (
       select monitor_id, checked_at - lag(checked_at, 1, $1::timestamptz) over w as gap from checks
        where checked_at between $1::timestamptz and $2::timestamptz window w as (partition by monitor_id order by checked_at)
     ), seen as (select monitor_id, max(gap) as longest from gaps group by 1)
     select (select count(*) from monitor_states) - count(*) filter (where longest <= $3 * interval '1 second') as missed
       from seen`,
    [from, to, interval + 1],
  )
  return row?.['missed']
}

export async function bench(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: { monitors: { type: 'string', default: '10000' }, interval: { type: 'string', default: '10' } },
  })
  const [monitors, interval] = [Number(values.monitors), Number(values.interval)]
  const isLarge = monitors >= LARGE_INSTALLATION
  const server = await startBenchServer()
  const target = await startProcess(['bench/support/target.ts'], await freePort())
  try {
    await server.createUser(OWNER, 'monitors:read')
    await server.db.query(`select set_config('bench.url', $1, false), set_config('bench.interval', $2, false)`, [
      `http://127.0.0.1:${target.port}/`,
      String(interval),
    ])
    await server.fill(OWNER, 'monitors', insert, monitors)
    await server.vacuum('monitors', 'monitor_states')
    console.log(`${monitors} monitors every ${interval} s: ${(monitors / interval).toFixed(0)} checks a second`)
    const started = performance.now()
    await server.restart({ BELFRY_PRIVATE_TARGETS: 'allow', BELFRY_METRICS_TOKEN: TOKEN })
    const coveredSeconds = await waitUntilAllChecked(server, monitors, started)
    // By now the scheduler has spread the monitors evenly over the interval.
    const results = [...(await measure(server, target.port, { monitors, interval, isLarge }))]
    if (isLarge)
      results.push(
        promise(
          'every monitor checked within 60 s of the start',
          `${coveredSeconds.toFixed(1)} s`,
          coveredSeconds <= 60,
        ),
      )
    return results.every(Boolean)
  } finally {
    await server.stop()
    await target.stop()
  }
}

interface BenchSize {
  monitors: number
  interval: number
  isLarge: boolean
}

async function measure(
  server: BenchServer,
  port: number,
  { monitors, interval, isLarge }: BenchSize,
): Promise<boolean[]> {
  await delay(isLarge ? interval / 4 : interval)
  const bare: number[] = []
  const costs: number[] = []
  const first = await readLateness(server)
  const from = new Date()
  let memory = 0
  for (let slice = 0; slice < SLICES; slice++) {
    if (!isLarge) bare.push(await bareGet(port))
    const processes = await server.processes()
    const before = { time: await cpuTimeOf(processes), lateness: await readLateness(server) }
    await delay(isLarge ? interval / 2 : interval)
    const after = { time: await cpuTimeOf(processes), lateness: await readLateness(server) }
    const checks = after.lateness.count - before.lateness.count
    costs.push((after.time - before.time) / checks)
    memory = Math.max(memory, await memoryOf(server.pid()))
    console.log(
      `  ${checks} checks, ${costs.at(-1)?.toFixed(3)} ms of CPU time each` +
        `${bare.length > 0 ? `, bare GET ${bare.at(-1)?.toFixed(3)} ms` : ''}` +
        `, 99 % at most ${p99(before.lateness, after.lateness)} s late, ${memory.toFixed(0)} MB`,
    )
  }
  const late = p99(first, await readLateness(server))
  const missed = await countMissed(server, from, new Date(), interval)
  const results = [promise('none missed', `${missed} of ${monitors}`, missed === 0)]
  if (isLarge) {
    results.push(promise('p99 of lateness under 1 s', `at most ${late} s`, late < 1))
    results.push(promise('the Node process under 600 MB', `${memory.toFixed(0)} MB`, memory < 600))
  } else {
    const times = median(costs) / median(bare)
    results.push(
      promise(
        `Node and PostgreSQL at most ${MAX_TIMES_BARE}× a bare GET`,
        `${times.toFixed(2)}×`,
        times <= MAX_TIMES_BARE,
      ),
    )
    results.push(promise('p99 of lateness under 250 ms', `at most ${late} s`, late <= 0.25))
  }
  return results
}
