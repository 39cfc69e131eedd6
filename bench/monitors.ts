/**
 * Measures how long the last page of 10,000 monitors takes, compared with the first page, and with the first page of a
 * user with 100 monitors.
 */

import { type BenchCaller, startBenchServer } from './support/bench-server.ts'
import { runHttpLoad } from './support/load.ts'
import { median, reportPerformancePromise } from './support/report.ts'

const LARGE_MONITOR_COUNT = 10_000
const SMALL_MONITOR_COUNT = 100
/**
 * The first requests of each query come from a third user, who has only ten rows. If PostgreSQL cached the plan for ten rows,
 * the requests of the other users would become slow, and the benchmark would show it.
 */
const TINY_MONITOR_COUNT = 10
const TINY_REQUEST_COUNT = 12
const PAGE_SIZE = 20
const ROUNDS = 7
const ROUND_SECONDS = 0.3
const MAX_LAST_TO_FIRST_RATIO = 2

/** Nine in ten monitors are up, and nine in ten are HTTP monitors, which is typical. */
const insertMonitorsSql = `insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
    remind_every_minutes, http, status, status_changed_at, search_text, created_at, updated_at)
  select id, 'Shop ' || n, 'https://shop-' || n || '.example.com/', kind, 60, 2, 5, 0,
         case when kind = 'http' then '{"method": "GET", "body": null, "expected_status": "200-399", "keyword": null,
           "keyword_absent": null, "follow_redirects": true, "verify_tls": true}'::jsonb end,
         case when n % 10 = 3 then 'down' else 'up' end, now(),
         'shop ' || n || E'\\nhttps://shop-' || n || '.example.com/', now(), now()
    from users, generate_series($2::int, $3::int) n, lateral (select case when n % 10 = 7 then 'ping' else 'http' end as kind) kinds
   where email = $1`

const insertStatesSql = `insert into monitor_states (user_id, monitor_id, last_checked_at, last_response_ms)
  select m.user_id, m.id, now(), 80 from monitors m join users u on u.id = m.user_id where u.email = $1
     and $2::int <= $3::int on conflict do nothing`

interface ListQuery {
  label: string
  query: string
  /** How many of ten monitors match. */
  matchesInTen: number
}

const listQueries: ListQuery[] = [
  { label: 'all', query: '', matchesInTen: 10 },
  { label: 'up', query: 'status=up', matchesInTen: 9 },
  { label: 'down', query: 'status=down', matchesInTen: 1 },
  { label: 'ping', query: 'type=ping', matchesInTen: 1 },
  { label: 'up and http', query: 'status=up&type=http', matchesInTen: 8 },
  { label: 'search', query: 'search=shop', matchesInTen: 10 },
]

const findLastPage = ({ matchesInTen }: ListQuery) => (LARGE_MONITOR_COUNT * matchesInTen) / 10 / PAGE_SIZE

async function measureRequest(port: number, { headers }: BenchCaller, query: string): Promise<number> {
  const path = `/api/monitors?${query}`
  const { p50Ms, failures } = await runHttpLoad({ port, path, headers, connections: 1, seconds: ROUND_SECONDS })
  if (failures > 0) throw new Error(`${failures} requests failed`)
  return p50Ms
}

type Owners = Record<'tiny' | 'small' | 'large', BenchCaller>

async function compare(port: number, { tiny, small, large }: Owners, listQuery: ListQuery): Promise<boolean> {
  const lastPage = findLastPage(listQuery)
  const pages = { first: 1, middle: Math.round(lastPage / 2), last: lastPage }
  for (let n = 0; n < TINY_REQUEST_COUNT; n++)
    await fetch(`http://127.0.0.1:${port}/api/monitors?${listQuery.query}`, tiny)
  const rounds: Record<'small' | keyof typeof pages, number>[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const measurePage = (page: number) => measureRequest(port, large, `page=${page}&${listQuery.query}`)
    rounds.push({
      small: await measureRequest(port, small, `page=1&${listQuery.query}`),
      first: await measurePage(pages.first),
      middle: await measurePage(pages.middle),
      last: await measurePage(pages.last),
    })
  }
  const formatMedian = (name: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[name])).toFixed(2)
  const ratio = median(rounds.map((round) => round.last / round.first))
  console.log(
    `  ${listQuery.label}: page 1 ${formatMedian('first')}, page ${pages.middle} ${formatMedian('middle')}, page ${lastPage} ${formatMedian('last')} ms` +
      ` (page 1 of ${SMALL_MONITOR_COUNT} monitors: ${formatMedian('small')} ms)`,
  )
  return reportPerformancePromise(
    `${listQuery.label}: the last page at most ${MAX_LAST_TO_FIRST_RATIO}× the first`,
    `${ratio.toFixed(2)}×`,
    ratio <= MAX_LAST_TO_FIRST_RATIO,
  )
}

export async function bench(): Promise<boolean> {
  const server = await startBenchServer()
  try {
    const createOwner = async (name: string, size: number): Promise<BenchCaller> => {
      const caller = await server.createUser(name, 'monitors:read')
      await server.fill(name, 'monitors', insertMonitorsSql, size)
      await server.fill(name, 'states', insertStatesSql, size)
      return caller
    }
    const owners = {
      tiny: await createOwner('tiny', TINY_MONITOR_COUNT),
      small: await createOwner('small', SMALL_MONITOR_COUNT),
      large: await createOwner('large', LARGE_MONITOR_COUNT),
    }
    await server.vacuum('monitors', 'monitor_states', 'monitor_counts')
    console.log(`GET /api/monitors, pages of ${PAGE_SIZE} out of ${LARGE_MONITOR_COUNT}, medians of one connection`)
    const results: boolean[] = []
    for (const listQuery of listQueries) results.push(await compare(server.port, owners, listQuery))
    return results.every(Boolean)
  } finally {
    await server.stop()
  }
}
