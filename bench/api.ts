/** Measures authenticated reads through row level security, compared with a bare Fastify route that returns the same bytes. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBenchKey, password, signInToBench } from './support/account.ts'
import { runHttpLoad } from './support/load.ts'
import { findFreePort, serveArguments, startProcess } from './support/processes.ts'
import { type LoadRound, printLoadRound, reportLoad } from './support/report.ts'

const CONNECTIONS = 32
const ROUNDS = 5
/** The first rounds are not counted, because V8 optimizes the code during the first seconds under load. */
const WARM_UP_ROUNDS = 2
const ROUND_SECONDS = 3
const KEY_COUNT = 20
const EMAIL = 'bench@example.com'

async function createKeysAndReturnLast(baseUrl: string): Promise<string> {
  const cookie = await signInToBench(baseUrl, EMAIL)
  let key = ''
  for (let n = 0; n < KEY_COUNT; n++) key = await createBenchKey(baseUrl, cookie, 'monitors:read')
  return key
}

export async function bench(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'belfry-bench-'))
  const belfry = await startProcess(serveArguments, await findFreePort(), {
    BELFRY_DATA: join(folder, 'data'),
    BELFRY_ADMIN_EMAIL: EMAIL,
    BELFRY_ADMIN_PASSWORD: password,
    // The limit is too high to be reached. The limiter still counts requests, so its cost is measured.
    BELFRY_RATE_LIMIT: '1000000000',
  })
  const baseUrl = `http://127.0.0.1:${belfry.port}`
  const headers = { authorization: `Bearer ${await createKeysAndReturnLast(baseUrl)}` }
  const body = await (await fetch(`${baseUrl}/api/keys`, { headers })).text()
  const bare = await startProcess(['bench/support/bare.ts'], await findFreePort(), { BARE_BODY: body })
  console.log(
    `GET /api/keys, ${KEY_COUNT} keys, ${body.length} bytes, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${ROUND_SECONDS} s each`,
  )

  const rounds: LoadRound[] = []
  try {
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      const commonOptions = { connections: CONNECTIONS, seconds: ROUND_SECONDS }
      const result = {
        bare: await runHttpLoad({ ...commonOptions, port: bare.port, path: '/bare' }),
        belfry: await runHttpLoad({ ...commonOptions, port: belfry.port, path: '/api/keys', headers }),
      }
      if (round < 0) continue
      rounds.push(result)
      printLoadRound(result)
    }
  } finally {
    await bare.stop()
    await belfry.stop()
    await rm(folder, { recursive: true, force: true })
  }

  return reportLoad(rounds, { minRatio: 0.25, maxP99Ms: 25 }).every(Boolean)
}
