/** The overview of ten thousand monitors and a thousand websites in a real browser, compared with one of each. */
import { loadavg } from 'node:os'
import type { Browser } from 'playwright-core'
import { isWebStale } from '../scripts/build-web.ts'
import { openBrowser } from '../tests/support/browser.ts'
import { signInToBench } from './support/account.ts'
import { type BenchServer, startBenchServer } from './support/bench-server.ts'
import { fillOverview } from './support/fill-overview.ts'
import { type Load, loadPage, openContext, openTab, type Scroll, scroll, type Visitor } from './support/page-loads.ts'
import { median, promise } from './support/report.ts'

const SIZE = { monitors: 10_000, websites: 1_000 }
const LOADS = 10
const WARM_UP_LOADS = 2
const SCROLL_MS = 2_000
const SCROLLS = 3
const MAX_PAINT_MS = 1_500
const MAX_CALL_MS = 300

type Times = Record<'cold' | 'warm', Load[]>

/** Each cold load uses a new browser context with an empty cache. The warm load follows in the same context. */
async function loads(browser: Browser, visitor: Visitor): Promise<Times> {
  const times: Times = { cold: [], warm: [] }
  for (let n = 0; n < WARM_UP_LOADS + LOADS; n++) {
    const context = await openContext(browser, visitor)
    const cold = await loadPage(context, visitor.base)
    const warm = await loadPage(context, visitor.base)
    await context.close()
    if (n < WARM_UP_LOADS) continue
    times.cold.push(cold)
    times.warm.push(warm)
  }
  return times
}

const ms = (value: number) => `${value.toFixed(0)} ms`
const worst = (values: readonly number[]) => Math.max(...values)
const shown = (values: readonly number[]) => `${ms(median(values))}, at worst ${ms(worst(values))}`
const painted = (times: readonly Load[]) => times.map(({ painted }) => painted)
const callsOf = (times: readonly Load[]) => times.flatMap(({ calls }) => calls)

/** Where the time of a load goes, as medians. */
function describe(times: readonly Load[]): string {
  const part = (of: (load: Load) => number) => ms(median(times.map(of)))
  const [call] = callsOf(times)
  const answered = ({ calls: [first] }: Load) => (first === undefined ? 0 : first.begun + first.took)
  return [
    `page ${part(({ html }) => html)}`,
    `scripts and styles ${part(({ html, files }) => files - html)}`,
    `asked after ${part(({ calls: [first] }) => first?.begun ?? 0)}`,
    `first byte ${part(({ calls: [first] }) => first?.waited ?? 0)}`,
    `transfer ${part(({ calls: [first] }) => (first ? first.took - first.waited : 0))} (${call?.bytes} bytes)`,
    `read and rendered ${part((one) => one.inserted - answered(one))}`,
    `painted ${part(({ inserted, painted }) => painted - inserted)}`,
  ].join(', ')
}

function report(name: string, times: Times): void {
  for (const kind of ['cold', 'warm'] as const) {
    console.log(`  ${name}, ${kind} cache: ${shown(painted(times[kind]))}`)
    console.log(`    ${describe(times[kind])}`)
    const paths = new Set(callsOf(times[kind]).map(({ path }) => path))
    for (const path of paths) {
      const took = callsOf(times[kind]).flatMap((call) => (call.path === path ? [call.took] : []))
      console.log(`    GET ${path}: ${shown(took)}`)
    }
  }
}

async function measureScrolling(browser: Browser, visitor: Visitor): Promise<Scroll[]> {
  const seen: Scroll[] = []
  for (let n = 0; n < SCROLLS; n++) {
    const context = await openContext(browser, visitor)
    const page = await openTab(context)
    await page.goto(`${visitor.base}/monitors`)
    seen.push(await scroll(page, SCROLL_MS))
    await context.close()
  }
  return seen
}

function reportScrolls(name: string, seen: readonly Scroll[]): void {
  for (const { pixels, frames, longest, dropped } of seen) {
    console.log(
      `  ${name}, the wheel for ${SCROLL_MS / 1000} s: ${pixels} px, ${frames} frames, longest ${ms(longest)}, ${dropped} dropped`,
    )
  }
}

/** A user with one monitor and one website. */
async function makeSmall(server: BenchServer): Promise<void> {
  const { headers } = await server.createUser('bob', 'websites:write', 'monitors:write')
  const post = (path: string, fields: Record<string, string>) =>
    fetch(server.base + path, { method: 'POST', headers, body: new URLSearchParams(fields) })
  await post('/api/v1/websites', { domain: 'example.org' })
  await post('/api/monitors', { friendly_name: 'Shop', url: 'https://example.org/' })
}

export async function bench(): Promise<boolean> {
  if (await isWebStale()) console.log('The pages have changed since the last build. Run `npm run build`.')
  const server = await startBenchServer()
  try {
    await server.createUser('ada', 'websites:read')
    await fillOverview(server, 'ada', SIZE)
    await makeSmall(server)
    const visitor = async (name: string) => ({
      base: server.base,
      cookie: await signInToBench(server.base, `${name}@example.com`),
    })
    const [large, small] = [await visitor('ada'), await visitor('bob')]
    console.log(
      `${SIZE.monitors} monitors, ${SIZE.websites} websites; load of this machine ${loadavg()[0]?.toFixed(2)}`,
    )
    return await measure(large, small)
  } finally {
    await server.stop()
  }
}

async function measure(large: Visitor, small: Visitor): Promise<boolean> {
  const browser = await openBrowser()
  try {
    console.log('From navigation until the name of the first row is painted:')
    const one = await loads(browser, small)
    report('one of each', one)
    const many = await loads(browser, large)
    report('all of them', many)
    reportScrolls('one monitor', await measureScrolling(browser, small))
    reportScrolls('all monitors', await measureScrolling(browser, large))
    const [cold, base] = [median(painted(many.cold)), median(painted(one.cold))]
    const call = median(callsOf(many.cold).map(({ took }) => took))
    console.log(`  ${(cold / base).toFixed(2)}× as long as with one of each`)
    return [
      promise(`painted within ${MAX_PAINT_MS} ms`, ms(cold), cold < MAX_PAINT_MS),
      promise(`API calls within ${MAX_CALL_MS} ms`, ms(call), call < MAX_CALL_MS),
    ].every(Boolean)
  } finally {
    await browser.close()
  }
}
