/** Migrations of a database that nodes of an earlier version use. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../tests/support/database.ts'
import { loadOldSchema } from '../../tests/support/old-schema.ts'
import { migrateDatabase, readSupportedVersion } from '../storage/migrations.ts'
import { withOwnerConnection } from '../storage/open-database.ts'
import { prepareMigration } from './before-migration.ts'
import { describeIncompatibleNodes } from './running-nodes.ts'
import { readSchemaVersion } from './store.ts'

const HEARTBEAT_INTERVAL_MS = 100

describe('a migration', () => {
  let database: TestDatabase
  let notes: string[]
  let supportedVersion: number
  /** Databases of earlier schema versions, which tests copy. */
  const originals = new Map<number, TestDatabase>()

  beforeAll(async () => {
    supportedVersion = await readSupportedVersion()
  })
  beforeEach(() => {
    notes = []
  })
  afterAll(async () => {
    for (const original of originals.values()) await original.drop()
  })

  /** Creates the database of a test, with this schema version. */
  async function createDatabase(version: number): Promise<void> {
    let original = originals.get(version)
    if (original === undefined) {
      original = await createTestDatabase({ empty: true })
      originals.set(version, original)
      await loadOldSchema(original.connection, version)
    }
    database = await createTestDatabase({ original })
    onTestFinished(() => database.drop())
  }

  const connect = <T>(work: (client: ClientBase) => Promise<T>) => withOwnerConnection(database.connection, work)
  const readVersion = () => connect(readSchemaVersion)

  /** Migrates like a node that starts. Returns undefined, or the message of the error. */
  function migrate(): Promise<string | undefined> {
    const beforeMigration = prepareMigration({
      config: {
        dataDir: '/nonexistent',
        hasUpgradeBackups: true,
        secret: undefined,
      },
      source: database.source,
      onBackup: ({ path }) => notes.push(path),
      onNoBackup: (reason) => notes.push(reason),
    })
    return connect((client) => migrateDatabase(client, { beforeMigration })).then(
      () => undefined,
      (error) => error.message,
    )
  }

  const addNode = (schemaVersion: number, seenSecondsAgo: number) =>
    connect((client) =>
      client.query(
        `insert into nodes (id, seen_at, process_id, roles, schema_version)
         values (1, now() - $2 * interval '1 second', 1, '{web}', $1)`,
        [schemaVersion, seenSecondsAgo],
      ),
    )

  /** Runs `work` while a node whose code knows this schema version sends heartbeats. */
  async function besideNode<T>(schemaVersion: number, work: () => Promise<T>): Promise<T> {
    await addNode(schemaVersion, 0)
    let isStopping = false
    const heartbeats = connect(async (client) => {
      for (; !isStopping; await delay(HEARTBEAT_INTERVAL_MS)) await client.query('update nodes set seen_at = now()')
    })
    try {
      return await work()
    } finally {
      isStopping = true
      await heartbeats
    }
  }

  it.each([11, 12])('from schema version %i is refused while a node of that version runs', async (version) => {
    await createDatabase(version)
    expect(await besideNode(version, migrate)).toBe(
      `The database was not migrated: 1 node of an earlier version (schema version ${version}) is still running, and only nodes with schema version 16 or later work with the migrated database. Nothing was changed.`,
    )
    expect(await readVersion()).toBe(version)
    expect(notes).toEqual([])
  })

  it('is refused with a sentence that names no required version if no earlier version works with the migrated database', () => {
    expect(describeIncompatibleNodes({ count: 2, oldestSchema: 5, requiredSchema: null })).toBe(
      '2 nodes of an earlier version (schema version 5) are still running, and no node of an earlier version works with the migrated database.',
    )
  })

  it('works while a node of the previous schema version runs', async () => {
    await createDatabase(supportedVersion - 1)
    expect(await besideNode(supportedVersion - 1, migrate)).toBeUndefined()
    expect(await readVersion()).toBe(supportedVersion)
    expect(notes).toEqual(['Belfry backs up only its embedded database automatically'])
  })

  it('is refused if a node from before the previous migration is still running', async () => {
    await createDatabase(supportedVersion - 1)
    const message = await besideNode(supportedVersion - 2, migrate)
    expect(message).toMatch(`(schema version ${supportedVersion - 2}) is still running, and only nodes`)
    expect(await readVersion()).toBe(supportedVersion - 1)
  })

  it('waits until a killed node has expired, and then works', async () => {
    await createDatabase(11)
    await addNode(11, 5.3)
    expect(await migrate()).toBeUndefined()
    expect(await readVersion()).toBe(supportedVersion)
  })
})
