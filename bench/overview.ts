/** The overview of ten thousand monitors and a thousand websites, compared with paging through a list; and the cost of a live stream. */
import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { localDayOf } from '../src/lib/local-day.ts'
import type { Overview } from '../src/overview/schema.ts'
import { insertBatch } from '../src/traffic/inbox/store.ts'
import { signInToBench } from './support/account.ts'
import { type BenchServer, startBenchServer } from './support/bench-server.ts'
import { fillOverview } from './support/fill-overview.ts'
import { cpuTimeOf } from './support/processes.ts'
import { median, promise } from './support/report.ts'

const SIZE = { monitors: 10_000, websites: 1_000 }
const TIMES = 30
const WARM_UP_TIMES = 5
const MAX_OVERVIEW_MS = 300
/** How long another request waits meanwhile: the median over all calls. */
const MAX_STALL_MS = 100
const PAGE_SIZE = 100
const LISTEN_MS = 20_000

interface Call {
  ms: number
  /** Bytes on the network. */
  bytes: number
  body: Buffer
}

function call(url: string, headers: Record<string, string>): Promise<Call> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const body = Buffer.concat(chunks)
        if (response.statusCode === 200) resolve({ ms: performance.now() - started, bytes: body.length, body })
        else reject(new Error(`${url}: ${response.statusCode} ${body}`))
      })
    })
    outgoing.on('error', reject).end()
  })
}

const p95 = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0
/** The fastest call shows the cost on an idle machine. */
const shown = (values: readonly number[]) =>
  `${median(values).toFixed(0)} ms (fastest ${Math.min(...values).toFixed(0)}, p95 ${p95(values).toFixed(0)})`

/** Stores an event, so that each overview has something to roll up. */
async function visit({ db }: BenchServer, websiteId: number, visitor: number): Promise<void> {
  const at = Date.now()
  const { day, startsAt } = localDayOf('UTC', at)
  const hour = Math.floor((at - startsAt) / 3_600_000)
  await insertBatch(db, [{ websiteId, kind: 'view', at, day, hour, visitor, page: '/pricing', source: 'Direct' }])
}

/** The longest response time of /healthz until `work` is done. */
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

/** CPU time of Belfry and its database, in milliseconds per second. */
async function costOf(server: BenchServer): Promise<number> {
  const before = await cpuTimeOf(await server.processes())
  await pause(LISTEN_MS)
  return ((await cpuTimeOf(await server.processes())) - before) / (LISTEN_MS / 1000)
}

async function showListening(server: BenchServer, cookie: string): Promise<void> {
  const idle = await costOf(server)
  const leave = new AbortController()
  const response = await fetch(`${server.base}/api/live`, { headers: { cookie }, signal: leave.signal })
  const reading = response.text().catch(() => {})
  const listening = await costOf(server)
  leave.abort()
  await reading
  console.log(`  CPU time per second: idle ${idle.toFixed(0)} ms, with a live stream ${listening.toFixed(0)} ms`)
}

export async function bench(): Promise<boolean> {
  const server = await startBenchServer()
  try {
    const owner = await server.createUser('ada', 'monitors:read')
    await fillOverview(server, 'ada', SIZE)
    const cookie = await signInToBench(server.base, 'ada@example.com')
    const url = `${server.base}/api/overview?time_zone=Europe/Berlin`
    const plain = await call(url, { cookie })
    const { data } = JSON.parse(plain.body.toString()) as { data: Overview }
    const compressed = { cookie, 'accept-encoding': 'gzip' }
    const { bytes } = await call(url, compressed)
    console.log(
      `GET /api/overview, ${data.monitors.length} monitors, ${data.websites.length} websites, ${plain.bytes} bytes, ${bytes} gzipped`,
    )
    const [times, pages, waits]: [number[], number[], number[]] = [[], [], []]
    for (let n = 0; n < WARM_UP_TIMES + TIMES; n++) {
      await visit(server, data.websites[0]?.id ?? 0, n)
      const overview = await call(url, compressed)
      const page = await call(`${server.base}/api/monitors?pageSize=${PAGE_SIZE}&page=${1 + n}`, owner.headers)
      const wait = await longestWait(server.base, call(url, compressed))
      if (n < WARM_UP_TIMES) continue
      times.push(overview.ms)
      pages.push(page.ms)
      waits.push(wait)
    }
    console.log(
      `  overview ${shown(times)}; a page of ${PAGE_SIZE} monitors ${shown(pages)}; other requests wait ${shown(waits)}`,
    )
    await showListening(server, cookie)
    const [seen, list] = [median(times), (median(pages) * SIZE.monitors) / PAGE_SIZE]
    return [
      promise(`under ${MAX_OVERVIEW_MS} ms`, `${seen.toFixed(0)} ms`, seen < MAX_OVERVIEW_MS),
      promise('less than paging through a list', `${(seen / list).toFixed(2)}×`, seen < list),
      promise(
        `no other request waits longer than ${MAX_STALL_MS} ms`,
        `${median(waits).toFixed(0)} ms`,
        median(waits) < MAX_STALL_MS,
      ),
    ].every(Boolean)
  } finally {
    await server.stop()
  }
}
