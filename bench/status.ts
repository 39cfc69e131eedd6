/** Measures a status page of 100 monitors with a year of history, compared with a bare Fastify route that returns the same response. */
import { type IncomingHttpHeaders, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { loadVersionedSnapshot } from '../src/status-pages/load/versioned-snapshot.ts'
import { readPageVersion } from '../src/status-pages/load/versions.ts'
import type { Statement } from '../src/storage/batch.ts'
import { type BenchCaller, type BenchServer, startBenchServer } from './support/bench-server.ts'
import { fillOverview } from './support/fill-overview.ts'
import { compareUnderLoad, reportLoad } from './support/load-rounds.ts'
import { findFreePort, startProcess } from './support/processes.ts'
import { recordStatements } from './support/record-statements.ts'
import { median, reportPerformancePromise } from './support/report.ts'

const MONITORS = 100
const CONNECTIONS = 64
const CHANGES = 10
const MAX_CHANGE_MS = 2_000
const POLL_INTERVAL_MS = 20
/** The header that Chromium sends. */
const browserHeaders = { 'accept-encoding': 'gzip, deflate, br, zstd' }

interface PageResponse {
  headers: IncomingHttpHeaders
  body: Buffer
}

function get(url: string, headers: Record<string, string> = {}): Promise<PageResponse> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(url, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const body = Buffer.concat(chunks)
        if (response.statusCode === 200) resolve({ headers: response.headers, body })
        else reject(new Error(`${url}: ${response.statusCode} ${body}`))
      })
    })
    clientRequest.on('error', reject).end()
  })
}

interface BenchPage {
  id: number
  teamId: number
  monitorIds: number[]
}

/** Creates a page with ten groups and with response times. */
async function createPage({ baseUrl, db }: BenchServer, { headers }: BenchCaller, slug: string, count: number) {
  const monitors = await db.query<{ id: number; teamId: number }>(
    `select m.id, m.user_id as "teamId" from monitors m join users u on u.id = m.user_id
      where u.email = 'ada@example.com' order by m.id limit $1`,
    [count],
  )
  const groups = Array.from({ length: Math.min(10, count) }, (_, group) => ({
    name: `Group ${group + 1}`,
    monitors: monitors.filter((_, index) => index % 10 === group).map(({ id }) => ({ monitor_id: id })),
  }))
  const response = await fetch(`${baseUrl}/api/status-pages`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ slug, title: 'Example status', groups, show_response_times: true }),
  })
  if (response.status !== 201) throw new Error(await response.text())
  const { data } = (await response.json()) as { data: { id: number } }
  return { id: data.id, teamId: monitors[0]?.teamId ?? 0, monitorIds: monitors.map(({ id }) => id) }
}

const summarize = ({ text }: Statement) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 110)

async function reportStatements({ db }: BenchServer, page: BenchPage, smallPage: BenchPage): Promise<boolean> {
  const options = { now: new Date(), canSubscribe: true }
  const toKey = ({ id, teamId }: BenchPage) => ({ teamId, pageId: id })
  const load = (target: BenchPage) => loadVersionedSnapshot(db, toKey(target), options)
  const statements = await recordStatements(db, () => load(page))
  const times: number[] = []
  for (let n = 0; n < 20; n++) {
    const startedAt = performance.now()
    await load(page)
    times.push(performance.now() - startedAt)
  }
  console.log(`Building the page: ${statements.length} statements in one round trip, ${median(times).toFixed(1)} ms`)
  for (const statement of statements) console.log(`  ${summarize(statement)}`)
  const checks = await recordStatements(db, () => readPageVersion(db, { slug: 'bench-page' }, options.now))
  console.log(`Comparing the page with its copy, at most once a second: ${checks.length} statement`)
  const smallCount = (await recordStatements(db, () => load(smallPage))).length
  return reportPerformancePromise(
    'building takes as many statements as for one monitor',
    `${statements.length} and ${smallCount}`,
    statements.length === smallCount,
  )
}

/** Returns the time from the commit of a change until the page shows it, in milliseconds. */
async function measureChange({ baseUrl, db }: BenchServer, monitorId: number, status: string): Promise<number> {
  const url = `${baseUrl}/status/bench-page`
  const before = await get(url)
  await db.query('update monitors set status = $2, status_changed_at = now() where id = $1', [monitorId, status])
  const startedAt = performance.now()
  while ((await get(url)).headers.etag === before.headers.etag) {
    await delay(POLL_INTERVAL_MS)
    if (performance.now() - startedAt > 10 * MAX_CHANGE_MS) break
  }
  return performance.now() - startedAt
}

async function reportChanges(server: BenchServer, { monitorIds }: BenchPage): Promise<boolean> {
  const times: number[] = []
  for (let n = 0; n < CHANGES; n++) {
    // The server regularly compares the page with its copy. The delays differ, so that the changes happen at different
    // times between two comparisons.
    await delay(137 * n)
    times.push(await measureChange(server, monitorIds[1] ?? 0, n % 2 === 0 ? 'down' : 'up'))
  }
  const text = `median ${median(times).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms`
  return reportPerformancePromise('a change is on the page within 2 s', text, Math.max(...times) < MAX_CHANGE_MS)
}

/** Returns the response for a browser. */
async function printSizes(baseUrl: string): Promise<PageResponse> {
  const url = `${baseUrl}/status/bench-page`
  const sizeOf = async (path: string, encoding: string) =>
    (await get(url + path, { 'accept-encoding': encoding })).body.length
  for (const [name, path] of [
    ['HTML', ''],
    ['JSON', '.json'],
    ['Atom', '.atom'],
    ['badge', '/badge.svg'],
  ] as const) {
    const [plain, gzip, brotli] = [await sizeOf(path, 'identity'), await sizeOf(path, 'gzip'), await sizeOf(path, 'br')]
    console.log(`  ${name}: ${plain} bytes, ${gzip} with gzip, ${brotli} with brotli`)
  }
  return get(url, browserHeaders)
}

async function reportPageLoad({ port }: BenchServer, { headers, body }: PageResponse): Promise<boolean[]> {
  // Node adds these to each response itself.
  const { connection: _, date: __, 'keep-alive': ___, ...ownHeaders } = headers
  console.log(`GET /status/bench-page, ${body.length} bytes`)
  const bare = await startProcess(['bench/support/bare.ts'], await findFreePort(), {
    BARE_HEADERS: JSON.stringify(ownHeaders),
    BARE_BODY_BASE64: body.toString('base64'),
  })
  const comparison = await compareUnderLoad({
    baselineName: 'a bare route',
    connections: CONNECTIONS,
    baseline: { port: bare.port, path: '/bare', headers: browserHeaders },
    belfry: { port, path: '/status/bench-page', headers: browserHeaders },
  }).finally(() => bare.stop())
  return reportLoad(comparison, { minThroughput: 0.6, maxP99: 2 })
}

export async function bench(): Promise<boolean> {
  const server = await startBenchServer()
  try {
    const owner = await server.createUser('ada', 'status:read', 'status:write')
    await fillOverview(server, 'ada', { monitors: MONITORS, websites: 1 })
    const page = await createPage(server, owner, 'bench-page', MONITORS)
    const smallPage = await createPage(server, owner, 'small-page', 1)
    console.log(`GET /status/bench-page, ${MONITORS} monitors with a year of history`)
    const response = await printSizes(server.baseUrl)
    const promises = [
      ...(await reportPageLoad(server, response)),
      await reportChanges(server, page),
      await reportStatements(server, page, smallPage),
    ]
    return promises.every(Boolean)
  } finally {
    await server.stop()
  }
}
