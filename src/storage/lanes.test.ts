import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { connectPlainly } from '../../tests/support/database.ts'
import { Lanes } from './lanes.ts'

let lanes: Lanes
let losses: Error[]

beforeEach(() => {
  losses = []
  lanes = openLanes(1)
})
afterEach(() => lanes.close())

function openLanes(size: number, database = 'postgres'): Lanes {
  return new Lanes({
    connection: { ...inject('template'), database },
    size,
    setUp: `set timezone = 'UTC'`,
    silenceMs: 60_000,
    onLoss: (error) => losses.push(error),
  })
}

const ask = (n: number) =>
  lanes.fly([
    { text: 'select $1::int as n', values: [n] },
    { text: 'select $1::text as t', values: [`t${n}`] },
  ])

describe('a lane', () => {
  it('keeps every answer with its question, of many at once', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => ask(n)))
    expect(answers.map(([a, b]) => [a?.rows[0]?.['n'], b?.rows[0]?.['t']])).toEqual(
      Array.from({ length: 100 }, (_, n) => [n, `t${n}`]),
    )
  })

  it('lets what fails fail alone, whether it cannot be prepared or cannot be run', async () => {
    const work = Array.from({ length: 60 }, (_, n) => {
      if (n % 3 === 1) return lanes.fly([{ text: 'select 1 / $1::int', values: [0] }]).catch((error) => error.code)
      if (n % 3 === 2) return lanes.fly([{ text: 'select * from nothing_of_the_kind' }]).catch((error) => error.code)
      return ask(n).then(([a]) => a?.rows[0]?.['n'])
    })
    expect(await Promise.all(work)).toEqual(Array.from({ length: 60 }, (_, n) => [n, '22012', '42P01'][n % 3]))
  })

  it('keeps what is local to one flight from those behind it', async () => {
    const set = (value: string) =>
      lanes.fly([
        { text: `select set_config('belfry.user_id', $1, true)`, values: [value] },
        { text: `select current_setting('belfry.user_id') as value` },
      ])
    const look = () => lanes.fly([{ text: `select coalesce(current_setting('belfry.user_id', true), '') as value` }])
    const mixed = Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? set(`${n}`) : look()))
    const values = (await Promise.all(mixed)).map((results) => results.at(-1)?.rows[0]?.['value'])
    expect(values).toEqual(Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? `${n}` : '')))
  })

  it('loses what is under way when its connection dies, says so, and opens a new one', async () => {
    const [result] = await lanes.fly([{ text: 'select pg_backend_pid() as pid' }])
    const lost = Promise.allSettled([lanes.fly([{ text: 'select pg_sleep(60)' }]), ask(1)])
    const client = await connectPlainly()
    await client.query('select pg_terminate_backend($1)', [result?.rows[0]?.['pid']])
    await client.end()
    for (const outcome of await lost) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
    }
    expect((await ask(2))[0]?.rows).toEqual([{ n: 2 }])
    expect(losses.length).toBeGreaterThan(0)
  })

  it('has one connection again after a loss, however soon it is asked, and none when it is closed', async () => {
    const client = await connectPlainly()
    const open = async () => {
      const { rows } = await client.query(`select pid from pg_stat_activity where application_name = 'one lane'`)
      return rows.map(({ pid }) => pid)
    }
    const ask = () => lane.fly([{ text: `select set_config('application_name', 'one lane', false)` }])
    const lane = openLanes(1)
    await ask()
    for (let loss = 0; loss < 5; loss++) {
      const next = lane.fly([{ text: 'select pg_sleep(60)' }]).catch(ask)
      await client.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [await open()])
      await next
      await ask()
      await expect.poll(open, { timeout: 10_000 }).toHaveLength(1)
    }
    await lane.close()
    await expect.poll(open, { timeout: 10_000 }).toEqual([])
    await client.end()
  })

  it('says when the database is not there, and tries again the next time', async () => {
    const nowhere = openLanes(1, 'no_such_database')
    for (let n = 0; n < 2; n++) {
      await expect(nowhere.fly([{ text: 'select 1' }])).rejects.toMatchObject({ code: 'unavailable' })
    }
    await nowhere.close()
  })
})

describe('several lanes', () => {
  it('let the quick pass the slow', async () => {
    const several = openLanes(2)
    await Promise.all([several.fly([{ text: 'select 1' }]), several.fly([{ text: 'select 1' }])])
    const order: string[] = []
    const slow = several.fly([{ text: 'select pg_sleep(0.5)' }]).then(() => order.push('slow'))
    const quick = several.fly([{ text: 'select 1' }]).then(() => order.push('quick'))
    await Promise.all([slow, quick])
    expect(order).toEqual(['quick', 'slow'])
    await several.close()
  })
})
