/** Ten thousand monitors and a thousand websites at a glance, against what a list of them would take; and what listening costs. */
import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { localDayOf } from '../src/lib/local-day.ts'
import type { Overview } from '../src/overview/schema.ts'
import { insertBatch } from '../src/traffic/inbox/store.ts'
import { signIn } from './support/account.ts'
import { fillOverview } from './support/fill-overview.ts'
import { processorTimeOf } from './support/processes.ts'
import { median, promise } from './support/report.ts'
import { type Scene, startScene } from './support/scene.ts'

const SIZE = { monitors: 10_000, websites: 1_000 }
const TIMES = 30
const WARM_UP_TIMES = 5
const MOST_MS = 300
/** How long anybody else waits meanwhile, at the median of all calls. */
const STALL_MOST_MS = 100
const PAGE_SIZE = 100
const LISTEN_MS = 20_000

interface Call {
  ms: number
  /** As it came over the network. */
  bytes: number
  body: Buffer
}

function call(url: string, headers: Record<string, string>): Promise<Call> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const body = Buffer.concat(chunks)
        if (answer.statusCode === 200) resolve({ ms: performance.now() - started, bytes: body.length, body })
        else reject(new Error(`${url}: ${answer.statusCode} ${body}`))
      })
    })
    asked.on('error', reject).end()
  })
}

const p95 = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0
/** The fastest tells what it takes where nobody else is on the machine. */
const shown = (values: readonly number[]) =>
  `${median(values).toFixed(0)} ms (fastest ${Math.min(...values).toFixed(0)}, p95 ${p95(values).toFixed(0)})`

/** Has only just been acknowledged, so that there is something to add up each time. */
async function visit({ db }: Scene, websiteId: number, visitor: number): Promise<void> {
  const at = Date.now()
  const { day, startsAt } = localDayOf('UTC', at)
  const hour = Math.floor((at - startsAt) / 3_600_000)
  await insertBatch(db, [{ websiteId, kind: 'view', at, day, hour, visitor, page: '/pricing', source: 'Direct' }])
}

/** The longest that somebody waits who needs nothing, until `work` is done. */
async function longestWait(base: string, work: Promise<unknown>): Promise<number> {
  let isOver = false
  const done = work.finally(() => {
    isOver = true
  })
  let longest = 0
  while (!isOver) longest = Math.max(longest, (await call(`${base}/healthz`, {})).ms)
  await done
  return longest
}

/** Of Belfry and its database, in milliseconds a second. */
async function costOf(scene: Scene): Promise<number> {
  const before = await processorTimeOf(await scene.processes())
  await pause(LISTEN_MS)
  return ((await processorTimeOf(await scene.processes())) - before) / (LISTEN_MS / 1000)
}

async function showListening(scene: Scene, cookie: string): Promise<void> {
  const idle = await costOf(scene)
  const leaving = new AbortController()
  const answer = await fetch(`${scene.base}/api/live`, { headers: { cookie }, signal: leaving.signal })
  const reading = answer.text().catch(() => {})
  const listening = await costOf(scene)
  leaving.abort()
  await reading
  console.log(`  processor time a second: ${idle.toFixed(0)} ms, while somebody listens ${listening.toFixed(0)} ms`)
}

export async function bench(): Promise<boolean> {
  const scene = await startScene()
  try {
    const owner = await scene.person('ada', 'monitors:read')
    await fillOverview(scene, 'ada', SIZE)
    const cookie = await signIn(scene.base, 'ada@example.com')
    const url = `${scene.base}/api/overview?time_zone=Europe/Berlin`
    const plain = await call(url, { cookie })
    const { data } = JSON.parse(plain.body.toString()) as { data: Overview }
    const packed = { cookie, 'accept-encoding': 'gzip' }
    const { bytes } = await call(url, packed)
    console.log(
      `GET /api/overview, ${data.monitors.length} monitors, ${data.websites.length} websites, ${plain.bytes} bytes, ${bytes} gzipped`,
    )
    const [times, pages, waits]: [number[], number[], number[]] = [[], [], []]
    for (let n = 0; n < WARM_UP_TIMES + TIMES; n++) {
      await visit(scene, data.websites[0]?.id ?? 0, n)
      const overview = await call(url, packed)
      const page = await call(`${scene.base}/api/monitors?pageSize=${PAGE_SIZE}&page=${1 + n}`, owner.headers)
      const wait = await longestWait(scene.base, call(url, packed))
      if (n < WARM_UP_TIMES) continue
      times.push(overview.ms)
      pages.push(page.ms)
      waits.push(wait)
    }
    console.log(
      `  overview ${shown(times)}; a page of ${PAGE_SIZE} monitors ${shown(pages)}; others wait ${shown(waits)}`,
    )
    await showListening(scene, cookie)
    const [seen, list] = [median(times), (median(pages) * SIZE.monitors) / PAGE_SIZE]
    return [
      promise(`under ${MOST_MS} ms`, `${seen.toFixed(0)} ms`, seen < MOST_MS),
      promise('less than the pages of a list of them', `${(seen / list).toFixed(2)}×`, seen < list),
      promise(
        `nobody else waits longer than ${STALL_MOST_MS} ms`,
        `${median(waits).toFixed(0)} ms`,
        median(waits) < STALL_MOST_MS,
      ),
    ].every(Boolean)
  } finally {
    await scene.stop()
  }
}
