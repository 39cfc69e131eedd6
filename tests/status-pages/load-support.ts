/** Loads status pages that tests insert into a real database. */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { loadVersionedSnapshot } from '../../src/status-pages/load/versioned-snapshot.ts'
import type { SnapshotMonitor, StatusPageSnapshot } from '../../src/status-pages/snapshot.ts'
import type { Database } from '../../src/storage/database.ts'
import type { Queries } from '../../src/storage/transaction.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import {
  insertStatusMaintenance,
  insertStatusMonitor,
  insertStatusPage,
  insertStatusPost,
  type StatusMaintenanceOptions,
  type StatusMonitorOptions,
  type StatusPageOptions,
  type StatusPostOptions,
} from '../support/status-pages.ts'

/** The time at which pages are loaded. */
export const now = new Date('2026-01-05T10:00:00Z')
export const ago = (ms: number) => new Date(now.getTime() - ms)
export const ahead = (ms: number) => ago(-ms)

/** Starts a server for the tests of a file, and clears its database before each of them. */
export function useLoadFixture(): LoadFixture {
  const fixture = new LoadFixture()
  beforeAll(() => fixture.start())
  afterAll(() => fixture.server.close())
  beforeEach(() => fixture.clear())
  return fixture
}

class LoadFixture {
  /** Undefined until the fixture has started, like `owner`. */
  server!: TestServer
  owner!: TestUser

  /** The server has another time zone than the pages. */
  async start(): Promise<void> {
    this.server = await startTestServer({ env: { BELFRY_TIME_ZONE: 'Asia/Tokyo' } })
    this.owner = await this.server.createUser('owner')
  }

  get db(): Database {
    return this.server.services.db
  }

  async clear(): Promise<void> {
    for (const table of ['status_pages', 'maintenances', 'monitors']) await this.db.query(`delete from ${table}`)
  }

  insertMonitor(options?: StatusMonitorOptions): Promise<number> {
    return insertStatusMonitor(this.db, this.owner.id, options)
  }

  insertMaintenance(options: StatusMaintenanceOptions): Promise<number> {
    return insertStatusMaintenance(this.db, this.owner.id, options)
  }

  insertPage(options?: StatusPageOptions): Promise<number> {
    return insertStatusPage(this.db, this.owner.id, options)
  }

  insertPost(pageId: number, options?: StatusPostOptions): Promise<number> {
    return insertStatusPost(this.db, this.owner.id, pageId, options)
  }

  /** Creates a page with the monitors in one group, labelled A, B, C and so on, and loads it. */
  async loadPage(
    monitorIds: readonly number[],
    options: StatusPageOptions = {},
    queries: Queries = this.db,
  ): Promise<StatusPageSnapshot> {
    const monitors = monitorIds.map((monitorId, n) => ({ monitorId, label: String.fromCharCode(65 + n) }))
    const groups = [{ name: 'Services', monitors }]
    return this.load(await this.insertPage({ groups, ...options }), queries)
  }

  async load(pageId: number, queries: Queries = this.db): Promise<StatusPageSnapshot> {
    const loadedPage = await this.find(pageId, queries)
    if (loadedPage === undefined) throw new Error('The page was not found.')
    return loadedPage.snapshot
  }

  find(pageId: number, queries: Queries = this.db, { teamId = this.owner.id, time = now } = {}) {
    return loadVersionedSnapshot(queries, { teamId, pageId }, { now: time, canSubscribe: true })
  }
}

export const listMonitors = ({ groups }: StatusPageSnapshot) => groups.flatMap(({ monitors }) => monitors)
export const firstMonitor = (snapshot: StatusPageSnapshot) => listMonitors(snapshot)[0] as SnapshotMonitor
