/** Creates databases as copies of the migrated template. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import type { DatabaseSource } from '../../src/storage/open-database.ts'

export interface TestDatabase {
  source: DatabaseSource
  connection: pg.ClientConfig
  drop(): Promise<void>
}

/** BELFRY_TEST_KEEP=1 keeps databases until the run ends, to inspect them from a debugger. */
const keepsDatabases = process.env['BELFRY_TEST_KEEP'] === '1'

/** Copies `original`, to which nothing may be connected. By default, copies the migrated template. */
export async function createTestDatabase(
  options: { empty?: boolean; original?: TestDatabase } = {},
): Promise<TestDatabase> {
  const template = inject('template')
  const name = `test_${randomBytes(6).toString('hex')}`
  const original = options.empty ? 'template0' : (options.original?.connection ?? template).database
  // Copying files takes a quarter of the time of the default strategy, which writes every page to the WAL.
  await runOnPostgres(`create database ${name} template ${original} strategy file_copy`)
  const connection = { ...template, database: name }
  return {
    connection,
    source: { connection, kind: 'remote', release: async () => {} },
    drop: async () => {
      if (!keepsDatabases) await dropDatabase(name)
    },
  }
}

/**
 * Ends our own sessions first. `drop database … with (force)` would also try to end sessions of superusers, which our
 * role may not do. A plain drop waits up to 5 s for those sessions to end.
 */
async function dropDatabase(name: string): Promise<void> {
  await runOnPostgres(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and usename = user`,
    `drop database ${name}`,
  )
}

/** Connects to the database `postgres`, because a template cannot be copied while there are connections to it. */
export async function connectToPostgres(): Promise<pg.Client> {
  const client = new pg.Client({ ...inject('template'), database: 'postgres' })
  await client.connect()
  return client
}

let sharedClient: Promise<pg.Client> | undefined

/** All files of a worker use one connection, because a new one takes 8 ms of processor time, and copying a database takes 20 ms. */
async function runOnPostgres(...statements: string[]): Promise<void> {
  sharedClient ??= connectToPostgres()
  const client = await sharedClient
  for (const statement of statements) await client.query(statement)
}
