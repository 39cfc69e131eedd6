/** A database of one's own: a copy of the migrated template. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import type { DatabaseSource } from '../../src/storage/open-database.ts'

export interface TestDatabase {
  place: DatabaseSource
  connection: pg.ClientConfig
  drop(): Promise<void>
}

/** BELFRY_TEST_KEEP=1 leaves it there until the run ends, for looking at it from a debugger. */
const keep = process.env['BELFRY_TEST_KEEP'] === '1'

export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const template = inject('template')
  const name = `test_${randomBytes(6).toString('hex')}`
  await maintain(`create database ${name} template ${empty ? 'template0' : template.database}`)
  const connection = { ...template, database: name }
  return {
    connection,
    place: { connection, kind: 'remote', release: async () => {} },
    drop: async () => {
      if (!keep) await drop(name)
    },
  }
}

/**
 * Not `with (force)`: that fails when autovacuum happens to be in the database, whose processes only a superuser may end.
 * A plain drop sends autovacuum away and waits five seconds for everybody who was told to go.
 */
async function drop(name: string): Promise<void> {
  await maintain(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and usename = user`)
  await maintain(`drop database ${name}`)
}

/** To `postgres`, because nobody may be connected to a template while it is copied. */
export async function connectPlainly(): Promise<pg.Client> {
  const client = new pg.Client({ ...inject('template'), database: 'postgres' })
  await client.connect()
  return client
}

async function maintain(sql: string): Promise<void> {
  const client = await connectPlainly()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
