import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { connectToPostgres } from '../../tests/support/database.ts'
import { runBatch } from './batch.ts'

let client: pg.Client

beforeAll(async () => {
  client = await connectToPostgres()
  await client.query(`set timezone = 'UTC'`)
})
afterAll(() => client.end())

describe('a batch', () => {
  it('returns the rows of each statement', async () => {
    const results = await runBatch(client, [
      { text: 'select $1::int as a, $2::text as b', values: [1, 'x'] },
      { text: 'select n::bigint as n from generate_series(1, 3) n' },
      { text: 'select 1 where false' },
    ])
    expect(results.map(({ rows }) => rows)).toEqual([[{ a: 1, b: 'x' }], [{ n: 1 }, { n: 2 }, { n: 3 }], []])
  })

  it('tells when a statement has ended, while the next one is still running', async () => {
    const lock = { text: 'select pg_advisory_xact_lock(4711)' }
    const otherClient = await connectToPostgres()
    await otherClient.query(`begin; ${lock.text}`)
    await runBatch(client, [{ text: 'select 1' }])
    const { promise: firstEnded, resolve } = Promise.withResolvers<void>()
    let progressCount = 0
    // The first statement is prepared already. The lock is prepared before both run.
    const onProgress = () => {
      progressCount++
      if (progressCount === 2) resolve()
    }
    const results = runBatch(client, [{ text: 'select 1' }, lock], { onProgress })
    await firstEnded
    await otherClient.end()
    await results
    expect(progressCount).toBe(3)
  })

  it('uses names of prepared statements that no other connection uses', async () => {
    const otherClient = await connectToPostgres()
    const listNames = async (connection: pg.Client) => {
      await runBatch(connection, [{ text: 'select 1' }])
      const { rows } = await connection.query('select name from pg_prepared_statements')
      return rows.map(({ name }) => name)
    }
    const [names, otherNames] = [await listNames(client), await listNames(otherClient)]
    await otherClient.end()
    expect(otherNames).toHaveLength(1)
    expect(names).not.toContain(otherNames[0])
  })

  it('parses the types that Belfry uses', async () => {
    const [result] = await runBatch(client, [
      {
        text: `select $1::timestamptz as time, $2::text[] as list, $3::bytea as bytes, $4::boolean as flag,
                      $5::json as json, null::int as nothing, '0999-01-02 03:04:05+00'::timestamptz as old`,
        values: [new Date('2026-01-05T10:00:00.123Z'), ['a', 'b,"c"'], Buffer.from([0, 255]), true, '{"a":[1]}'],
      },
    ])
    expect(result?.rows).toEqual([
      {
        time: new Date('2026-01-05T10:00:00.123Z'),
        list: ['a', 'b,"c"'],
        bytes: Buffer.from([0, 255]),
        flag: true,
        json: { a: [1] },
        nothing: null,
        old: new Date('0999-01-02T03:04:05.000Z'),
      },
    ])
  })

  it('is one transaction: a failure undoes earlier statements', async () => {
    await client.query('create temp table numbers (n int)')
    const failingBatch = runBatch(client, [{ text: 'insert into numbers values (1)' }, { text: 'select 1 / 0' }])
    await expect(failingBatch).rejects.toMatchObject({ code: '22012' })
    expect((await client.query('select * from numbers')).rowCount).toBe(0)
  })

  it('counts the rows that a statement changed', async () => {
    await client.query('create temp table counted_numbers (n int)')
    const [insert, update] = await runBatch(client, [
      { text: 'insert into counted_numbers select generate_series(1, 5)' },
      { text: 'update counted_numbers set n = 0 where n > $1', values: [2] },
    ])
    expect([insert?.count, update?.count]).toEqual([5, 3])
  })

  it('limits local settings to itself', async () => {
    const [, during] = await runBatch(client, [
      { text: `select set_config('belfry.user_id', '7', true)` },
      { text: `select current_setting('belfry.user_id', true) as value` },
    ])
    expect(during?.rows[0]?.['value']).toBe('7')
    const [after] = await runBatch(client, [{ text: `select current_setting('belfry.user_id', true) as value` }])
    expect(after?.rows[0]?.['value']).toBe('')
  })

  it('leaves the connection usable after a failure: statements prepared in a failed batch still work', async () => {
    const validStatement = { text: 'select $1::int * 2 as twice', values: [21] }
    const invalidStatement = { text: 'select * from no_such_table_here' }
    await expect(runBatch(client, [validStatement, invalidStatement])).rejects.toMatchObject({ code: '42P01' })
    await expect(runBatch(client, [invalidStatement, validStatement])).rejects.toMatchObject({ code: '42P01' })
    expect((await runBatch(client, [validStatement, validStatement])).map(({ rows }) => rows[0]?.['twice'])).toEqual([
      42, 42,
    ])
  })

  it('fails when its connection dies', async () => {
    const otherClient = new pg.Client({ ...inject('template'), database: 'postgres' })
    otherClient.on('error', () => {})
    await otherClient.connect()
    const pid = (await otherClient.query('select pg_backend_pid() as pid')).rows[0].pid
    const rejection = expect(runBatch(otherClient, [{ text: 'select pg_sleep(60)' }])).rejects.toThrow()
    await client.query('select pg_terminate_backend($1)', [pid])
    await rejection
    await otherClient.end()
  })
})
