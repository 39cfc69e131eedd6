import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { connectToPostgres } from '../../tests/support/database.ts'
import type { Statement } from './batch.ts'
import { Connector } from './connector.ts'
import { PipelinedPool } from './pipelined-pool.ts'

let pool: PipelinedPool
let connectionErrors: Error[]

beforeEach(() => {
  connectionErrors = []
  pool = openPool(1)
})
afterEach(() => pool.close())

function openPool(size: number, database = 'postgres'): PipelinedPool {
  return new PipelinedPool({
    connector: new Connector({ ...inject('template'), database }),
    size,
    setup: `set timezone = 'UTC'`,
    onLoss: (error) => connectionErrors.push(error),
  })
}

const runOn = (target: PipelinedPool, statements: Statement[]) => target.run(statements, 60_000)

const echo = (n: number) =>
  runOn(pool, [
    { text: 'select $1::int as n', values: [n] },
    { text: 'select $1::text as t', values: [`t${n}`] },
  ])

describe('a pipelined connection', () => {
  it('returns the right result to each of many concurrent callers', async () => {
    const results = await Promise.all(Array.from({ length: 100 }, (_, n) => echo(n)))
    expect(results.map(([a, b]) => [a?.rows[0]?.['n'], b?.rows[0]?.['t']])).toEqual(
      Array.from({ length: 100 }, (_, n) => [n, `t${n}`]),
    )
  })

  it('isolates a failing batch from other batches, whether preparing or running it fails', async () => {
    const batches = Array.from({ length: 60 }, (_, n) => {
      if (n % 3 === 1) return runOn(pool, [{ text: 'select 1 / $1::int', values: [0] }]).catch((error) => error.code)
      if (n % 3 === 2) return runOn(pool, [{ text: 'select * from no_such_table' }]).catch((error) => error.code)
      return echo(n).then(([a]) => a?.rows[0]?.['n'])
    })
    expect(await Promise.all(batches)).toEqual(Array.from({ length: 60 }, (_, n) => [n, '22012', '42P01'][n % 3]))
  })

  it('limits local settings to their batch', async () => {
    const setTeamId = (value: string) =>
      runOn(pool, [
        { text: `select set_config('belfry.user_id', $1, true)`, values: [value] },
        { text: `select current_setting('belfry.user_id') as value` },
      ])
    const readTeamId = () =>
      runOn(pool, [{ text: `select coalesce(current_setting('belfry.user_id', true), '') as value` }])
    const mixedBatches = Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? setTeamId(`${n}`) : readTeamId()))
    const values = (await Promise.all(mixedBatches)).map((results) => results.at(-1)?.rows[0]?.['value'])
    expect(values).toEqual(Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? `${n}` : '')))
  })

  it('fails queued batches when the connection dies, and opens a new one', async () => {
    const [result] = await runOn(pool, [{ text: 'select pg_backend_pid() as pid' }])
    const lostBatches = Promise.allSettled([runOn(pool, [{ text: 'select pg_sleep(60)' }]), echo(1)])
    const client = await connectToPostgres()
    await client.query('select pg_terminate_backend($1)', [result?.rows[0]?.['pid']])
    await client.end()
    for (const result of await lostBatches) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
    }
    expect((await echo(2))[0]?.rows).toEqual([{ n: 2 }])
    expect(connectionErrors.length).toBeGreaterThan(0)
  })

  it('has exactly one connection after a loss, even when queried immediately, and none after closing', async () => {
    const client = await connectToPostgres()
    const findOpenPids = async () => {
      const { rows } = await client.query(`select pid from pg_stat_activity where application_name = 'one connection'`)
      return rows.map(({ pid }) => pid)
    }
    const nameConnection = () =>
      runOn(singlePool, [{ text: `select set_config('application_name', 'one connection', false)` }])
    const singlePool = openPool(1)
    await nameConnection()
    for (let lossNumber = 0; lossNumber < 5; lossNumber++) {
      const nextQuery = runOn(singlePool, [{ text: 'select pg_sleep(60)' }]).catch(nameConnection)
      await client.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [await findOpenPids()])
      await nextQuery
      await nameConnection()
      await expect.poll(findOpenPids, { timeout: 10_000 }).toHaveLength(1)
    }
    await singlePool.close()
    await expect.poll(findOpenPids, { timeout: 10_000 }).toEqual([])
    await client.end()
  })

  it('reports an unavailable database, and reconnects with the next query', async () => {
    const unreachablePool = openPool(1, 'no_such_database')
    for (let n = 0; n < 2; n++) {
      await expect(runOn(unreachablePool, [{ text: 'select 1' }])).rejects.toMatchObject({ code: 'unavailable' })
    }
    await unreachablePool.close()
  })
})

describe('several pipelined connections', () => {
  it('let fast queries pass slow ones', async () => {
    const pairPool = openPool(2)
    await Promise.all([runOn(pairPool, [{ text: 'select 1' }]), runOn(pairPool, [{ text: 'select 1' }])])
    const order: string[] = []
    const slowQuery = runOn(pairPool, [{ text: 'select pg_sleep(0.5)' }]).then(() => order.push('slow'))
    const quickQuery = runOn(pairPool, [{ text: 'select 1' }]).then(() => order.push('quick'))
    await Promise.all([slowQuery, quickQuery])
    expect(order).toEqual(['quick', 'slow'])
    await pairPool.close()
  })
})
