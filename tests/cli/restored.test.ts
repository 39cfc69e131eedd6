/** A server works with the rows of a restored backup. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Client, parseSessionCookie } from '../support/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { startTestServer, TEST_SECRET, type TestServer } from '../support/server.ts'
import { belfry, createTempFolder, type TempFolder, toConnectionUrl } from './support.ts'

const websitesPath = '/api/v1/websites'
/** One backup of each released schema, created by the version of that time. */
const backupsFolder = join(import.meta.dirname, 'backups')

let folder: TempFolder

beforeAll(() => {
  folder = createTempFolder()
})
afterAll(() => folder.remove())

/** Restores the file into a new database and starts a server on it. `close` stops the server and drops the database. */
async function startRestoredServer(file: string): Promise<{ server: TestServer; close: () => Promise<void> }> {
  const database = await createTestDatabase({ empty: true })
  const env = {
    BELFRY_SECRET: TEST_SECRET,
    BELFRY_DATA: folder.data('data'),
    DATABASE_URL: toConnectionUrl(database.connection),
  }
  try {
    expect(await belfry(['restore', file, '--yes'], { env })).toMatchObject({ code: 0 })
    const server = await startTestServer({ database })
    const close = async () => {
      await server.close()
      await database.drop()
    }
    return { server, close }
  } catch (error) {
    await database.drop()
    throw error
  }
}

describe('a server', () => {
  it.each(readdirSync(backupsFolder))('continues from %s of an older version', async (name) => {
    const { server, close } = await startRestoredServer(join(backupsFolder, name))
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
    expect(activeMonitors).toHaveLength(/schema-(?:[3456789]|1[01])\b/.test(name) ? 2 : 0)
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
  let close = async () => {}

  beforeAll(async () => {
    const originalServer = await startTestServer()
    const file = join(folder.path, 'backup.gz')
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
    const env = { BELFRY_SECRET: TEST_SECRET, DATABASE_URL: toConnectionUrl(originalServer.database.connection) }
    expect(await belfry(['backup', file], { env })).toMatchObject({ code: 0 })
    await originalServer.close()

    const restored = await startRestoredServer(file)
    close = restored.close
    ada = restored.server.anyone.as(session.credentials)
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
    const [providers, monitors, ...others] = await fetchAll(ada, monitorPaths)
    expect([providers, monitors, ...others]).toEqual(monitorsBefore)
    expect(providers.data[0].webhook_url_hint).toBe('-one')
    expect(monitors.data[0].http.headers).toEqual({ Authorization: '3456' })
  })
})
