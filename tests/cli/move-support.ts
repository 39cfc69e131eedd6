/** An installation to move: its database, what its API returns, and the command. */
import { expect } from 'vitest'
import { DAY_MS, MINUTE_MS } from '../../src/shared/time.ts'
import type { Client } from '../support/client.ts'
import { TestClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestServer, TEST_SECRET, type TestServer } from '../support/server.ts'
import { insertStatusMonitor } from '../support/status-pages.ts'
import { belfry, type CliResult, type Env, type TempFolder, toConnectionUrl } from './support.ts'

const websitesPath = '/api/v1/websites'
/** Sample traffic ends today. */
const now = new Date()
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS)
const formatDay = (daysAgo: number) => new Date(now.getTime() - daysAgo * DAY_MS).toISOString().slice(0, 10)
const lastDays = `from=${formatDay(25)}&to=${formatDay(0)}`
const paths = [
  websitesPath,
  `/api/v1/stats/1/overview?${lastDays}`,
  `/api/v1/stats/1/overview?${lastDays}&filter=device:desktop`,
  '/api/monitors',
  '/api/monitors/1/incidents?window=30d',
  '/api/monitors/1/checks?window=24h',
  '/api/providers',
  '/api/monitors/2/notifications',
  '/api/keys',
  '/api/status-pages',
]

export const move = (to: TestDatabase | string, env: Env) =>
  belfry(['move', '--to', typeof to === 'string' ? to : toConnectionUrl(to.connection)], { env })

/** The secret comes from the environment. Without `database`, Belfry uses the embedded database of the data folder. */
export const createMoveEnv = (folder: TempFolder, database?: TestDatabase, data = 'embedded'): Env => ({
  BELFRY_SECRET: TEST_SECRET,
  BELFRY_DATA: folder.data(data),
  ...(database !== undefined && { DATABASE_URL: toConnectionUrl(database.connection) }),
})

/**
 * Fetches all paths. Removes the server's port and the time at which the key was last used from the responses, because
 * both change.
 */
export async function fetchResponses(client: Client): Promise<string[]> {
  const responses = await Promise.all(paths.map((path) => client.get(path)))
  expect(responses.map(({ status }) => status)).toEqual(paths.map(() => 200))
  return responses.map(({ body }) =>
    JSON.stringify(body).replaceAll(/127\.0\.0\.1:\d+|,?"last_used_(?:at|ip)":[^,}]+/g, ''),
  )
}

export const startMoveServer = (database: TestDatabase) => startTestServer({ database, clock: new TestClock(now) })

export interface Installation {
  database: TestDatabase
  keyClient: Client
  responses: string[]
  /** The result of a move while the server was still running. */
  earlyResult: CliResult
}

/** Creates a database with a user's website, traffic, monitors, incidents, channel and status page. No server uses it any more. */
export async function createInstallation(folder: TempFolder, target: TestDatabase): Promise<Installation> {
  const database = await createTestDatabase()
  const server = await startMoveServer(database)
  const keyClient = await fillInstallation(server)
  const env = createMoveEnv(folder, database)
  expect(await belfry('traffic generate example.com --days 20 --visitors 20', { env })).toMatchObject({ code: 0 })
  const earlyResult = await move(target, env)
  const responses = await fetchResponses(keyClient)
  await server.close()
  return { database, keyClient, responses, earlyResult }
}

async function fillInstallation(server: TestServer): Promise<Client> {
  const ada = await server.createUser('ada', { isAdmin: true })
  await ada.session.post(websitesPath, { domain: 'example.com' })
  const incidents = [
    { from: minutesAgo(90), to: minutesAgo(60), detail: 'Status 503\tand a tab' },
    { from: minutesAgo(5) },
  ]
  const history = { status: 'down' as const, now, monitoredSince: minutesAgo(3_000), incidents }
  await insertStatusMonitor(server.services.db, ada.id, history)
  const webhook_url = 'https://hooks.example.com/s3cr3t-one'
  await ada.session.post('/api/providers', { provider_type: 'slack', webhook_url, assign_by_default: true })
  const http = { headers: { Authorization: 'Bearer abcdef123456' } }
  await ada.session.post('/api/monitors', { friendly_name: 'Shop', url: 'https://example.com', http })
  await ada.session.post('/api/status-pages', { slug: 'shop', title: 'Shop' })
  return ada.withKey()
}
