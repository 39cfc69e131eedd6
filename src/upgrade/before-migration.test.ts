/** Migrations of a database that nodes of an earlier version use. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../tests/support/database.ts'
import { loadOldSchema } from '../../tests/support/old-schema.ts'
import { migrateDatabase, readSupportedVersion } from '../storage/migrations.ts'
import { withOwnerConnection } from '../storage/open-database.ts'
import { prepareMigration } from './before-migration.ts'
import { readSchemaVersion } from './store.ts'

const HEARTBEAT_INTERVAL_MS = 100

describe('a migration', () => {
  let database: TestDatabase
  let notes: string[]
  let supportedVersion: number

  beforeAll(async () => {
    database = await createTestDatabase({ empty: true })
    supportedVersion = await readSupportedVersion()
  })
  beforeEach(() => {
    notes = []
  })
  afterAll(() => database.drop())

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

  /** Runs `work` while a node sends heartbeats. `schemaVersion` is undefined if its code doesn't store it. */
  async function besideNode<T>(schemaVersion: number | undefined, work: () => Promise<T>): Promise<T> {
    const columns = schemaVersion === undefined ? '' : ', schema_version'
    const values = schemaVersion === undefined ? '' : `, ${schemaVersion}`
    await connect((client) => client.query(`insert into nodes (id, seen_at${columns}) values (1, now()${values})`))
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

  it.each([
    [5, 'no node of an earlier version works with the migrated database'],
    [9, 'only nodes with schema version 12 or later work with the migrated database'],
  ])('from schema version %i is refused while a node of that version runs', async (version, reason) => {
    await loadOldSchema(database.connection, version)
    expect(await besideNode(undefined, migrate)).toBe(
      `The database was not migrated: 1 node of an earlier version (schema version ${version}) is still running, and ${reason}. Nothing was changed.`,
    )
    expect(await readVersion()).toBe(version)
    expect(notes).toEqual([])
  })

  it('works while a node of the previous schema version runs', async () => {
    await loadOldSchema(database.connection, supportedVersion - 1)
    expect(await besideNode(supportedVersion - 1, migrate)).toBeUndefined()
    expect(await readVersion()).toBe(supportedVersion)
    expect(notes).toEqual(['Belfry backs up only its embedded database automatically'])
  })

  it('is refused if a node survived the previous migration', async () => {
    await loadOldSchema(database.connection, supportedVersion - 1)
    const message = await besideNode(supportedVersion - 2, migrate)
    expect(message).toMatch(`(schema version ${supportedVersion - 2}) is still running, and only nodes`)
    expect(await readVersion()).toBe(supportedVersion - 1)
  })

  it('waits until a killed node has expired, and then works', async () => {
    await loadOldSchema(database.connection, 5)
    await connect((client) =>
      client.query(`insert into nodes (id, seen_at) values (1, now() - interval '5.3 seconds')`),
    )
    expect(await migrate()).toBeUndefined()
    expect(await readVersion()).toBe(supportedVersion)
  })
})
