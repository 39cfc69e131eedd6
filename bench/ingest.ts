/** Measures durable ingestion of events, compared with a server that is written the usual way and is as durable. */
import { startBenchServer } from './support/bench-server.ts'
import { compareWithUsualIntake } from './support/compare-intake.ts'
import type { PostRequest } from './support/load.ts'
import { reportLoad } from './support/load-rounds.ts'
import { readMemoryMb } from './support/processes.ts'
import { reportPerformancePromise } from './support/report.ts'

const PATH = '/api/event'
const VISITORS = 2_000
const PAGES = 500
const DOMAIN = 'example.com'

const userAgents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Mobile Safari/537.36',
]
const referrers = [null, null, 'https://www.google.com/', 'https://news.ycombinator.com/item?id=1', 'https://t.co/abc']

/** Requests as a proxy forwards them, from many visitors with different addresses and browsers. */
const posts: PostRequest[] = Array.from({ length: VISITORS }, (_, n) => ({
  headers: {
    'content-type': 'application/json',
    'user-agent': userAgents[n % userAgents.length] ?? '',
    'accept-language': 'de-DE,de;q=0.9,en;q=0.8',
    'x-forwarded-for': `${1 + (n % 200)}.${(n * 7) % 256}.${(n * 13) % 256}.${n % 256}`,
  },
  body: JSON.stringify({
    n: 'pageview',
    u: `https://${DOMAIN}/articles/${(n * 17) % PAGES}?page=2&utm_campaign=spring`,
    d: DOMAIN,
    r: referrers[n % referrers.length],
    s: '1920x1080',
  }),
}))

export async function bench(): Promise<boolean> {
  const server = await startBenchServer()
  try {
    const owner = await server.createUser('ada', 'websites:read', 'websites:write')
    const response = await fetch(`${server.baseUrl}/api/v1/websites`, {
      method: 'POST',
      headers: owner.headers,
      body: new URLSearchParams({ domain: DOMAIN }),
    })
    const { data } = (await response.json()) as { data: { id: number } }
    console.log(`POST ${PATH}, ${posts[0]?.body.length} bytes, ${VISITORS} visitors`)
    const comparison = await compareWithUsualIntake(server, { path: PATH, posts })
    const memory = await readMemoryMb(server.pid())
    const overviewResponse = await fetch(`${server.baseUrl}/api/v1/stats/${data.id}/overview`, {
      headers: owner.headers,
    })
    const { totals } = ((await overviewResponse.json()) as { data: { totals: { pageviews: number } } }).data
    const [storedRow] = await server.db.query<{ count: number }>('select count(*) as count from events')
    console.log(`  ${memory.toFixed(0)} MB afterwards`)

    const { acknowledgedCount } = comparison
    return [
      ...reportLoad(comparison, { minThroughput: 0.8, maxP99: 1.4 }),
      reportPerformancePromise(
        'no acknowledged event is missing',
        `${acknowledgedCount} acknowledged, ${storedRow?.count} stored, ${totals.pageviews} in the statistics`,
        storedRow?.count === acknowledgedCount && totals.pageviews === acknowledgedCount,
      ),
    ].every(Boolean)
  } finally {
    await server.stop()
  }
}
