/** Checks as they really run: claimed, made, judged, recorded. What one costs, and how late it comes. */
import { execFile } from 'node:child_process'
import { parseArgs, promisify } from 'node:util'
import { freePort, memoryOf, processorTimeOf, start } from './support/processes.ts'
import { median, promise } from './support/report.ts'
import { type Scene, startScene } from './support/scene.ts'

const OWNER = 'owner'
const TOKEN = 'a token for benchmarks'
const MOST_TIMES_BARE = 4
/** Beyond so many monitors the promises are those of a large installation. */
const LARGE = 50_000
const BARE_GETS = 6_000
/** So many at a time: what a thousand checks a second of a few milliseconds come to. */
const BARE_TOGETHER = 10
/** Measured for so long, in slices; between them the baseline. */
const SLICES = 3

const insert = `with made as (
    insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
      remind_every_minutes, http, status, status_changed_at, search_text, created_at, updated_at)
    select id, 'Shop ' || n, current_setting('bench.url') || n, 'http', current_setting('bench.interval')::int, 2, 5, 0,
           '{"method": "GET", "body": null, "expected_status": "200-399", "keyword": null, "keyword_absent": null,
             "follow_redirects": true, "verify_tls": true}'::jsonb,
           'pending', now(), 'shop ' || n, now(), now()
      from users, generate_series($2::int, $3::int) n where email = $1 returning user_id, id
  )
  insert into monitor_states (user_id, monitor_id, due_at) select user_id, id, now() from made`

interface Lateness {
  count: number
  /** How many came at most so many seconds late. */
  upTo: [seconds: number, count: number][]
}

async function readLateness({ base }: Scene): Promise<Lateness> {
  const answer = await fetch(`${base}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const lines = (await answer.text()).matchAll(/^belfry_check_lateness_seconds_bucket\{le="([^"]+)"\} (\d+)/gm)
  const upTo = [...lines].map(([, le, count]): [number, number] => [
    le === '+Inf' ? Infinity : Number(le),
    Number(count),
  ])
  return { count: upTo.at(-1)?.[1] ?? 0, upTo }
}

/** The least bound that 99 % kept to. */
function p99(before: Lateness, after: Lateness): number {
  const total = after.count - before.count
  const bound = after.upTo.find(([, count], n) => count - (before.upTo[n]?.[1] ?? 0) >= 0.99 * total)
  return bound?.[0] ?? Infinity
}

async function bareGet(port: number): Promise<number> {
  const args = ['bench/support/bare-gets.ts', String(port), String(BARE_GETS), String(BARE_TOGETHER)]
  return Number((await promisify(execFile)(process.execPath, args)).stdout)
}

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds))

async function untilCovered(scene: Scene, monitors: number, since: number): Promise<number> {
  for (;;) {
    const [row] = await scene.db.query('select count(last_checked_at)::int as checked from monitor_states')
    const seconds = (performance.now() - since) / 1000
    process.stderr.write(`\r  ${row?.['checked'].toLocaleString('en')} checked after ${seconds.toFixed(0)} s `)
    if (row?.['checked'] === monitors || seconds > 180) {
      process.stderr.write('\n')
      return row?.['checked'] === monitors ? seconds : Infinity
    }
    await pause(1)
  }
}

/** Monitors that were not checked within an interval and a second, at any time since the first of `from`. */
async function countMissed(scene: Scene, from: Date, to: Date, interval: number): Promise<number> {
  const [row] = await scene.db.query(
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
  const isLarge = monitors >= LARGE
  const scene = await startScene()
  const target = await start(['bench/support/target.ts'], await freePort())
  try {
    await scene.person(OWNER, 'monitors:read')
    await scene.db.query(`select set_config('bench.url', $1, false), set_config('bench.interval', $2, false)`, [
      `http://127.0.0.1:${target.port}/`,
      String(interval),
    ])
    await scene.fill(OWNER, 'monitors', insert, monitors)
    await scene.vacuum('monitors', 'monitor_states')
    console.log(`${monitors} monitors every ${interval} s: ${(monitors / interval).toFixed(0)} checks a second`)
    const started = performance.now()
    await scene.restart({ BELFRY_PRIVATE_TARGETS: 'allow', BELFRY_METRICS_TOKEN: TOKEN })
    const covered = await untilCovered(scene, monitors, started)
    // Until they have found their places.
    const held = [...(await measure(scene, target.port, { monitors, interval, isLarge }))]
    if (isLarge) held.push(promise('from start to every monitor within 60 s', `${covered.toFixed(1)} s`, covered <= 60))
    return held.every(Boolean)
  } finally {
    await scene.stop()
    await target.stop()
  }
}

interface Size {
  monitors: number
  interval: number
  isLarge: boolean
}

async function measure(scene: Scene, port: number, { monitors, interval, isLarge }: Size): Promise<boolean[]> {
  await pause(isLarge ? interval / 4 : interval)
  const bare: number[] = []
  const costs: number[] = []
  const first = await readLateness(scene)
  const from = new Date()
  let memory = 0
  for (let slice = 0; slice < SLICES; slice++) {
    if (!isLarge) bare.push(await bareGet(port))
    const processes = await scene.processes()
    const before = { time: await processorTimeOf(processes), lateness: await readLateness(scene) }
    await pause(isLarge ? interval / 2 : interval)
    const after = { time: await processorTimeOf(processes), lateness: await readLateness(scene) }
    const checks = after.lateness.count - before.lateness.count
    costs.push((after.time - before.time) / checks)
    memory = Math.max(memory, await memoryOf(scene.pid()))
    console.log(
      `  ${checks} checks, ${costs.at(-1)?.toFixed(3)} ms of processor time each` +
        `${bare.length > 0 ? `, bare GET ${bare.at(-1)?.toFixed(3)} ms` : ''}` +
        `, 99 % at most ${p99(before.lateness, after.lateness)} s late, ${memory.toFixed(0)} MB`,
    )
  }
  const late = p99(first, await readLateness(scene))
  const missed = await countMissed(scene, from, new Date(), interval)
  const held = [promise('none missed', `${missed} of ${monitors}`, missed === 0)]
  if (isLarge) {
    held.push(promise('p99 of lateness under 1 s', `at most ${late} s`, late < 1))
    held.push(promise('the Node process under 600 MB', `${memory.toFixed(0)} MB`, memory < 600))
  } else {
    const times = median(costs) / median(bare)
    held.push(
      promise(
        `Node and PostgreSQL at most ${MOST_TIMES_BARE}× a bare GET`,
        `${times.toFixed(2)}×`,
        times <= MOST_TIMES_BARE,
      ),
    )
    held.push(promise('p99 of lateness under 250 ms', `at most ${late} s`, late <= 0.25))
  }
  return held
}
