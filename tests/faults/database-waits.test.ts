/** The limits of single waits: for locks, for results, and for connections that don't respond. */
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Statement } from '../../src/storage/batch.ts'
import { ConnectionGroups } from '../../src/storage/connection-groups.ts'
import type { ConnectionPools } from '../../src/storage/connection-pools.ts'
import { Connector } from '../../src/storage/connector.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

/**
 * The timeout of requests in tests that reach it. Other tests use a longer timeout, because the machine may be busy.
 */
const TIMEOUT_MS = 600
const LONG_TIMEOUT_MS = 20_000
const MAX_DELAY_MS = 2_000

let database: TestDatabase
let proxy: TcpProxy
let groups: ConnectionGroups
let requests: ConnectionPools
let patientGroups: ConnectionGroups
let patientRequests: ConnectionPools
let owner: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** Starts a proxy to the database. */
async function startProxy(): Promise<{ proxy: TcpProxy; connection: pg.ClientConfig }> {
  const { host, port } = database.connection
  const proxy = await startTcpProxy(`${host}/.s.PGSQL.${port}`)
  return { proxy, connection: { ...database.connection, host: '127.0.0.1', port: proxy.port } }
}

beforeEach(async () => {
  const started = await startProxy()
  const { connection } = started
  proxy = started.proxy
  groups = createGroups(connection, TIMEOUT_MS)
  patientGroups = createGroups(connection, LONG_TIMEOUT_MS)
  patientRequests = patientGroups.get('requests')
  requests = groups.get('requests')
  owner = (await new Connector(database.connection).connect({ timeoutMs: 10_000, setup: 'set search_path = belfry' }))
    .client
})
afterEach(async () => {
  await owner.end()
  await Promise.all([groups.close(), patientGroups.close()])
  await proxy.close()
})

function createGroups(connection: pg.ClientConfig, timeoutMs: number): ConnectionGroups {
  const limits = { timeoutMs, requestConnections: 4, backgroundConnections: 2 }
  return new ConnectionGroups({ connection, limits, onLoss: () => {} })
}

/** The first statement of a batch usually sets the caller. Here, `select 1` takes its place. */
const runStatement = (text: string, pools = patientRequests) => pools.run([{ text: 'select 1' }, { text }])
const readPid = async () => (await runStatement('select pg_backend_pid() as pid'))[1]?.rows[0]?.['pid']
const openingStatements: Statement[] = []

async function measure(work: Promise<unknown>): Promise<{ ms: number; error: unknown }> {
  const startedAt = performance.now()
  const error = await work.then(
    () => undefined,
    (error) => error,
  )
  return { ms: performance.now() - startedAt, error }
}

describe('a locked table', () => {
  beforeEach(() => owner.query('begin; lock table monitor_states'))

  it('lets a statement wait no longer than its limit', async () => {
    const { ms, error } = await measure(runStatement('select from monitor_states', requests))
    expect(error).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '5' } })
    expect(ms).toBeLessThan(TIMEOUT_MS + MAX_DELAY_MS)
  })

  it('costs no connection: PostgreSQL cancels the statement before we give up', async () => {
    const readRequestPid = async () =>
      (await runStatement('select pg_backend_pid() as pid', requests))[1]?.rows[0]?.['pid']
    const pid = await readRequestPid()
    for (let n = 0; n < 3; n++) {
      const { error } = await measure(runStatement('select from monitor_states', requests))
      expect((error as Error).cause).toMatchObject({ code: expect.stringMatching(/57014|55P03/) })
    }
    expect(await readRequestPid()).toBe(pid)
  })

  it('does not delay statements that need other tables, however many statements wait for the locked table', async () => {
    const blockedStatements = Array.from({ length: 20 }, () => runStatement('select from monitor_states'))
    for (let n = 0; n < 10; n++)
      expect((await measure(runStatement('select from users'))).ms).toBeLessThan(MAX_DELAY_MS)
    // After this time, each statement waits on a connection of its own.
    await delay(1_000)
    await owner.query('rollback')
    await Promise.all(blockedStatements)
  })
})

describe('a transaction', () => {
  it('waits no longer than the limit, all its statements together', async () => {
    const work = requests.transaction({ openingStatements }, async (q) => {
      for (let n = 0; n < 4; n++) await q.query('select pg_sleep(0.25)')
    })
    const { ms, error } = await measure(work)
    expect(error).toMatchObject({ code: 'unavailable' })
    expect(ms).toBeLessThan(TIMEOUT_MS + MAX_DELAY_MS)
  })

  it('may take longer in the background, as long as it makes progress', async () => {
    await groups.get('background').transaction({ openingStatements }, async (q) => {
      for (let n = 0; n < 3; n++) await q.query('select pg_sleep(0.25)')
    })
  })

  it('that cannot be rolled back loses its connection', async () => {
    let firstPid = 0
    const work = patientRequests.transaction({ openingStatements }, async (q) => {
      firstPid = (await q.query('select pg_backend_pid() as pid'))[0]?.['pid']
      proxy.stallOpenConnections()
      throw new Error('the work failed')
    })
    await expect(work).rejects.toThrow('the work failed')
    const secondPid = await patientRequests.transaction(
      { openingStatements },
      async (q) => (await q.query('select pg_backend_pid() as pid'))[0]?.['pid'],
    )
    expect(secondPid).not.toBe(firstPid)
  })

  it('is refused with 503 if it still deadlocks at the last attempt', async () => {
    const work = patientRequests.transaction({ openingStatements }, (q) =>
      q.query(`do $$ begin raise exception 'deadlock' using errcode = '40P01'; end $$`),
    )
    await expect(work).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describe('a PostgreSQL server that becomes read-only', () => {
  it('loses all connections as soon as one connection reports that the server is read-only', async () => {
    const background = patientGroups.get('background')
    const pids = [
      await readPid(),
      (await background.run([{ text: 'select pg_backend_pid() as pid' }]))[0]?.rows[0]?.['pid'],
    ]
    await runStatement('set default_transaction_read_only = on')
    await expect.poll(readPid).not.toBe(pids[0])
    const [result] = await background.run([{ text: 'select pg_backend_pid() as pid' }])
    expect(result?.rows[0]?.['pid']).not.toBe(pids[1])
  })

  it('fails a write with 503, and gets a new connection for the next write', async () => {
    const insertSql = 'insert into rate_counts (name, window_start, count) values (gen_random_uuid()::text, 0, 1)'
    const work = patientRequests.transaction({ openingStatements: [{ text: 'set transaction read only' }] }, (q) =>
      q.query(insertSql),
    )
    await expect(work).rejects.toMatchObject({ code: 'unavailable', message: 'The database is read-only.' })
    await patientRequests.transaction({ openingStatements }, (q) => q.query(insertSql))
  })
})

describe('a connection that does not respond', () => {
  it('fails the statement in time, and is replaced', async () => {
    await requests.run([{ text: 'select 1' }]).catch(() => {})
    proxy.stallOpenConnections()
    const { ms, error } = await measure(runStatement('select 1', requests))
    expect(error).toMatchObject({ code: 'unavailable', message: 'The database is unavailable.' })
    expect(ms).toBeLessThan(TIMEOUT_MS + MAX_DELAY_MS)
    await expect.poll(() => runStatement('select 1', requests).catch(() => undefined)).toBeDefined()
  })

  it('is replaced long before the limit, but not while its statement is running or being sent', async () => {
    const healthyGroups = createGroups(database.connection, TIMEOUT_MS)
    const stalledNetwork = await startProxy()
    const stalledGroups = createGroups(stalledNetwork.connection, LONG_TIMEOUT_MS)
    const background = groups.get('background')
    await background.run([{ text: 'select 1' }])
    await runStatement('select 1')
    const queryLength = async (text: string) =>
      (await stalledGroups.get('requests').run([{ text: 'select length($1) as length', values: [text] }]))[0]?.rows
    // Prepares the statement before the network stalls. Otherwise only its text would wait, and not the 10 MB.
    expect(await queryLength('short')).toEqual([{ length: 5 }])
    const tableLock = Promise.withResolvers<void>()
    const lostTransaction = background.transaction({ openingStatements }, async (q) => {
      await q.query('select pg_advisory_xact_lock(1)')
      tableLock.resolve()
      await delay(0)
      await q.query('select 1')
    })
    await tableLock.promise
    proxy.stallOpenConnections()
    stalledNetwork.proxy.stallOpenConnections()
    const sendingStatement = queryLength('x'.repeat(10_000_000))
    const [runningStatement, ...silentStatements] = await Promise.all([
      measure(healthyGroups.get('background').run([{ text: 'select pg_sleep(3)' }])),
      measure(background.run([{ text: 'select 1' }])),
      measure(runStatement('select 1')),
      measure(lostTransaction),
    ])
    for (const { error, ms } of silentStatements) {
      expect(error).toMatchObject({ code: 'unavailable' })
      expect(ms).toBeLessThan(5_000)
    }
    // The session of the lost transaction has ended, so its lock is free.
    await expect
      .poll(async () => (await owner.query('select pg_try_advisory_lock(1) as is_free')).rows[0].is_free)
      .toBe(true)
    expect(runningStatement.error).toBeUndefined()
    stalledNetwork.proxy.resume()
    expect(await sendingStatement).toEqual([{ length: 10_000_000 }])
    await Promise.all([healthyGroups.close(), stalledGroups.close()])
    await stalledNetwork.proxy.close()
  })

  it('inside a transaction releases its locks soon, because PostgreSQL ends idle transactions of requests', async () => {
    const readLimit = (pools: ConnectionPools, isSnapshot = false) =>
      pools.transaction({ openingStatements, isSnapshot }, async (q) => {
        const [row] = await q.query(`select current_setting('idle_in_transaction_session_timeout') as limit`)
        return row?.['limit']
      })
    expect(await readLimit(patientRequests)).toBe('4s')
    // The transaction of a download gets more time, because it only reads, and may wait for its client.
    expect(await readLimit(patientRequests, true)).toBe('1min')
    expect(await readLimit(patientGroups.get('background'))).toBe('1min')
  })
})
