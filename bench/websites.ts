/**
 * Measures how long a page of a user with 100,000 websites takes, compared with the same page of a user with 1,000
 * websites.
 */

import { type BenchCaller, startBenchServer } from './support/bench-server.ts'
import { runHttpLoad } from './support/load.ts'
import { median, reportPerformancePromise } from './support/report.ts'

/**
 * The first requests of each query come from a third user, who has only ten rows. If PostgreSQL cached the plan for ten rows,
 * the requests of the other users would become slow, and the benchmark would show it.
 */
const TINY_WEBSITE_COUNT = 10
const TINY_REQUEST_COUNT = 12
const SMALL_WEBSITE_COUNT = 1_000
const LARGE_WEBSITE_COUNT = 100_000
const ROUNDS = 5
const ROUND_SECONDS = 0.3
const MAX_LARGE_TO_SMALL_RATIO = 2
const SEARCHES_AFTER_CHANGES = 20

/**
 * The domains of a user differ only in their numbers, so they share most of their suffixes. This is the hardest case for the
 * search, which looks up suffixes.
 */
const createInsertSql = (
  size: number,
) => `insert into websites (user_id, domain, privacy, email, exclude_bots, favorite, time_zone, created_at, updated_at)
  select id, 'site-' || lpad(n::text, 6, '0') || '.w' || lpad((n % 100)::text, 2, '0') || '.t' || n % 10 || '.example.${size}.test',
         0, 0, 1, n % 5 = 0, 'UTC', now(), now()
    from users, generate_series($2::int, $3::int) n where email = $1`

type Owners = Record<'tiny' | 'small' | 'large', BenchCaller>

interface WebsiteQuery {
  label: string
  /** Returns the query string of the nth request. */
  formatQuery: (n: number) => string
}

const padToSix = (n: number) => String(n).padStart(6, '0')

/** Each response holds the same number of rows for the user with few websites as for the user with many. */
const queries: WebsiteQuery[] = [
  { label: 'no search', formatQuery: () => 'page=1' },
  { label: 'no search, page 100', formatQuery: () => 'page=100' },
  { label: 'favorites', formatQuery: () => 'favorite=true' },
  {
    label: 'search that finds one, always another',
    formatQuery: (n) => `search=site-${padToSix(n % SMALL_WEBSITE_COUNT)}`,
  },
  { label: 'search that finds nothing, always another', formatQuery: (n) => `search=nothing-${n}` },
  { label: 'search that finds 1 in 100', formatQuery: () => 'search=.w07.' },
  { label: 'search that finds 1 in 10', formatQuery: () => 'search=.t7.' },
  { label: 'search that finds all', formatQuery: () => 'search=example' },
  { label: 'search for one letter', formatQuery: () => 'search=x' },
]

const sortOrders = ['id', 'domain'].flatMap((by) =>
  ['asc', 'desc'].map((direction) => `sort_by=${by}&sort=${direction}`),
)

/**
 * The argument of `formatQuery`. It is never reset: otherwise a round would repeat the search terms of the round
 * before, whose results are cached.
 */
let requestCount = 0

async function measureRequest(port: number, owner: BenchCaller, query: WebsiteQuery, order: string): Promise<number> {
  const { p50Ms, failures } = await runHttpLoad({
    port,
    path: () => `/api/v1/websites?${query.formatQuery(requestCount++)}&${order}`,
    headers: owner.headers,
    connections: 1,
    seconds: ROUND_SECONDS,
  })
  if (failures > 0) throw new Error(`${failures} requests failed`)
  return p50Ms
}

async function compare(port: number, owners: Owners, query: WebsiteQuery): Promise<boolean> {
  const { tiny, small, large } = owners
  const ratios: number[] = []
  const lines: string[] = []
  for (const order of sortOrders) {
    for (let n = 0; n < TINY_REQUEST_COUNT; n++) {
      await fetch(`http://127.0.0.1:${port}/api/v1/websites?${query.formatQuery(n)}&${order}`, tiny)
    }
    const rounds: { small: number; large: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const responseTimesMs = {
        small: await measureRequest(port, small, query, order),
        large: await measureRequest(port, large, query, order),
      }
      rounds.push(responseTimesMs)
    }
    const ratio = median(rounds.map(({ small, large }) => large / small))
    ratios.push(ratio)
    const formatMedian = (size: 'small' | 'large') => median(rounds.map((round) => round[size])).toFixed(2)
    lines.push(
      `${order.replace(/sort(_by)?=/g, '').replace('&', ' ')} ${formatMedian('small')} → ${formatMedian('large')} ms`,
    )
  }
  console.log(`  ${query.label}: ${lines.join(', ')}`)
  const worstRatio = Math.max(...ratios)
  return reportPerformancePromise(
    `${query.label}: at most ${MAX_LARGE_TO_SMALL_RATIO}×`,
    `${worstRatio.toFixed(2)}×`,
    worstRatio <= MAX_LARGE_TO_SMALL_RATIO,
  )
}

/** Measures searches right after the list has changed, when cached results are no longer valid. We promise nothing about these times. */
async function measureAfterChange(baseUrl: string, owners: BenchCaller[], query: WebsiteQuery): Promise<void> {
  const lines: string[] = []
  for (const { headers } of owners) {
    const listUrl = `${baseUrl}/api/v1/websites`
    const { data } = (await (await fetch(listUrl, { headers })).json()) as { data: [{ id: number }] }
    const times: number[] = []
    for (let n = 0; n < SEARCHES_AFTER_CHANGES; n++) {
      const body = new URLSearchParams({ favorite: String(n % 2) })
      await (await fetch(`${listUrl}/${data[0].id}`, { method: 'PATCH', headers, body })).text()
      const startedAt = performance.now()
      await (await fetch(`${listUrl}?${query.formatQuery(n)}`, { headers })).text()
      times.push(performance.now() - startedAt)
    }
    lines.push(median(times).toFixed(1))
  }
  console.log(`  after a change, ${query.label}: ${lines.join(' → ')} ms`)
}

export async function bench(): Promise<boolean> {
  const server = await startBenchServer()
  try {
    const createOwner = async (name: string, size: number): Promise<BenchCaller> => {
      const caller = await server.createUser(name, 'websites:read', 'websites:write')
      await server.fill(name, 'websites', createInsertSql(size), size)
      return caller
    }
    const owners: Owners = {
      tiny: await createOwner('tiny', TINY_WEBSITE_COUNT),
      small: await createOwner('small', SMALL_WEBSITE_COUNT),
      large: await createOwner('large', LARGE_WEBSITE_COUNT),
    }
    await server.vacuum('websites', 'website_suffixes', 'website_counts')
    console.log(
      `GET /api/v1/websites, a page of 10 out of ${SMALL_WEBSITE_COUNT} → out of ${LARGE_WEBSITE_COUNT}, medians of one connection`,
    )
    const results: boolean[] = []
    for (const query of queries) results.push(await compare(server.port, owners, query))
    for (const query of queries) await measureAfterChange(server.baseUrl, [owners.small, owners.large], query)
    return results.every(Boolean)
  } finally {
    await server.stop()
  }
}
