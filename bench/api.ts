/** Measures authenticated reads through row level security, compared with a server that is written the usual way. */
import { listKeys } from '../src/keys/store.ts'
import { type BenchCaller, type BenchServer, startBenchServer } from './support/bench-server.ts'
import { compareUnderLoad, reportLoad } from './support/load-rounds.ts'
import { findFreePort, type StartedProcess, startProcess } from './support/processes.ts'
import { recordStatements } from './support/record-statements.ts'
import { reportPerformancePromise } from './support/report.ts'

const CONNECTIONS = 32
const KEY_COUNT = 20
const PATH = '/api/keys'
const MAX_COMPARISONS = 5

/** The caller already has one key. */
async function createOtherKeys(baseUrl: string, { headers }: BenchCaller): Promise<void> {
  const body = new URLSearchParams({ name: 'bench', scopes: 'monitors:read' })
  for (let n = 1; n < KEY_COUNT; n++) await fetch(baseUrl + PATH, { method: 'POST', headers, body })
}

/** Starts the baseline, which uses the same database, role and query as Belfry's requests. */
async function startUsualApi({ dataDir, db }: BenchServer): Promise<StartedProcess> {
  const [user] = await db.query<{ id: number }>(`select id from users where email = 'ada@example.com'`)
  const [listStatement] = await recordStatements(db, () => listKeys(db, 0))
  return startProcess(['bench/support/usual-api.ts'], await findFreePort(), {
    USUAL_DATA: dataDir,
    USUAL_ROLE: db.roles.requestRole ?? db.roles.login,
    USUAL_USER_ID: String(user?.id),
    USUAL_SQL: listStatement?.text ?? '',
  })
}

const fetchBody = async (url: string, headers: Record<string, string> = {}) =>
  Buffer.from(await (await fetch(url, { headers })).arrayBuffer())

/** Belfry stores regularly when keys were last used, which changes the body. So this compares bodies between two that are the same. */
async function reportBodies(belfryUrl: string, usualUrl: string, { headers }: BenchCaller): Promise<boolean> {
  for (let n = 0; n < MAX_COMPARISONS; n++) {
    const before = await fetchBody(belfryUrl, headers)
    const usual = await fetchBody(usualUrl)
    if (!before.equals(await fetchBody(belfryUrl, headers))) continue
    return reportPerformancePromise(
      'both return the same bytes',
      `${before.length} and ${usual.length}`,
      before.equals(usual),
    )
  }
  throw new Error('The keys changed during each comparison.')
}

export async function bench(): Promise<boolean> {
  // The limit is too high to be reached. The limiter still counts requests, so its cost is measured.
  const server = await startBenchServer({ BELFRY_RATE_LIMIT: '1000000000' })
  try {
    const owner = await server.createUser('ada', 'monitors:read')
    await createOtherKeys(server.baseUrl, owner)
    const usualApi = await startUsualApi(server)
    try {
      console.log(`GET ${PATH}, ${KEY_COUNT} keys`)
      const comparison = await compareUnderLoad({
        baselineName: 'the usual way',
        connections: CONNECTIONS,
        baseline: { port: usualApi.port, path: PATH },
        belfry: { port: server.port, path: PATH, headers: owner.headers },
      })
      return [
        ...reportLoad(comparison, { minThroughput: 2, maxP99: 1 }),
        await reportBodies(server.baseUrl + PATH, `http://127.0.0.1:${usualApi.port}${PATH}`, owner),
      ].every(Boolean)
    } finally {
      await usualApi.stop()
    }
  } finally {
    await server.stop()
  }
}
