import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Connector } from '../../src/storage/connector.ts'
import { copyRows } from '../../src/storage/copy.ts'
import { decodeInt4, readFields } from '../../src/storage/copy-binary.ts'
import { hasPgbouncer, startPgbouncer } from '../support/pgbouncer.ts'
import { type PostgresCluster, startPostgresCluster } from '../support/postgres-cluster.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { type Attempt, expectNoOtherFailures, expectRecovery, listRefused, startDatabaseNode } from './database-node.ts'

describe.skipIf(!hasPgbouncer)('behind pgbouncer', () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await startPostgresCluster({ replicaCount: 1 })
  })
  afterAll(() => cluster.close())

  async function startServerBehind(mode: 'session' | 'transaction'): Promise<TestServer> {
    const { connection, kill } = await startPgbouncer(cluster, mode)
    onTestFinished(kill)
    return startTestServer({
      database: { connection, source: { connection, kind: 'remote', release: async () => {} }, drop: async () => {} },
    })
  }

  it('in session mode, everything works', async () => {
    const server = await startServerBehind('session')
    onTestFinished(() => server.close())
    const [ada, eve] = [await server.createUser('ada'), await server.createUser('eve')]
    await ada.session.post('/api/v1/websites', { domain: 'example.com' })
    await ada.withKey('monitors:read')
    const keyLists = await Promise.all([ada, eve].map(({ session }) => session.get('/api/keys')))
    expect(keyLists.map(({ body }) => body.meta.total)).toEqual([1, 0])
    const websites = await Promise.all([ada, eve].map(({ session }) => session.get('/api/v1/websites')))
    expect(websites.map(({ body }) => body.meta.total)).toEqual([1, 0])
    const body = { name: 'pageview', url: 'https://example.com/', domain: 'example.com' }
    expect((await server.anyone.post('/api/event', body)).status).toBe(202)
    expect((await server.anyone.get('/readyz')).status).toBe(200)
  })

  it('in transaction mode, the server refuses to start and says why', async () => {
    await expect(startServerBehind('transaction')).rejects.toThrow(
      'The connection pooler in front of PostgreSQL runs in transaction mode, which Belfry does not support.',
    )
  })

  it.each(['session', 'transaction'] as const)('in %s mode, transactions copy rows', async (mode) => {
    const { connection, kill } = await startPgbouncer(cluster, mode)
    onTestFinished(kill)
    const clients = [new pg.Client(connection), new pg.Client(connection)]
    for (const client of clients) await client.connect()
    for (let round = 0; round < 3; round++) {
      const copies = clients.map(async (client, index) => {
        await client.query('begin')
        const rows = await copyRows(client, `select ${index} from generate_series(1, 3)`)
        await client.query('commit')
        return rows.map((row) => decodeInt4(readFields(row)[0] as Uint8Array))
      })
      expect(await Promise.all(copies)).toEqual([
        [0, 0, 0],
        [1, 1, 1],
      ])
    }
    for (const client of clients) await client.end()
  })

  it('switched to transaction mode and back under a running server, requests get 503 and then work again', async () => {
    const pgbouncer = await startPgbouncer(cluster, 'session')
    onTestFinished(pgbouncer.kill)
    const node = await startDatabaseNode(pgbouncer.connection)
    const { logLines } = node.server
    const countLines = (text: string) => logLines.filter((line) => line.includes(text)).length
    await node.hammer(new Promise((resolve) => setTimeout(resolve, 500)))
    pgbouncer.switchTo('transaction')
    const refusedAttempts = await node.hammer(
      expect
        .poll(async () => (await node.attempt('readiness')).detail, { timeout: 20_000 })
        .toContain('transaction mode'),
    )
    expectNoOtherFailures(refusedAttempts)
    // End the sessions of the pooler, so that it opens new ones. Belfry has not set the search path of these yet.
    await cluster.primary.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $$belfry$$')
    const laterAttempts: Attempt[] = await node.hammer(new Promise((resolve) => setTimeout(resolve, 700)))
    expectNoOtherFailures(laterAttempts)
    expect(listRefused(laterAttempts).length).toBeGreaterThan(0)
    expect(countLines('"level":"error"')).toBe(1)
    expect(countLines('Until it is changed, requests get 503. Set session mode')).toBe(1)
    pgbouncer.switchTo('session')
    await expectRecovery(node, cluster.primary)
    const finalAttempts = await node.hammer(new Promise((resolve) => setTimeout(resolve, 500)))
    expect(listRefused(finalAttempts)).toEqual([])
  })

  it('a connection leads to the new primary, although the pooler keeps its sessions with the standby', async () => {
    const { primary, replicas } = cluster
    const proxy = await startTcpProxy(replicas[0]?.port ?? 0)
    onTestFinished(() => proxy.close())
    const pgbouncer = await startPgbouncer(cluster, 'session', proxy.port)
    onTestFinished(pgbouncer.kill)
    const connector = new Connector(pgbouncer.connection)
    const options = { timeoutMs: 2_000, setup: 'select' }
    await expect(connector.connect(options)).rejects.toThrow('the server is a standby')
    proxy.forwardTo(primary.port)
    const connection = await connector.connect(options)
    await connection.close()
  })
})
