import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../tests/support/database.ts'
import { createLog } from '../lib/log.ts'
import type { Statement } from './batch.ts'
import type { Database } from './database.ts'
import { openDatabase, withOwnerConnection } from './open-database.ts'

let testDatabase: TestDatabase
let db: Database

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  const limits = { timeoutMs: 20_000, requestConnections: 2, backgroundConnections: 2 }
  const log = createLog('silent', { write: () => {} })
  db = (await openDatabase(testDatabase.source, { log, limits, schema: 'require' })).db
})
afterAll(async () => {
  await db.close()
  await testDatabase.drop()
})

const statements: Statement[] = [
  // With this setting and JIT on, PostgreSQL compiles even the cheapest statement.
  { text: `select set_config('jit_above_cost', '0', true)` },
  { text: 'explain select count(*) from pg_class' },
  { text: 'show jit' },
]

async function runOn(client: pg.Client): Promise<Record<string, unknown>[][]> {
  await client.query('begin')
  const results = []
  for (const { text } of statements) results.push((await client.query(text)).rows)
  await client.query('commit')
  return results
}

const groups = ['requests', 'ingest', 'background'] as const
const connections: [string, () => Promise<Record<string, unknown>[][]>][] = [
  ...groups.flatMap((group): typeof connections => [
    [`a pipelined connection for ${group}`, async () => listRows(await db.on(group).batch(...statements))],
    [
      `a transaction of the group ${group}`,
      async () => listRows(await db.on(group).transaction((q) => q.batch(...statements))),
    ],
    [`a lent connection of the group ${group}`, () => db.on(group).withConnection(runOn)],
  ]),
  ['the connection of the owner', () => withOwnerConnection(testDatabase.connection, runOn)],
]

const listRows = (results: { rows: Record<string, unknown>[] }[]) => results.map(({ rows }) => rows)

describe('PostgreSQL compiles no statement (JIT)', () => {
  it.each(connections)('on %s', async (_, runStatements) => {
    const [, plan, setting] = await runStatements()
    expect(setting).toEqual([{ jit: 'off' }])
    expect(JSON.stringify(plan)).not.toContain('JIT')
  })

  it('because Belfry turns JIT off, which is on by default', async () => {
    const client = new pg.Client(testDatabase.connection)
    await client.connect()
    const [, , setting] = await runOn(client).finally(() => client.end())
    expect(setting).toEqual([{ jit: 'on' }])
  })
})
