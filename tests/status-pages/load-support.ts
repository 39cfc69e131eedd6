/** Loads status pages that tests insert into a real database. */
import { loadVersionedSnapshot } from '../../src/status-pages/load/load-snapshot.ts'
import type { SnapshotMonitor, StatusPageSnapshot } from '../../src/status-pages/snapshot.ts'
import type { Queries } from '../../src/storage/client.ts'
import type { Database } from '../../src/storage/database.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { insertStatusPage, type StatusPageOptions } from '../support/status-pages.ts'

/** When pages are loaded. */
export const now = new Date('2026-01-05T10:00:00Z')
export const ago = (ms: number) => new Date(now.getTime() - ms)
export const ahead = (ms: number) => ago(-ms)

export class LoadFixture {
  readonly server: TestServer
  readonly db: Database
  readonly owner: TestUser

  private constructor(server: TestServer, owner: TestUser) {
    this.server = server
    this.db = server.services.db
    this.owner = owner
  }

  /** The server has another time zone than the pages. */
  static async start(): Promise<LoadFixture> {
    const server = await startTestServer({ env: { BELFRY_TIME_ZONE: 'Asia/Tokyo' } })
    return new LoadFixture(server, await server.createUser('owner'))
  }

  async clear(): Promise<void> {
    for (const table of ['status_pages', 'maintenances', 'monitors']) await this.db.query(`delete from ${table}`)
  }

  /** Creates a page with the monitors in one group, labelled A, B, C and so on, and loads it. */
  async loadPage(
    monitorIds: readonly number[],
    options: StatusPageOptions = {},
    queries: Queries = this.db,
  ): Promise<StatusPageSnapshot> {
    const monitors = monitorIds.map((monitorId, n) => ({ monitorId, label: String.fromCharCode(65 + n) }))
    const groups = [{ name: 'Services', monitors }]
    return this.load(await insertStatusPage(this.db, this.owner.id, { groups, ...options }), queries)
  }

  async load(pageId: number, queries: Queries = this.db): Promise<StatusPageSnapshot> {
    const loaded = await this.find(pageId, queries)
    if (loaded === undefined) throw new Error('The page was not found.')
    return loaded.snapshot
  }

  find(pageId: number, queries: Queries = this.db, { userId = this.owner.id, time = now } = {}) {
    return loadVersionedSnapshot(queries, { userId, pageId }, { now: time, canSubscribe: true })
  }
}

export const listMonitors = ({ groups }: StatusPageSnapshot) => groups.flatMap(({ monitors }) => monitors)
export const firstMonitor = (snapshot: StatusPageSnapshot) => listMonitors(snapshot)[0] as SnapshotMonitor
