/** A server works with the rows of a restored backup. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseSessionCookie } from '../support/client.ts'
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

/** Restores the file into a new database and starts a server on it. */
async function withRestoredServer(file: string, use: (server: TestServer) => Promise<void>): Promise<void> {
  const database = await createTestDatabase({ empty: true })
  const env = {
    BELFRY_SECRET: TEST_SECRET,
    BELFRY_DATA: folder.data('data'),
    DATABASE_URL: toConnectionUrl(database.connection),
  }
  try {
    expect(await belfry(['restore', file, '--yes'], { env })).toMatchObject({ code: 0 })
    const server = await startTestServer({ database })
    await use(server).finally(() => server.close())
  } finally {
    await database.drop()
  }
}

describe('a restored server', () => {
  it.each(readdirSync(backupsFolder))('continues from %s of an older version', async (name) => {
    await withRestoredServer(join(backupsFolder, name), async (server) => {
      const account = { email: 'ada@example.com', password: 'correct horse battery' }
      const signInResponse = await server.anyone.post('/api/session', account)
      const ada = server.anyone.as({ cookie: parseSessionCookie(signInResponse) ?? '' })
      expect((await ada.post(websitesPath, { domain: 'restored.example.org' })).status).toBe(201)
      expect((await ada.get(`${websitesPath}?search=restored`)).body.meta.total).toBe(1)
      const monitors = (await ada.get('/api/monitors')).body
      expect(monitors.data).toHaveLength(monitors.meta.total)
      const dueMonitors = await server.services.db.query(
        'select monitor_id from monitor_states where due_at is not null',
      )
      const activeMonitors = monitors.data.filter(({ is_active }: { is_active: boolean }) => is_active)
      expect(dueMonitors).toHaveLength(activeMonitors.length)
      expect(activeMonitors).toHaveLength(/schema-[345678]/.test(name) ? 2 : 0)
    })
  })

  it('lists, searches and counts the websites of the backup', async () => {
    const originalServer = await startTestServer()
    const file = join(folder.path, 'websites.gz')
    const listPaths = [
      websitesPath,
      `${websitesPath}?favorite=true`,
      `${websitesPath}?search=m%C3%BCl&sort=asc`,
      `${websitesPath}?search=e`,
    ]
    const ada = await originalServer.createUser('ada')
    for (const domain of ['example.com', 'müller.example', 'mülheim.example', 'gone.example']) {
      await ada.session.post(websitesPath, { domain, favorite: domain !== 'gone.example' })
    }
    const [deletedWebsite] = (await ada.session.get(websitesPath)).body.data
    await ada.session.delete(`${websitesPath}/${deletedWebsite.id}`)
    const pickDataAndTotal = (body: { data: object[]; meta: { total: number } }) => ({
      data: body.data,
      total: body.meta.total,
    })
    const before = await Promise.all(
      listPaths.map(async (path) => pickDataAndTotal((await ada.session.get(path)).body)),
    )
    const env = { BELFRY_SECRET: TEST_SECRET, DATABASE_URL: toConnectionUrl(originalServer.database.connection) }
    expect(await belfry(['backup', file], { env })).toMatchObject({ code: 0 })
    await originalServer.close()

    await withRestoredServer(file, async (server) => {
      const adaAgain = server.anyone.as(ada.session.credentials)
      const after = await Promise.all(listPaths.map(async (path) => pickDataAndTotal((await adaAgain.get(path)).body)))
      expect(after).toEqual(before)
      expect(after.map(({ total }) => total)).toEqual([3, 3, 2, 3])
      await adaAgain.post(websitesPath, { domain: 'new.example' })
      expect((await adaAgain.get(websitesPath)).body.meta.total).toBe(4)
    })
  })

  it('still has its secrets and the channels of each monitor', async () => {
    const originalServer = await startTestServer()
    const file = join(folder.path, 'monitors.gz')
    const ada = await originalServer.createUser('ada')
    const webhook_url = 'https://hooks.example.com/s3cr3t-one'
    await ada.session.post('/api/providers', { provider_type: 'slack', webhook_url, assign_by_default: true })
    const http = { headers: { Authorization: 'Bearer abcdef123456' } }
    await ada.session.post('/api/monitors', { friendly_name: 'Shop', url: 'https://example.com', http })
    const paths = ['/api/providers', '/api/monitors', '/api/monitors?search=shop', '/api/monitors/1/notifications']
    const before = await Promise.all(paths.map(async (path) => (await ada.session.get(path)).body))
    const env = { BELFRY_SECRET: TEST_SECRET, DATABASE_URL: toConnectionUrl(originalServer.database.connection) }
    expect(await belfry(['backup', file], { env })).toMatchObject({ code: 0 })
    await originalServer.close()

    await withRestoredServer(file, async (server) => {
      const adaAgain = server.anyone.as(ada.session.credentials)
      const after = await Promise.all(paths.map(async (path) => (await adaAgain.get(path)).body))
      expect(after).toEqual(before)
      expect(after[0].data[0].webhook_url_hint).toBe('-one')
      expect(after[1].data[0].http.headers).toEqual({ Authorization: '3456' })
    })
  })
})
