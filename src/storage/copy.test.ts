import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { connectToPostgres } from '../../tests/support/database.ts'
import { startTestServer, type TestServer } from '../../tests/support/server.ts'
import { Connector } from './connector.ts'
import { copyRows } from './copy.ts'
import { decodeInt4, readFields } from './copy-binary.ts'
import type { TenantId } from './tenant.ts'
import type { TransactionQueries } from './transaction.ts'

const ROW_COUNT = 20
const ROW_BYTES = 200_000

let server: TestServer
/** Two users with a key each. */
const tenantIds: TenantId[] = []

beforeAll(async () => {
  server = await startTestServer()
  for (const name of ['ada', 'eve']) {
    const person = await server.createUser(name)
    const { keyId } = await person.withKey('monitors:read')
    tenantIds.push({ teamId: person.id, userId: person.id, keyId, sessionId: null })
  }
})
afterAll(() => server.close())

const db = () => server.services.db
const readPid = async (q: TransactionQueries): Promise<number> =>
  (await q.query('select pg_backend_pid() as pid'))[0]?.['pid']
const copyNumbers = async (q: TransactionQueries, select: string) =>
  (await q.copyRows(select)).map((row) => decodeInt4(readFields(row)[0] as Uint8Array))

describe('copied rows', () => {
  it('are the same as in the table, each in a buffer of its own', async () => {
    const contents = Array.from({ length: ROW_COUNT }, () => randomBytes(ROW_BYTES))
    const rows = await db().transaction(async (q) => {
      await q.query('create temp table blobs (n int, content bytea) on commit drop')
      for (const [n, content] of contents.entries()) await q.query('insert into blobs values ($1, $2)', [n, content])
      return q.copyRows('select n, content from blobs order by n')
    })
    const fields = rows.map(readFields)
    expect(fields.map(([n]) => decodeInt4(n as Uint8Array))).toEqual(contents.map((_, n) => n))
    expect(fields.every(([, content], n) => contents[n]?.equals(content as Uint8Array))).toBe(true)
    expect(rows.every((row) => row.byteLength === row.buffer.byteLength)).toBe(true)
    expect(new Set(rows.map(({ buffer }) => buffer)).size).toBe(ROW_COUNT)
  })

  it('can be none, one or many, in a transaction and in a snapshot', async () => {
    for (const count of [0, 1, 2, 5_000]) {
      const select = `select n from generate_series(1, ${count}) n`
      const numbers = Array.from({ length: count }, (_, index) => index + 1)
      expect(await db().transaction((q) => copyNumbers(q, select))).toEqual(numbers)
      expect(await db().snapshot((q) => copyNumbers(q, select))).toEqual(numbers)
    }
  })

  it('are the same if pg reads them, as with TLS', async () => {
    const client = await connectToPostgres()
    const select = `select n, repeat('x', n) from generate_series(1, 5000, 500) n`
    expect(await copyRows(client, select)).toEqual(await db().transaction((q) => q.copyRows(select)))
    await client.end()
  })

  it('leave no prepared statement behind', async () => {
    const names = await db().transaction(async (q) => {
      const list = () => q.query('select name from pg_prepared_statements order by name')
      await list()
      const namesBefore = await list()
      for (let n = 0; n < 5; n++) await copyNumbers(q, `select ${n}`)
      return [namesBefore, await list()]
    })
    expect(names[1]).toEqual(names[0])
  })

  it('are only those that a tenant may see', async () => {
    for (const tenantId of tenantIds) {
      const select = 'select id::integer, user_id::integer from api_keys'
      const tenant = db().as(tenantId)
      for (const rows of [
        await tenant.snapshot((q) => q.copyRows(select)),
        await tenant.transaction((q) => q.copyRows(select)),
      ]) {
        const keys = rows.map((row) => readFields(row).map((field) => decodeInt4(field as Uint8Array)))
        expect(keys).toEqual([[tenantId.keyId, tenantId.teamId]])
      }
    }
  })
})

describe('the header of a copy', () => {
  const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
  const row = Buffer.of(0, 1, 0, 0, 0, 4, 0, 0, 0, 7)
  const trailer = Buffer.of(255, 255)

  /** Copies from a connection on which PostgreSQL sends these messages. */
  function copyMessages(...messages: Buffer[]): Promise<Uint8Array[]> {
    type Query = { handleCopyData(message: { chunk: Buffer }): void; handleReadyForQuery(): void }
    const query = (copy: Query) => {
      for (const chunk of messages) copy.handleCopyData({ chunk })
      copy.handleReadyForQuery()
    }
    return copyRows({ query } as never, 'select 7')
  }

  it('can be in a message of its own, or together with the first row or the trailer', async () => {
    expect(await copyMessages(header, row, row, trailer)).toEqual([Uint8Array.from(row), Uint8Array.from(row)])
    expect(await copyMessages(Buffer.concat([header, row]), trailer)).toEqual([Uint8Array.from(row)])
    expect(await copyMessages(Buffer.concat([header, trailer]))).toEqual([])
    expect(await copyMessages(header, trailer)).toEqual([])
  })

  it('can have an extension', async () => {
    const extension = Buffer.from('extension')
    const extendedHeader = Buffer.concat([header.subarray(0, -1), Buffer.of(extension.length), extension])
    expect(await copyMessages(extendedHeader, row, trailer)).toEqual([Uint8Array.from(row)])
    expect(await copyMessages(Buffer.concat([extendedHeader, row]), trailer)).toEqual([Uint8Array.from(row)])
  })

  it('is rejected if it is unknown', async () => {
    await expect(copyMessages(row, trailer)).rejects.toThrow('unknown header')
    await expect(copyMessages(header.subarray(1), row, trailer)).rejects.toThrow('unknown header')
  })
})

describe('a failed copy', () => {
  it.each([
    ['select * from no_such_table', '42P01'],
    ['select 1 / (3 - n) from generate_series(1, 5) n', '22012'],
    ['select 1) to stdout; select (2', '42601'],
    [`insert into users default values`, '0A000'],
  ])('of "%s" fails its transaction, but not the connection', async (select, code) => {
    let pid: number | undefined
    const transaction = db().transaction(async (q) => {
      pid = await readPid(q)
      await expect(q.copyRows(select)).rejects.toMatchObject({ code, stack: expect.stringContaining('copy.test.ts') })
      await expect(copyNumbers(q, 'select 1')).rejects.toMatchObject({ code: '25P02' })
      await q.query('select 1')
    })
    await expect(transaction).rejects.toMatchObject({ code: '25P02' })
    expect(await db().transaction(async (q) => [await readPid(q), ...(await copyNumbers(q, 'select 7'))])).toEqual([
      pid,
      7,
    ])
  })

  it('at its statement timeout reports an unavailable database, and keeps the connection', async () => {
    let pid: number | undefined
    const transaction = db().snapshot(async (q) => {
      pid = await readPid(q)
      await q.query(`select set_config('statement_timeout', '20ms', true)`)
      await q.copyRows('select n, pg_sleep(60) from generate_series(1, 3) n')
    })
    await expect(transaction).rejects.toMatchObject({ code: 'unavailable', cause: { code: '57014' } })
    expect(await db().snapshot(readPid)).toBe(pid)
  })

  it('without a response in time closes the connection', async () => {
    const connector = new Connector({ ...inject('template'), database: 'postgres' })
    const connection = await connector.connect({ timeoutMs: 10_000, setup: 'select' })
    connection.client.on('error', () => {})
    await expect(connection.copyRows('select pg_sleep(60)::text', 10)).rejects.toThrow('Connection terminated')
    expect([connection.isSilent, connection.isDestroyed]).toEqual([true, true])
  })

  it('after the loss of its connection reports an unavailable database', async () => {
    const client = await connectToPostgres()
    const transaction = db().snapshot(async (q) => {
      const pid = await readPid(q)
      const copy = q.copyRows(`select repeat('x', 100000), case when n = 50 then pg_sleep(60)::text end
                                 from generate_series(1, 100) n`)
      // Ends the session after PostgreSQL has sent the first rows.
      const endIfSleeping = `select pg_terminate_backend(pid) from pg_stat_activity
                              where pid = $1 and wait_event = 'PgSleep'`
      await Promise.all([
        expect(copy).rejects.toThrow(),
        expect.poll(async () => (await client.query(endIfSleeping, [pid])).rowCount, { timeout: 20_000 }).toBe(1),
      ])
      await copy
    })
    await expect(transaction).rejects.toMatchObject({ code: 'unavailable' })
    await client.end()
    expect(await db().snapshot((q) => copyNumbers(q, 'select 7'))).toEqual([7])
  })
})
