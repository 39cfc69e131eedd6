/** Measures the overview of 10,000 monitors and 1,000 websites in a real browser, compared with one monitor and one website. */
import { loadavg } from 'node:os'
import type { Browser } from 'playwright-core'
import { isWebStale } from '../packaging/stale-builds.ts'
import { launchBrowser } from '../tests/support/browser.ts'
import { signInToBench } from './support/account.ts'
import { type BenchServer, startBenchServer } from './support/bench-server.ts'
import { fillOverview } from './support/fill-overview.ts'
import {
  type BenchSession,
  loadPage,
  measureScroll,
  openContext,
  openTab,
  type PageLoad,
  type ScrollResult,
} from './support/page-loads.ts'
import { median, reportPerformancePromise } from './support/report.ts'

const LARGE_USER = { monitors: 10_000, websites: 1_000 }
const LOADS = 10
const WARM_UP_LOADS = 2
const SCROLL_MS = 2_000
const SCROLLS = 3
const MAX_PAINT_MS = 500
/** The limit for the API call that returns the first rows. */
const MAX_CALL_MS = 120
const MAX_SCRIPT_BYTES = 150_000

type LoadsByCache = Record<'cold' | 'warm', PageLoad[]>

/** Each cold load uses a new browser context with an empty cache. The warm load follows in the same context. */
async function measureLoads(browser: Browser, session: BenchSession): Promise<LoadsByCache> {
  const loads: LoadsByCache = { cold: [], warm: [] }
  for (let n = 0; n < WARM_UP_LOADS + LOADS; n++) {
    const context = await openContext(browser, session)
    const coldLoad = await loadPage(context, session.baseUrl)
    const warmLoad = await loadPage(context, session.baseUrl)
    await context.close()
    if (n < WARM_UP_LOADS) continue
    loads.cold.push(coldLoad)
    loads.warm.push(warmLoad)
  }
  return loads
}

const formatMs = (value: number) => `${value.toFixed(0)} ms`
const findWorst = (values: readonly number[]) => Math.max(...values)
const formatTimes = (values: readonly number[]) =>
  `${formatMs(median(values))}, at worst ${formatMs(findWorst(values))}`
const listPaintTimes = (loads: readonly PageLoad[]) => loads.map(({ paintedMs }) => paintedMs)
const listCalls = (loads: readonly PageLoad[]) => loads.flatMap(({ calls }) => calls)

/** Lists the medians of the parts of a page load. */
function describeLoads(loads: readonly PageLoad[]): string {
  const medianOf = (pick: (load: PageLoad) => number) => formatMs(median(loads.map(pick)))
  const [call] = listCalls(loads)
  const computeFirstCallEndMs = ({ calls: [first] }: PageLoad) =>
    first === undefined ? 0 : first.startedMs + first.durationMs
  return [
    `page ${medianOf(({ htmlMs }) => htmlMs)}`,
    `scripts and styles ${medianOf(({ htmlMs, filesMs }) => filesMs - htmlMs)}`,
    `request sent after ${medianOf(({ calls: [first] }) => first?.startedMs ?? 0)}`,
    `first byte ${medianOf(({ calls: [first] }) => first?.firstByteMs ?? 0)}`,
    `transfer ${medianOf(({ calls: [first] }) => (first ? first.durationMs - first.firstByteMs : 0))} (${call?.bytes} bytes)`,
    `parsed and rendered ${medianOf((load) => load.insertedMs - computeFirstCallEndMs(load))}`,
    `painted ${medianOf(({ insertedMs, paintedMs }) => paintedMs - insertedMs)}`,
    `all rows after ${medianOf(({ completeMs }) => completeMs)}`,
    `longest task after painting ${medianOf(({ longestTaskMs }) => longestTaskMs)}`,
  ].join(', ')
}

function reportLoads(name: string, loads: LoadsByCache): void {
  for (const kind of ['cold', 'warm'] as const) {
    console.log(`  ${name}, ${kind} cache: ${formatTimes(listPaintTimes(loads[kind]))}`)
    console.log(`    ${describeLoads(loads[kind])}`)
    const paths = new Set(listCalls(loads[kind]).map(({ path }) => path))
    for (const path of paths) {
      const durations = listCalls(loads[kind]).flatMap((call) => (call.path === path ? [call.durationMs] : []))
      console.log(`    GET ${path}: ${formatTimes(durations)}`)
    }
  }
}

async function measureScrolling(browser: Browser, session: BenchSession): Promise<ScrollResult[]> {
  const results: ScrollResult[] = []
  for (let n = 0; n < SCROLLS; n++) {
    const context = await openContext(browser, session)
    const page = await openTab(context)
    await page.goto(`${session.baseUrl}/monitors`)
    results.push(await measureScroll(page, SCROLL_MS))
    await context.close()
  }
  return results
}

function reportScrolls(name: string, results: readonly ScrollResult[]): void {
  for (const { pixels, frameCount, longestGapMs, droppedFrameCount } of results) {
    console.log(
      `  ${name}, the wheel for ${SCROLL_MS / 1000} s: ${pixels} px, ${frameCount} frames, longest ${formatMs(longestGapMs)}, ${droppedFrameCount} dropped`,
    )
  }
}

/** Creates a user with one monitor and one website. */
async function createSmallUser(server: BenchServer): Promise<void> {
  const { headers } = await server.createUser('bob', 'websites:write', 'monitors:write')
  const post = (path: string, fields: Record<string, string>) =>
    fetch(server.baseUrl + path, { method: 'POST', headers, body: new URLSearchParams(fields) })
  await post('/api/v1/websites', { domain: 'example.org' })
  await post('/api/monitors', { friendly_name: 'Shop', url: 'https://example.org/' })
}

export async function bench(): Promise<boolean> {
  if (await isWebStale()) console.log('The pages have changed since the last build. Run `npm run build`.')
  const server = await startBenchServer()
  try {
    await server.createUser('ada', 'websites:read')
    await fillOverview(server, 'ada', LARGE_USER)
    await createSmallUser(server)
    const signIn = async (name: string) => ({
      baseUrl: server.baseUrl,
      cookie: await signInToBench(server.baseUrl, `${name}@example.com`),
    })
    const [largeSession, smallSession] = [await signIn('ada'), await signIn('bob')]
    console.log(
      `${LARGE_USER.monitors} monitors, ${LARGE_USER.websites} websites; load of this machine ${loadavg()[0]?.toFixed(2)}`,
    )
    return await measure(largeSession, smallSession)
  } finally {
    await server.stop()
  }
}

async function measure(largeSession: BenchSession, smallSession: BenchSession): Promise<boolean> {
  const browser = await launchBrowser()
  try {
    console.log('From navigation until the name of the first row is painted:')
    const smallLoads = await measureLoads(browser, smallSession)
    reportLoads('one of each', smallLoads)
    const largeLoads = await measureLoads(browser, largeSession)
    reportLoads('all of them', largeLoads)
    reportScrolls('one monitor', await measureScrolling(browser, smallSession))
    reportScrolls('all monitors', await measureScrolling(browser, largeSession))
    const [largeMs, smallMs] = [median(listPaintTimes(largeLoads.cold)), median(listPaintTimes(smallLoads.cold))]
    const computeCallMs = (loads: readonly PageLoad[]) =>
      median(loads.map(({ calls: [first] }) => first?.durationMs ?? 0))
    const [callMs, smallCallMs] = [computeCallMs(largeLoads.cold), computeCallMs(smallLoads.cold)]
    console.log(
      `  ${(largeMs / smallMs).toFixed(2)}× as long as with one of each, the first API call ${(callMs / smallCallMs).toFixed(2)}×`,
    )
    const scriptBytes = median(largeLoads.cold.map((load) => load.scriptBytes))
    console.log(`  fonts, icons and images: ${median(largeLoads.cold.map(({ assetBytes }) => assetBytes))} bytes`)
    console.log(`  load of this machine ${loadavg()[0]?.toFixed(2)}`)
    return [
      reportPerformancePromise(
        `scripts of at most ${MAX_SCRIPT_BYTES} bytes gzipped`,
        `${scriptBytes}`,
        scriptBytes <= MAX_SCRIPT_BYTES,
      ),
      reportPerformancePromise(`painted within ${MAX_PAINT_MS} ms`, formatMs(largeMs), largeMs < MAX_PAINT_MS),
      reportPerformancePromise(`first API call within ${MAX_CALL_MS} ms`, formatMs(callMs), callMs < MAX_CALL_MS),
    ].every(Boolean)
  } finally {
    await browser.close()
  }
}
