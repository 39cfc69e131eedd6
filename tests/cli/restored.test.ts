/** A server works with the rows of a restored backup. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseSessionCookie } from '../support/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { startTestServer, TEST_SECRET, type TestServer } from '../support/server.ts'
import { belfry, createTempFolder, type TempFolder, urlOf } from './support.ts'

const websites = '/api/v1/websites'
/** One backup of each released schema, created by the version of that time. */
const backups = join(import.meta.dirname, 'backups')

let folder: TempFolder

beforeAll(() => {
  folder = createTempFolder()
})
afterAll(() => folder.remove())

/** Restores the file into a new database and starts a server on it. */
async function withRestored(file: string, use: (server: TestServer) => Promise<void>): Promise<void> {
  const database = await createTestDatabase({ empty: true })
  const env = { BELFRY_SECRET: TEST_SECRET, BELFRY_DATA: folder.data('data'), DATABASE_URL: urlOf(database.connection) }
  try {
    expect(await belfry(['restore', file, '--yes'], { env })).toMatchObject({ code: 0 })
    const server = await startTestServer({ database })
    await use(server).finally(() => server.close())
  } finally {
    await database.drop()
  }
}

describe('a restored server', () => {
  it.each(readdirSync(backups))('continues from %s of an older version', async (name) => {
    await withRestored(join(backups, name), async (server) => {
      const account = { email: 'ada@example.com', password: 'correct horse battery' }
      const signedIn = await server.anyone.post('/api/session', account)
      const ada = server.anyone.as({ cookie: parseSessionCookie(signedIn) ?? '' })
      expect((await ada.post(websites, { domain: 'restored.example.org' })).status).toBe(201)
      expect((await ada.get(`${websites}?search=restored`)).body.meta.total).toBe(1)
      const monitors = (await ada.get('/api/monitors')).body
      expect(monitors.data).toHaveLength(monitors.meta.total)
      const due = await server.services.db.query('select monitor_id from monitor_states where due_at is not null')
      const active = monitors.data.filter(({ is_active }: { is_active: boolean }) => is_active)
      expect(due).toHaveLength(active.length)
      expect(active).toHaveLength(/schema-[3456]/.test(name) ? 2 : 0)
    })
  })

  it('lists, searches and counts the websites of the backup', async () => {
    const first = await startTestServer()
    const file = join(folder.path, 'websites.gz')
    const lists = [
      websites,
      `${websites}?favorite=true`,
      `${websites}?search=m%C3%BCl&sort=asc`,
      `${websites}?search=e`,
    ]
    const ada = await first.createUser('ada')
    for (const domain of ['example.com', 'müller.example', 'mülheim.example', 'gone.example']) {
      await ada.session.post(websites, { domain, favorite: domain !== 'gone.example' })
    }
    const [gone] = (await ada.session.get(websites)).body.data
    await ada.session.delete(`${websites}/${gone.id}`)
    const namesOf = (body: { data: object[]; meta: { total: number } }) => ({ data: body.data, total: body.meta.total })
    const before = await Promise.all(lists.map(async (path) => namesOf((await ada.session.get(path)).body)))
    const env = { BELFRY_SECRET: TEST_SECRET, DATABASE_URL: urlOf(first.database.connection) }
    expect(await belfry(['backup', file], { env })).toMatchObject({ code: 0 })
    await first.close()

    await withRestored(file, async (server) => {
      const again = server.anyone.as(ada.session.credentials)
      const after = await Promise.all(lists.map(async (path) => namesOf((await again.get(path)).body)))
      expect(after).toEqual(before)
      expect(after.map(({ total }) => total)).toEqual([3, 3, 2, 3])
      await again.post(websites, { domain: 'new.example' })
      expect((await again.get(websites)).body.meta.total).toBe(4)
    })
  })

  it('still has its secrets and the channels of each monitor', async () => {
    const first = await startTestServer()
    const file = join(folder.path, 'monitors.gz')
    const ada = await first.createUser('ada')
    const webhook_url = 'https://hooks.example.com/s3cr3t-one'
    await ada.session.post('/api/providers', { provider_type: 'slack', webhook_url, assign_by_default: true })
    const http = { headers: { Authorization: 'Bearer abcdef123456' } }
    await ada.session.post('/api/monitors', { friendly_name: 'Shop', url: 'https://example.com', http })
    const paths = ['/api/providers', '/api/monitors', '/api/monitors?search=shop', '/api/monitors/1/notifications']
    const before = await Promise.all(paths.map(async (path) => (await ada.session.get(path)).body))
    const env = { BELFRY_SECRET: TEST_SECRET, DATABASE_URL: urlOf(first.database.connection) }
    expect(await belfry(['backup', file], { env })).toMatchObject({ code: 0 })
    await first.close()

    await withRestored(file, async (server) => {
      const again = server.anyone.as(ada.session.credentials)
      const after = await Promise.all(paths.map(async (path) => (await again.get(path)).body))
      expect(after).toEqual(before)
      expect(after[0].data[0].webhook_url_hint).toBe('-one')
      expect(after[1].data[0].http.headers).toEqual({ Authorization: '3456' })
    })
  })
})
