/** Measures the overview of 10,000 monitors and 1,000 websites, compared with paging through a list, and the cost of a live stream. */
import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { localDayAt } from '../src/lib/local-day.ts'
import type { Overview } from '../src/overview/schema.ts'
import { insertBatch } from '../src/traffic/inbox/store.ts'
import { signInToBench } from './support/account.ts'
import { type BenchServer, startBenchServer } from './support/bench-server.ts'
import { fillOverview } from './support/fill-overview.ts'
import { readCpuTimeMs } from './support/processes.ts'
import { median, reportPerformancePromise } from './support/report.ts'

const OVERVIEW_SIZE = { monitors: 10_000, websites: 1_000 }
const REQUEST_COUNT = 30
const WARM_UP_REQUEST_COUNT = 5
/** The time for everything in one response, compared with the time for reading the same monitors page by page. */
const MAX_LIST_RATIO = 0.8
/** How long other requests wait while the server prepares an overview, compared with the time for that overview. */
const MAX_WAIT_RATIO = 0.33
const PAGE_SIZE = 100
const CPU_MEASUREMENT_MS = 20_000

interface MeasuredResponse {
  ms: number
  /** Bytes on the network. */
  bytes: number
  body: Buffer
}

function get(url: string, headers: Record<string, string>): Promise<MeasuredResponse> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const clientRequest = request(url, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const body = Buffer.concat(chunks)
        if (response.statusCode === 200) resolve({ ms: performance.now() - startedAt, bytes: body.length, body })
        else reject(new Error(`${url}: ${response.statusCode} ${body}`))
      })
    })
    clientRequest.on('error', reject).end()
  })
}

const findP95 = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0
/** Includes the fastest time, because other work on the machine affects it least. */
const formatTimes = (values: readonly number[]) =>
  `${median(values).toFixed(0)} ms (fastest ${Math.min(...values).toFixed(0)}, p95 ${findP95(values).toFixed(0)})`

/** Stores an event, so that each overview has something to roll up. */
async function storeEvent({ db }: BenchServer, websiteId: number, visitor: number): Promise<void> {
  const at = Date.now()
  const { day, startsAt } = localDayAt('UTC', at)
  const hour = Math.floor((at - startsAt) / 3_600_000)
  await insertBatch(db, [{ websiteId, kind: 'view', at, day, hour, visitor, page: '/pricing', source: 'Direct' }])
}

/** Returns the longest response time of /healthz until `work` is done. */
async function measureLongestWait(baseUrl: string, work: Promise<unknown>): Promise<number> {
  let isDone = false
  const workDone = work.finally(() => {
    isDone = true
  })
  let longestMs = 0
  while (!isDone) longestMs = Math.max(longestMs, (await get(`${baseUrl}/healthz`, {})).ms)
  await workDone
  return longestMs
}

/** Returns the CPU time of Belfry and its database, in milliseconds per second. */
async function measureCpuMsPerSecond(server: BenchServer): Promise<number> {
  const cpuMsBefore = await readCpuTimeMs(await server.findPids())
  await delay(CPU_MEASUREMENT_MS)
  return ((await readCpuTimeMs(await server.findPids())) - cpuMsBefore) / (CPU_MEASUREMENT_MS / 1000)
}

async function reportLiveStreamCost(server: BenchServer, cookie: string): Promise<void> {
  const idleCpuMsPerSecond = await measureCpuMsPerSecond(server)
  const streamController = new AbortController()
  const response = await fetch(`${server.baseUrl}/api/live`, { headers: { cookie }, signal: streamController.signal })
  const streamEnd = response.text().catch(() => {})
  const streamCpuMsPerSecond = await measureCpuMsPerSecond(server)
  streamController.abort()
  await streamEnd
  console.log(
    `  CPU time per second: idle ${idleCpuMsPerSecond.toFixed(0)} ms, with a live stream ${streamCpuMsPerSecond.toFixed(0)} ms`,
  )
}

export async function bench(): Promise<boolean> {
  const server = await startBenchServer()
  try {
    const owner = await server.createUser('ada', 'monitors:read')
    await fillOverview(server, 'ada', OVERVIEW_SIZE)
    const cookie = await signInToBench(server.baseUrl, 'ada@example.com')
    const url = `${server.baseUrl}/api/overview?time_zone=Europe/Berlin`
    const uncompressedResponse = await get(url, { cookie })
    const { data } = JSON.parse(uncompressedResponse.body.toString()) as { data: Overview }
    const gzipHeaders = { cookie, 'accept-encoding': 'gzip' }
    const { bytes } = await get(url, gzipHeaders)
    console.log(
      `GET /api/overview, ${data.monitors.reduce((sum, { id }) => sum + id.length, 0)} monitors, ${data.websites.length} websites, ${uncompressedResponse.bytes} bytes, ${bytes} gzipped`,
    )
    const [overviewTimes, pageTimes, waitTimes]: [number[], number[], number[]] = [[], [], []]
    for (let n = 0; n < WARM_UP_REQUEST_COUNT + REQUEST_COUNT; n++) {
      await storeEvent(server, data.websites[0]?.id ?? 0, n)
      const overviewResponse = await get(url, gzipHeaders)
      const pageResponse = await get(
        `${server.baseUrl}/api/monitors?pageSize=${PAGE_SIZE}&page=${1 + n}`,
        owner.headers,
      )
      const longestWaitMs = await measureLongestWait(server.baseUrl, get(url, gzipHeaders))
      if (n < WARM_UP_REQUEST_COUNT) continue
      overviewTimes.push(overviewResponse.ms)
      pageTimes.push(pageResponse.ms)
      waitTimes.push(longestWaitMs)
    }
    console.log(
      `  overview ${formatTimes(overviewTimes)}; a page of ${PAGE_SIZE} monitors ${formatTimes(pageTimes)}; other requests wait ${formatTimes(waitTimes)}`,
    )
    await reportLiveStreamCost(server, cookie)
    const overviewMs = median(overviewTimes)
    const listMs = (median(pageTimes) * OVERVIEW_SIZE.monitors) / PAGE_SIZE
    const waitRatio = median(waitTimes) / overviewMs
    return [
      reportPerformancePromise(
        `at most ${MAX_LIST_RATIO}× the time for paging through the list of monitors`,
        `${(overviewMs / listMs).toFixed(2)}×`,
        overviewMs <= MAX_LIST_RATIO * listMs,
      ),
      reportPerformancePromise(
        `no other request waits longer than ${MAX_WAIT_RATIO}× the time for an overview`,
        `${waitRatio.toFixed(2)}×`,
        waitRatio <= MAX_WAIT_RATIO,
      ),
    ].every(Boolean)
  } finally {
    await server.stop()
  }
}
