/** A server works with the rows of a restored backup. */
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { verifyContents } from '../../src/storage/backup/contents.ts'
import { migrateDatabase } from '../../src/storage/migrations.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { countRows, readSchemaVersion } from '../../src/upgrade/store.ts'
import { type Client, parseSessionCookie } from '../support/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { backupOfSchema, releasedSchemas } from '../support/old-schema.ts'
import { readBackup } from '../support/read-backup.ts'
import { startTestServer, TEST_SECRET, type TestServer } from '../support/server.ts'
import { belfry, createTempFolder, type Env, type TempFolder, toConnectionUrl } from './support.ts'

const websitesPath = '/api/v1/websites'
let folder: TempFolder

beforeAll(() => {
  folder = createTempFolder()
})
afterAll(() => folder.remove())

interface RestoredServer {
  server: TestServer
  env: Env
  /** Stops the server and drops the database. */
  close(): Promise<void>
}

async function restore(file: string, env: Env, _connection: pg.ClientConfig): Promise<void> {
  expect(await belfry(['restore', file, '--yes'], { env })).toMatchObject({ code: 0 })
}

/** Creates a database with the schema version of the backup, upgrades it, and checks that no row was lost. */
async function upgrade(file: string, env: Env, connection: pg.ClientConfig): Promise<void> {
  expect(await belfry(['rollback', file, '--yes'], { env })).toMatchObject({ code: 0 })
  const { header, rowCounts } = await verifyContents(readBackup(file), () => {})
  await withOwnerConnection(connection, async (client) => {
    expect(await readSchemaVersion(client)).toBe(header.schema)
    await migrateDatabase(client)
    // Before schema version 4, a monitor had no state until its first check.
    const stateCount = header.schema === 3 ? { monitor_states: rowCounts['monitors'] } : {}
    const counts = await countRows(client, Object.keys(rowCounts))
    expect(Object.fromEntries(counts)).toEqual({ ...rowCounts, ...stateCount })
  })
}

/** Fills a new database with the file, and starts a server on it. */
async function startRestoredServer(file: string, fill = restore): Promise<RestoredServer> {
  const database = await createTestDatabase({ empty: true })
  const env = {
    BELFRY_SECRET: TEST_SECRET,
    BELFRY_DATA: folder.data('data'),
    DATABASE_URL: toConnectionUrl(database.connection),
  }
  try {
    await fill(file, env, database.connection)
    const server = await startTestServer({ database })
    const close = async () => {
      await server.close()
      await database.drop()
    }
    return { server, env, close }
  } catch (error) {
    await database.drop()
    throw error
  }
}

/**
 * `npm run test:postgres` and `npm run faults` test every version. Other runs test only the oldest and the newest, because each version
 * takes a second of processor time.
 */
const testsAllSchemas = isFaultsRun || process.env['BELFRY_TEST_POSTGRES'] !== undefined
const testedSchemas = releasedSchemas.filter(
  (_version, index) => testsAllSchemas || index === 0 || index === releasedSchemas.length - 1,
)

describe('a server', () => {
  it.each(testedSchemas)('continues from a database of schema version %i', async (version) => {
    const { server, close } = await startRestoredServer(backupOfSchema(version), upgrade)
    onTestFinished(close)
    const account = { email: 'ada@example.com', password: 'correct horse battery' }
    const signInResponse = await server.anyone.post('/api/session', account)
    const ada = server.anyone.as({ cookie: parseSessionCookie(signInResponse) ?? '' })
    expect((await ada.post(websitesPath, { domain: 'restored.example.org' })).status).toBe(201)
    expect((await ada.get(`${websitesPath}?search=restored`)).body.meta.total).toBe(1)
    const monitors = (await ada.get('/api/monitors')).body
    expect(monitors.data).toHaveLength(monitors.meta.total)
    const dueMonitors = await server.services.db.query('select monitor_id from monitor_states where due_at is not null')
    const activeMonitors = monitors.data.filter(({ is_active }: { is_active: boolean }) => is_active)
    expect(dueMonitors).toHaveLength(activeMonitors.length)
    expect(activeMonitors).toHaveLength(version >= 12 ? 3 : version >= 3 ? 2 : 0)
    if (version < 5) return
    const { body } = await ada.get('/api/v1/stats/1/overview?from=2026-11-11&to=2026-11-15')
    expect(body.data.totals).toMatchObject({ visitors: 92, pageviews: 288, visits: 101, events: 29 })
  })
})

describe('a restored server', () => {
  const listPaths = [
    websitesPath,
    `${websitesPath}?favorite=true`,
    `${websitesPath}?search=m%C3%BCl&sort=asc`,
    `${websitesPath}?search=e`,
  ]
  const monitorPaths = ['/api/providers', '/api/monitors', '/api/monitors?search=shop', '/api/monitors/1/notifications']
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on the raw JSON of a response
  const fetchAll = (client: Client, paths: readonly string[]): Promise<any[]> =>
    Promise.all(paths.map(async (path) => (await client.get(path)).body))
  const fetchLists = async (client: Client) =>
    (await fetchAll(client, listPaths)).map(({ data, meta }) => ({ data, total: meta.total }))

  /** Ada's session, on the restored server. */
  let ada: Client
  let listsBefore: { data: object[]; total: number }[]
  let monitorsBefore: object[]
  let env: Env
  let file: string
  let close = async () => {}

  beforeAll(async () => {
    const originalServer = await startTestServer()
    file = join(folder.path, 'backup.gz')
    const { session } = await originalServer.createUser('ada')
    for (const domain of ['example.com', 'müller.example', 'mülheim.example', 'gone.example']) {
      await session.post(websitesPath, { domain, favorite: domain !== 'gone.example' })
    }
    const [deletedWebsite] = (await session.get(websitesPath)).body.data
    await session.delete(`${websitesPath}/${deletedWebsite.id}`)
    const webhook_url = 'https://hooks.example.com/s3cr3t-one'
    await session.post('/api/providers', { provider_type: 'slack', webhook_url, assign_by_default: true })
    const http = { headers: { Authorization: 'Bearer abcdef123456' } }
    await session.post('/api/monitors', { friendly_name: 'Shop', url: 'https://example.com', http })
    listsBefore = await fetchLists(session)
    monitorsBefore = await fetchAll(session, monitorPaths)
    const originalEnv = {
      BELFRY_SECRET: TEST_SECRET,
      DATABASE_URL: toConnectionUrl(originalServer.database.connection),
    }
    expect(await belfry(['backup', file], { env: originalEnv })).toMatchObject({ code: 0 })
    await originalServer.close()

    const restoredServer = await startRestoredServer(file)
    close = restoredServer.close
    env = restoredServer.env
    ada = restoredServer.server.anyone.as(session.credentials)
  })
  afterAll(() => close())

  it('lists, searches and counts the websites of the backup', async () => {
    const lists = await fetchLists(ada)
    expect(lists).toEqual(listsBefore)
    expect(lists.map(({ total }) => total)).toEqual([3, 3, 2, 3])
    await ada.post(websitesPath, { domain: 'new.example' })
    expect((await ada.get(websitesPath)).body.meta.total).toBe(4)
  })

  it('still has its secrets and the channels of each monitor', async () => {
    const [channels, monitors, ...others] = await fetchAll(ada, monitorPaths)
    expect([channels, monitors, ...others]).toEqual(monitorsBefore)
    expect(channels.data[0].webhook_url_hint).toBe('-one')
    expect(monitors.data[0].http.headers).toEqual({ Authorization: '3456' })
  })
  it('is not rolled back while it runs, and a rollback needs the name of a backup', async () => {
    const refusedResult = await belfry(['rollback', file, '--yes'], { env })
    expect(refusedResult).toMatchObject({
      code: 1,
      stderr: 'A node is using the database.\nStop all servers first. Nothing was changed.\n',
    })
    const resultWithoutName = await belfry('rollback --yes', { env })
    expect(resultWithoutName).toMatchObject({ code: 2, stderr: expect.stringMatching(/^Missing argument: <file>\./) })
    expect((await fetchLists(ada)).at(-1)?.total).toBeGreaterThan(0)
  })
})
