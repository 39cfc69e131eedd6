/** A migration that needs a table which other sessions use. */
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { migrateDatabase } from '../../src/storage/migrations.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

/** No query of a node may wait longer than this for a migration, whose lock timeout is 0.4 s. */
const MAX_STALL_MS = 900

/** Creates a database in which the next migration has to replace a policy of each of these tables. */
async function createOutdatedDatabase(...tables: string[]): Promise<TestDatabase> {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  await withOwnerConnection(database.connection, async (client) => {
    await client.query(`update migrations set checksum = 'older' where version = 0`)
    for (const table of tables) await client.query(`drop policy read on ${table}`)
  })
  return database
}

async function openSession({ connection }: TestDatabase, application_name: string): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, application_name })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('set search_path = belfry, public')
  return client
}

/** Migrates like a node that starts. Returns undefined, or the message of the error. */
function migrate({ connection }: TestDatabase, maxTableWaitMs?: number): Promise<string | undefined> {
  const options = maxTableWaitMs === undefined ? {} : { maxTableWaitMs }
  return withOwnerConnection(connection, (client) => migrateDatabase(client, options)).then(
    () => undefined,
    (error) => error.message,
  )
}

async function countPolicies(client: pg.Client): Promise<number> {
  const { rows } = await client.query(`select count(*)::int as count from pg_policies where policyname = 'read'`)
  return rows[0].count
}

describe('a migration, while a reader holds a transaction open', () => {
  it('delays the queries of running nodes only briefly, and succeeds after the reader has ended', async () => {
    const database = await createOutdatedDatabase('alerts')
    const reader = await openSession(database, 'reader')
    const node = await openSession(database, 'node')
    const policiesBefore = await countPolicies(node)
    await reader.query('begin; select count(*) from alerts')
    const migration = migrate(database)
    let longestStallMs = 0
    for (const end = performance.now() + 1_300; performance.now() < end; await delay(10)) {
      const startedAt = performance.now()
      await node.query('select count(*) from alerts')
      longestStallMs = Math.max(longestStallMs, performance.now() - startedAt)
      if (longestStallMs > MAX_STALL_MS) break
    }
    await reader.query('commit')
    expect(await migration).toBeUndefined()
    expect(await countPolicies(node)).toBe(policiesBefore + 1)
    // A stall proves that the migration has tried to lock the table.
    expect(longestStallMs).toBeGreaterThan(200)
    expect(longestStallMs).toBeLessThan(MAX_STALL_MS)
  })

  it('avoids a deadlock with the reader, so that both succeed', async () => {
    const database = await createOutdatedDatabase('api_keys', 'alerts')
    const reader = await openSession(database, 'reader')
    await reader.query('begin; select count(*) from alerts')
    const migration = migrate(database)
    // The migration locks `api_keys`, then waits for the reader to release `alerts`. The reader's next query waits for
    // `api_keys`.
    await waitForExclusiveLock(await openSession(database, 'observer'), 'api_keys')
    await reader.query('select count(*) from api_keys')
    await reader.query('commit')
    expect(await migration).toBeUndefined()
  })

  it('gives up after its time limit, names the blocking session and changes nothing', async () => {
    const database = await createOutdatedDatabase('api_keys', 'alerts')
    const reader = await openSession(database, 'nightly export')
    const { rows } = await reader.query('select pg_backend_pid() as pid')
    const policiesBefore = await countPolicies(reader)
    await reader.query('begin; select count(*) from alerts')
    const message = await migrate(database, 600)
    await reader.query('commit')
    expect(message).toMatch(/^The database was not migrated: .*Nothing was changed\.$/)
    expect(message).toMatch(new RegExp(`${rows[0].pid} \\(nightly export, \\d s\\)`))
    expect(await countPolicies(reader)).toBe(policiesBefore)
  })
})

async function waitForExclusiveLock(observer: pg.Client, table: string): Promise<void> {
  const sql = `select from pg_locks where relation = $1::regclass and mode = 'AccessExclusiveLock' and granted`
  while ((await observer.query(sql, [table])).rows.length === 0) await delay(5)
}
