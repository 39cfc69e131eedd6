/** A page of 100,000 websites of one user, compared with the same page of 1,000. */

import { type BenchCaller, startBenchServer } from './support/bench-server.ts'
import { runHttpLoad } from './support/load.ts'
import { median, promise } from './support/report.ts'

/** A third user with only ten rows sends the first requests. If PostgreSQL cached a plan, it would be one for ten rows. */
const TINY = 10
const SMALL = 1_000
const LARGE = 100_000
const ROUNDS = 5
const ROUND_SECONDS = 0.3
const MAX_RATIO = 2
const FIRST_TIMES = 20
const TINY_TIMES = 12

/** Numbered names share most of their suffixes, which is the hard case for a search. */
const insertOf = (
  size: number,
) => `insert into websites (user_id, domain, privacy, email, exclude_bots, favorite, time_zone, created_at, updated_at)
  select id, 'site-' || lpad(n::text, 6, '0') || '.w' || lpad((n % 100)::text, 2, '0') || '.t' || n % 10 || '.example.${size}.test',
         0, 0, 1, n % 5 = 0, 'UTC', now(), now()
    from users, generate_series($2::int, $3::int) n where email = $1`

type Registries = Record<'tiny' | 'small' | 'large', BenchCaller>

interface Question {
  text: string
  /** The query of the nth request. */
  query: (n: number) => string
}

const six = (n: number) => String(n).padStart(6, '0')

/** Both users get a full page, or the same website, for each query. */
const questions: Question[] = [
  { text: 'no search', query: () => 'page=1' },
  { text: 'no search, page 100', query: () => 'page=100' },
  { text: 'favorites', query: () => 'favorite=true' },
  { text: 'search that finds one, always another', query: (n) => `search=site-${six(n % SMALL)}` },
  { text: 'search that finds nothing, always another', query: (n) => `search=nothing-${n}` },
  { text: 'search that finds 1 in 100', query: () => 'search=.w07.' },
  { text: 'search that finds 1 in 10', query: () => 'search=.t7.' },
  { text: 'search that finds all', query: () => 'search=example' },
  { text: 'search for one letter', query: () => 'search=x' },
]

const orders = ['id', 'domain'].flatMap((by) => ['asc', 'desc'].map((direction) => `sort_by=${by}&sort=${direction}`))

/** Counts across rounds, so that queries that must be new each time are. */
let asked = 0

async function cost(port: number, registry: BenchCaller, question: Question, order: string): Promise<number> {
  const { p50Ms, failures } = await runHttpLoad({
    port,
    path: () => `/api/v1/websites?${question.query(asked++)}&${order}`,
    headers: registry.headers,
    connections: 1,
    seconds: ROUND_SECONDS,
  })
  if (failures > 0) throw new Error(`${failures} requests failed`)
  return p50Ms
}

async function compare(port: number, registries: Registries, question: Question): Promise<boolean> {
  const { tiny, small, large } = registries
  const ratios: number[] = []
  const seen: string[] = []
  for (const order of orders) {
    for (let n = 0; n < TINY_TIMES; n++) {
      await fetch(`http://127.0.0.1:${port}/api/v1/websites?${question.query(n)}&${order}`, tiny)
    }
    const rounds: { small: number; large: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const costs = { small: await cost(port, small, question, order), large: await cost(port, large, question, order) }
      rounds.push(costs)
    }
    const ratio = median(rounds.map(({ small, large }) => large / small))
    ratios.push(ratio)
    const ms = (size: 'small' | 'large') => median(rounds.map((round) => round[size])).toFixed(2)
    seen.push(`${order.replace(/sort(_by)?=/g, '').replace('&', ' ')} ${ms('small')} → ${ms('large')} ms`)
  }
  console.log(`  ${question.text}: ${seen.join(', ')}`)
  const worst = Math.max(...ratios)
  return promise(`${question.text}: at most ${MAX_RATIO}×`, `${worst.toFixed(2)}×`, worst <= MAX_RATIO)
}

/** Not a promise: after each change of the list, a search counts its matches once. The time of the change itself is excluded. */
async function showFirst(base: string, registries: BenchCaller[], question: Question): Promise<void> {
  const seen: string[] = []
  for (const { headers } of registries) {
    const list = `${base}/api/v1/websites`
    const { data } = (await (await fetch(list, { headers })).json()) as { data: [{ id: number }] }
    const times: number[] = []
    for (let n = 0; n < FIRST_TIMES; n++) {
      const body = new URLSearchParams({ favorite: String(n % 2) })
      await (await fetch(`${list}/${data[0].id}`, { method: 'PATCH', headers, body })).text()
      const from = performance.now()
      await (await fetch(`${list}?${question.query(n)}`, { headers })).text()
      times.push(performance.now() - from)
    }
    seen.push(median(times).toFixed(1))
  }
  console.log(`  after a change, ${question.text}: ${seen.join(' → ')} ms`)
}

export async function bench(): Promise<boolean> {
  const server = await startBenchServer()
  try {
    const registry = async (name: string, size: number): Promise<BenchCaller> => {
      const caller = await server.createUser(name, 'websites:read', 'websites:write')
      await server.fill(name, 'websites', insertOf(size), size)
      return caller
    }
    const registries: Registries = {
      tiny: await registry('tiny', TINY),
      small: await registry('small', SMALL),
      large: await registry('large', LARGE),
    }
    await server.vacuum('websites', 'website_suffixes', 'website_counts')
    console.log(`GET /api/v1/websites, a page of 10 out of ${SMALL} → out of ${LARGE}, medians of one connection`)
    const held: boolean[] = []
    for (const question of questions) held.push(await compare(server.port, registries, question))
    for (const question of questions) await showFirst(server.base, [registries.small, registries.large], question)
    return held.every(Boolean)
  } finally {
    await server.stop()
  }
}
