/** A server with two monitors of the owner and one of a stranger, and functions to create and read status pages. */
import type { StatusPageRecord } from '../../../src/status-pages/schema.ts'
import type { Client } from '../../support/client.ts'
import { createMonitor } from '../../support/monitors.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'

export const statusPagesPath = '/api/status-pages'

export interface StatusPageFixture {
  server: TestServer
  owner: TestUser
  stranger: TestUser
  /** A client with an API key of the owner. */
  client: Client
  /** `Shop` and `API`. */
  monitorIds: [number, number]
  foreignMonitorId: number
  /** Creates a page, with another slug each time unless `fields` has one. */
  create(fields?: object): Promise<StatusPageRecord>
  read(id: number): Promise<StatusPageRecord>
  /** Returns when the content of the page last changed, in epoch milliseconds. */
  readContentChange(id: number): Promise<number>
  /** Deletes all status pages, and resets the clock. */
  reset(): Promise<void>
}

export async function startStatusPageFixture(): Promise<StatusPageFixture> {
  const server = await startTestServer({ env: { BELFRY_URL: 'https://stats.example.com/belfry' } })
  const { db } = server.services
  const owner = await server.createUser('owner')
  const stranger = await server.createUser('stranger')
  const client = await owner.withKey('status:read', 'status:write')
  let pageCount = 0
  return {
    server,
    owner,
    stranger,
    client,
    monitorIds: [
      (await createMonitor(owner.session, { friendly_name: 'Shop' })).id,
      (await createMonitor(owner.session, { friendly_name: 'API' })).id,
    ],
    foreignMonitorId: (await createMonitor(stranger.session)).id,
    async create(fields = {}) {
      const page = { slug: `page-${++pageCount}`, title: 'Example status', ...fields }
      const { status, body, text } = await client.post(statusPagesPath, page)
      if (status !== 201) throw new Error(`status page not created: ${status} ${text}`)
      return body.data
    },
    read: async (id) => (await client.get(`${statusPagesPath}/${id}`)).body.data,
    async readContentChange(id) {
      const [row] = await db.query<{ content_changed_at: Date }>(
        'select content_changed_at from status_pages where id = $1',
        [id],
      )
      return row?.content_changed_at.getTime() as number
    },
    async reset() {
      await db.query('delete from status_pages')
      server.clock.reset()
    },
  }
}
