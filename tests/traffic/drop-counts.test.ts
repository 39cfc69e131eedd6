/** Dropped events are counted in memory and saved later, even if the server stops or the database fails in the meantime. */
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { deleteRemovedTraffic } from '../../src/traffic/retention/removal.ts'
import { belfry, createTempFolder, toConnectionUrl } from '../cli/support.ts'
import { connectToPostgres, createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestServer, TEST_SECRET, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, sendEvent } from '../support/traffic.ts'

const botSender = { agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' }
const waitOptions = { timeout: 20_000, interval: 50 }

let database: TestDatabase
let server: TestServer
let ada: TestUser
/** Each test has its own website. */
let siteId: number
let siteCount = 0
let pageview: { n: string; u: string; d: string }

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startTestServer({ database })
  ada = await server.createUser('ada')
})
afterAll(async () => {
  await server.close()
  await database.drop()
})
beforeEach(async () => {
  server.clock.reset()
  server.logLines.length = 0
  const domain = `site-${++siteCount}.example.com`
  siteId = await createSite(ada, domain)
  pageview = { n: 'pageview', u: `https://${domain}/`, d: domain }
})

/** Starts another server on the same database, which the test can stop. */
async function startOtherNode(): Promise<TestServer> {
  const node = await startTestServer({ database, clock: server.clock })
  onTestFinished(() => node.close())
  return node
}

async function dropEvents(node: TestServer, count: number): Promise<void> {
  const responses = await Promise.all(Array.from({ length: count }, () => sendEvent(node, pageview, botSender)))
  expect(new Set(responses.map(({ headers }) => headers.get('x-belfry-dropped')))).toEqual(new Set(['bot']))
}

/** Reads the saved counts by day. */
async function readCounts(): Promise<Record<string, number>> {
  const rows = await server.services.db.query('select day::text, count from dropped_events where website_id = $1', [
    siteId,
  ])
  return Object.fromEntries(rows.map(({ day, count }) => [day, count]))
}

/** Blocks all writes of drop counts until the lock is released. */
async function lockDropCounts() {
  const client = new pg.Client(database.connection)
  await client.connect()
  await client.query('begin; lock table belfry.dropped_events in exclusive mode')
  const { rows } = await client.query('select pg_backend_pid() as pid')
  return {
    pid: rows[0].pid as number,
    async waitUntilBlocking() {
      const blockedQuery = 'select from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))'
      const isBlocking = async () => {
        await client.query('select pg_stat_clear_snapshot()')
        return (await client.query(blockedQuery)).rows.length > 0
      }
      await vi.waitFor(async () => expect(await isBlocking()).toBe(true), waitOptions)
    },
    release: () => client.end(),
  }
}

/**
 * Closes all connections but one, and rejects new connections until the returned function is called. Autovacuum runs
 * as another user and stays connected.
 */
async function makeDatabaseUnavailable(exceptPid: number) {
  const client = await connectToPostgres()
  const name = database.connection.database
  await client.query(`alter database ${name} allow_connections false`)
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = user and pid <> $2',
    [name, exceptPid],
  )
  return async () => {
    await client.query(`alter database ${name} allow_connections true`)
    await client.end()
  }
}

const expectFailedSave = () => expect(server.logLines.join('')).toContain('could not save the counts of dropped events')

describe('the count of dropped events', () => {
  it('is saved before the server stops', async () => {
    const otherNode = await startOtherNode()
    await dropEvents(otherNode, 7)
    await otherNode.stop()
    expect(await readCounts()).toEqual({ '2026-01-05': 7 })
  })

  it('is the sum over all nodes', async () => {
    const otherNode = await startOtherNode()
    await Promise.all([dropEvents(server, 30), dropEvents(otherNode, 12)])
    await vi.waitFor(async () => expect(await readCounts()).toEqual({ '2026-01-05': 42 }), waitOptions)
  })

  it('is kept in memory while the database is unavailable, and saved afterwards', async () => {
    const lock = await lockDropCounts()
    await dropEvents(server, 5)
    await lock.waitUntilBlocking()
    // More events are dropped while the first count is being saved.
    await dropEvents(server, 3)
    // This closes the connection of the blocked save, so PostgreSQL rolls the save back. The next save includes the
    // same five events, and counts them once.
    const makeAvailable = await makeDatabaseUnavailable(lock.pid)
    try {
      await vi.waitFor(expectFailedSave, waitOptions)
      expect((await sendEvent(server, pageview, botSender)).status).toBe(503)
    } finally {
      await lock.release()
      await makeAvailable()
    }
    await dropEvents(server, 2)
    await vi.waitFor(async () => expect(await readCounts()).toEqual({ '2026-01-05': 10 }), waitOptions)
  })

  it('is kept in memory for two days only, however long it cannot be saved', async () => {
    const lock = await lockDropCounts()
    await dropEvents(server, 1)
    await lock.waitUntilBlocking()
    for (let day = 0; day < 3; day++) {
      server.clock.advance({ days: 1 })
      await dropEvents(server, 2 + day)
    }
    await server.services.db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
    )
    await vi.waitFor(expectFailedSave, waitOptions)
    await lock.release()
    await vi.waitFor(async () => expect(await readCounts()).toEqual({ '2026-01-07': 3, '2026-01-08': 4 }), waitOptions)
  })

  it('is not saved for a website that was deleted in the meantime', async () => {
    const node = await startOtherNode()
    const lock = await lockDropCounts()
    await dropEvents(node, 3)
    await lock.waitUntilBlocking()
    await ada.session.delete(`/api/v1/websites/${siteId}`)
    await lock.release()
    await node.services.eventIntake.stop()
    await deleteRemovedTraffic(server.services)
    expect(await readCounts()).toEqual({})
  })

  it('is part of backups', async () => {
    await dropEvents(server, 4)
    await vi.waitFor(async () => expect(await readCounts()).toEqual({ '2026-01-05': 4 }), waitOptions)
    const folder = createTempFolder()
    const restoredDatabase = await createTestDatabase({ empty: true })
    const file = join(folder.path, 'backup.gz')
    const createEnv = ({ connection }: TestDatabase) => ({
      BELFRY_SECRET: TEST_SECRET,
      BELFRY_DATA: folder.data('data'),
      DATABASE_URL: toConnectionUrl(connection),
    })
    try {
      expect(await belfry(['backup', file], { env: createEnv(database) })).toMatchObject({ code: 0 })
      expect(await belfry(['restore', file, '--yes'], { env: createEnv(restoredDatabase) })).toMatchObject({ code: 0 })
      const restoredRows = await withOwnerConnection(restoredDatabase.connection, async (client) => {
        await client.query(`begin; set local belfry.across_users = 'on'`)
        const sql = 'select day::text, count::int from dropped_events where website_id = $1'
        return (await client.query(sql, [siteId])).rows
      })
      expect(restoredRows).toEqual([{ day: '2026-01-05', count: 4 }])
    } finally {
      await restoredDatabase.drop()
      await folder.remove()
    }
  })

  it('does not delay other events while it is being saved', async () => {
    const lock = await lockDropCounts()
    await dropEvents(server, 1)
    await lock.waitUntilBlocking()
    const response = await sendEvent(server, pageview)
    expect([response.status, response.headers.get('x-belfry-dropped')]).toEqual([202, null])
    await lock.release()
  })
})
