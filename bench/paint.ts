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
  type PageLoad,
  type ScrollResult,
} from './support/page-loads.ts'
import { interquartileMean, median, reportPerformancePromise } from './support/report.ts'
import { serveStaticCopy } from './support/static-copy.ts'

const LARGE_USER = { monitors: 10_000, websites: 1_000 }
const LOADS = 20
const WARM_UP_LOADS = 2
const SCROLL_MS = 2_000
const SCROLLS = 8
/** The time until the first row is painted, compared with one monitor and one website. */
const MAX_PAINT_RATIO = 1.3
/** The time for the API call that returns the first rows, compared with one monitor and one website. */
const MAX_CALL_RATIO = 2
/** The percentage of frames that the page drops, minus that of a copy of the page without scripts. */
const MAX_EXTRA_DROPPED_POINTS = 10
const MAX_SCRIPT_BYTES = 150_000

type LoadsByCache = Record<'cold' | 'warm', PageLoad[]>
type ByTeam<T> = Record<'large' | 'small', T>

/**
 * Each cold load uses a new browser context with an empty cache. The warm load follows in the same context. The users take turns, so that
 * other work on the machine slows both.
 */
async function measureLoads(browser: Browser, sessions: ByTeam<BenchSession>): Promise<ByTeam<LoadsByCache>> {
  const loads: ByTeam<LoadsByCache> = { small: { cold: [], warm: [] }, large: { cold: [], warm: [] } }
  for (let n = 0; n < WARM_UP_LOADS + LOADS; n++) {
    for (const user of ['small', 'large'] as const) {
      const context = await openContext(browser, sessions[user])
      const coldLoad = await loadPage(context, sessions[user].baseUrl)
      const warmLoad = await loadPage(context, sessions[user].baseUrl)
      await context.close()
      if (n < WARM_UP_LOADS) continue
      loads[user].cold.push(coldLoad)
      loads[user].warm.push(warmLoad)
    }
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

type ScrollsByPage = Record<'page' | 'copy', ScrollResult[]>

/** The page and its static copy take turns, so that other work on the machine slows both. */
async function measureScrolling(browser: Browser, session: BenchSession, path: string): Promise<ScrollsByPage> {
  const url = `${session.baseUrl}${path}`
  const scrolls: ScrollsByPage = { page: [], copy: [] }
  for (let n = 0; n < SCROLLS; n++) {
    const context = await openContext(browser, session)
    scrolls.page.push(await measureScroll(context, url, SCROLL_MS))
    await serveStaticCopy(context, url)
    scrolls.copy.push(await measureScroll(context, url, SCROLL_MS))
    await context.close()
  }
  return scrolls
}

function reportScrolls(name: string, scrolls: readonly ScrollResult[]): void {
  const list = (pick: (scroll: ScrollResult) => number) => scrolls.map((scroll) => pick(scroll).toFixed(0)).join(', ')
  console.log(
    `  ${name}, turning the wheel for ${SCROLL_MS / 1000} s: ${list(({ pixels }) => pixels)} px; ${list(({ frameCount }) => frameCount)} frames; longest ${list(({ longestGapMs }) => longestGapMs)} ms; ${list(({ droppedFrameCount }) => droppedFrameCount)} dropped`,
  )
}

/** Of all frames that the browser should have drawn. */
const computeDroppedPercent = (scrolls: readonly ScrollResult[]) =>
  interquartileMean(
    scrolls.map(({ frameCount, droppedFrameCount }) => (100 * droppedFrameCount) / (frameCount + droppedFrameCount)),
  )

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
    const sessions = { large: await signIn('ada'), small: await signIn('bob') }
    console.log(
      `${LARGE_USER.monitors} monitors, ${LARGE_USER.websites} websites; load of this machine ${loadavg()[0]?.toFixed(2)}`,
    )
    return await measure(sessions)
  } finally {
    await server.stop()
  }
}

async function measure(sessions: ByTeam<BenchSession>): Promise<boolean> {
  const browser = await launchBrowser()
  try {
    console.log('From navigation until the name of the first row is painted:')
    const loads = await measureLoads(browser, sessions)
    reportLoads('1 monitor, 1 website', loads.small)
    reportLoads(`${LARGE_USER.monitors} monitors, ${LARGE_USER.websites} websites`, loads.large)
    const scrolls = {
      monitors: await measureScrolling(browser, sessions.large, '/monitors'),
      overview: await measureScrolling(browser, sessions.large, '/'),
    }
    for (const [name, { page, copy }] of Object.entries(scrolls)) {
      reportScrolls(name, page)
      reportScrolls(`static copy of the ${name}`, copy)
    }
    console.log(`  fonts, icons and images: ${median(loads.large.cold.map(({ assetBytes }) => assetBytes))} bytes`)
    console.log(`  load of this machine ${loadavg()[0]?.toFixed(2)}`)
    return [...reportLoadPromises(loads), ...Object.entries(scrolls).map(reportScrollPromise)].every(Boolean)
  } finally {
    await browser.close()
  }
}

function reportLoadPromises(loads: ByTeam<LoadsByCache>): boolean[] {
  const compare = (pick: (load: PageLoad) => number) =>
    interquartileMean(loads.large.cold.map(pick)) / interquartileMean(loads.small.cold.map(pick))
  const paintRatio = compare(({ paintedMs }) => paintedMs)
  const callRatio = compare(({ calls: [first] }) => first?.durationMs ?? 0)
  const scriptBytes = median(loads.large.cold.map((load) => load.scriptBytes))
  return [
    reportPerformancePromise(
      `scripts of at most ${MAX_SCRIPT_BYTES} bytes gzipped`,
      `${scriptBytes}`,
      scriptBytes <= MAX_SCRIPT_BYTES,
    ),
    reportPerformancePromise(
      `first row painted after at most ${MAX_PAINT_RATIO}× the time with 1 monitor and 1 website`,
      `${paintRatio.toFixed(2)}×`,
      paintRatio <= MAX_PAINT_RATIO,
    ),
    reportPerformancePromise(
      `first API call at most ${MAX_CALL_RATIO}× the time with 1 monitor and 1 website`,
      `${callRatio.toFixed(2)}×`,
      callRatio <= MAX_CALL_RATIO,
    ),
  ]
}

function reportScrollPromise([name, { page, copy }]: [string, ScrollsByPage]): boolean {
  const [pagePercent, copyPercent] = [computeDroppedPercent(page), computeDroppedPercent(copy)]
  return reportPerformancePromise(
    `scrolling the ${name} drops at most ${MAX_EXTRA_DROPPED_POINTS} percentage points more frames than its static copy`,
    `${pagePercent.toFixed(1)} %, the copy ${copyPercent.toFixed(1)} %`,
    pagePercent - copyPercent <= MAX_EXTRA_DROPPED_POINTS,
  )
}
