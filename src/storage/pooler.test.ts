import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../tests/support/database.ts'
import { isFaultsRun } from '../../tests/support/faults-run.ts'
import { startTestServer, type TestUser } from '../../tests/support/server.ts'
import {
  type PoolMode,
  startTransactionPooler,
  type TransactionPooler,
} from '../../tests/support/transaction-pooler.ts'

const ROUNDS_PER_CLIENT = isFaultsRun ? 20 : 8
const CLIENTS_PER_USER = 4

/** Returns the database as a client of the pooler sees it. */
async function createPooledDatabase(mode: PoolMode): Promise<TestDatabase & { pooler: TransactionPooler }> {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const pooler = await startTransactionPooler(database.connection, mode)
  const connection = { ...database.connection, host: '127.0.0.1', port: pooler.port, ssl: false }
  return { ...database, connection, source: { ...database.source, connection }, pooler }
}

async function startServerBehind(database: TestDatabase) {
  const server = await startTestServer({ database })
  onTestFinished(() => server.close())
  return server
}

describe('a pooler in transaction mode', () => {
  it('is refused at start, with the reason', async () => {
    const database = await createPooledDatabase('transaction')
    await expect(startTestServer({ database })).rejects.toThrow(
      'The connection pooler in front of PostgreSQL runs in transaction mode, which Belfry does not support.',
    )
  })

  it('never mixes tenants, even if it is switched to that mode while Belfry runs', async () => {
    const database = await createPooledDatabase('session')
    const server = await startServerBehind(database)
    const users = [await server.createUser('ada'), await server.createUser('eve')]
    // Opens all connections for statements across users, so that the pooler mixes their sessions with those of requests.
    await Promise.all(Array.from({ length: 8 }, () => server.services.db.query('select pg_sleep(0.05)')))
    await Promise.all(users.map((user) => createAndDeleteKeys(user)))
    database.pooler.switchToTransactionMode()
    const problems = await Promise.all(
      users.flatMap((user) => Array.from({ length: CLIENTS_PER_USER }, () => createAndDeleteKeys(user))),
    )
    expect(problems.flat()).toEqual([])
  })
})

/** Returns what went wrong, such as keys of other users in the list. */
async function createAndDeleteKeys({ email, session }: TestUser): Promise<string[]> {
  const problems: string[] = []
  for (let round = 0; round < ROUNDS_PER_CLIENT; round++) {
    const creation = await session.post('/api/keys', { name: email, scopes: ['monitors:read'] })
    const list = await session.get('/api/keys')
    const deletion = await session.delete(`/api/keys/${creation.body.data?.id}`)
    const statuses = [creation, list, deletion].map(({ status }) => status).join()
    if (statuses !== '201,200,200') problems.push(`statuses ${statuses}`)
    for (const { name } of list.body.data ?? []) if (name !== email) problems.push(`${email} sees a key of ${name}`)
  }
  return problems
}

it('Belfry works behind a pooler in session mode', async () => {
  const database = await createPooledDatabase('session')
  const server = await startServerBehind(database)
  const ada = await server.createUser('ada')
  await ada.withKey('monitors:read')
  expect((await ada.session.get('/api/keys')).body.meta.total).toBe(1)
})
