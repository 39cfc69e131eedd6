import { setImmediate as nextTurn } from 'node:timers/promises'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connectToPostgres } from '../../tests/support/database.ts'
import { OpenConnection, RESPONSE_GRACE_MS } from './open-connection.ts'

const TIMEOUT_MS = 1_000
/** Two steps are longer than the timeout. */
const STEP_MS = TIMEOUT_MS - 100 + RESPONSE_GRACE_MS
const [FIRST_LOCK, SECOND_LOCK] = [350_001, 350_002]

let connection: OpenConnection
let otherClient: pg.Client

beforeEach(async () => {
  const client = await connectToPostgres()
  client.on('error', () => {}) // A connection that is closed while a statement runs reports this error, too.
  connection = new OpenConnection(client, { pid: 0, id: '' }, 0)
  otherClient = await connectToPostgres()
  await otherClient.query(`select pg_advisory_lock(${FIRST_LOCK}), pg_advisory_lock(${SECOND_LOCK})`)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(async () => {
  vi.useRealTimers()
  await otherClient.end()
  await connection.close()
})

const takeLock = (lock: number) => ({ text: `select 1 from pg_advisory_xact_lock(${lock})` })

async function letTimePass(): Promise<void> {
  vi.advanceTimersByTime(STEP_MS)
  // An immediate of the timer runs in this turn.
  await nextTurn()
}

async function waitUntilStatementWaitsFor(lock: number): Promise<void> {
  const text = `select from pg_locks where locktype = 'advisory' and objid = ${lock} and not granted`
  while ((await otherClient.query(text)).rowCount === 0);
  // What PostgreSQL sent before is read in this turn.
  await nextTurn()
}

async function unlock(lock: number): Promise<void> {
  await otherClient.query(`select pg_advisory_unlock(${lock})`)
}

describe('an open connection', () => {
  it('waits for each statement as long as for a single one', async () => {
    const results = connection.run([takeLock(FIRST_LOCK), takeLock(SECOND_LOCK)], TIMEOUT_MS, 'each')
    await waitUntilStatementWaitsFor(FIRST_LOCK)
    await letTimePass()
    await unlock(FIRST_LOCK)
    await waitUntilStatementWaitsFor(SECOND_LOCK)
    await letTimePass()
    await unlock(SECOND_LOCK)
    expect(await results).toHaveLength(2)
    expect(connection.isSilent).toBe(false)
  })

  it('closes if all statements together take too long', async () => {
    const results = connection.run([takeLock(FIRST_LOCK), takeLock(SECOND_LOCK)], TIMEOUT_MS)
    const outcome = Promise.allSettled([results])
    await waitUntilStatementWaitsFor(FIRST_LOCK)
    await letTimePass()
    expect(connection.isDestroyed).toBe(false)
    await unlock(FIRST_LOCK)
    await waitUntilStatementWaitsFor(SECOND_LOCK)
    await letTimePass()
    expect((await outcome)[0].status).toBe('rejected')
    expect(connection.isSilent).toBe(true)
  })
})
