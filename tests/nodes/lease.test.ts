import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Lease } from '../../src/nodes/lease.ts'
import { isAbandoned } from '../../src/nodes/store.ts'
import type { Queries } from '../../src/storage/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let leases: Lease[]
const log = pino({ level: 'silent' })

beforeAll(async () => {
  server = await startTestServer()
  leases = []
})
afterEach(async () => {
  await Promise.all(leases.splice(0).map((lease) => lease.stop()))
})
afterAll(() => server.close())

const db = () => server.services.db

async function take(): Promise<Lease> {
  const lease = new Lease({ db: db(), log })
  leases.push(lease)
  await lease.start()
  return lease
}

/** Whether what it holds may be taken from it. */
async function isFree(id: number): Promise<boolean> {
  const [row] = await db().query(`select ${isAbandoned('held.by')} as free from (select $1::bigint as by) held`, [id])
  return row?.['free']
}

const age = (id: number) => db().query(`update nodes set seen_at = now() - interval '7 seconds' where id = $1`, [id])

describe('a lease', () => {
  it('holds from its start to its stop', async () => {
    const lease = await take()
    const { id } = lease
    expect([lease.isHeld(), await isFree(id)]).toEqual([true, false])
    await lease.stop()
    expect([lease.isHeld(), await isFree(id)]).toEqual([false, true])
  })

  it('of two processes has two ids', async () => {
    const [one, other] = [await take(), await take()]
    expect(one.id).not.toBe(other.id)
  })

  it('is over for others when nobody has renewed it for some seconds', async () => {
    const { id } = await take()
    await age(id)
    expect(await isFree(id)).toBe(true)
  })

  it('goes on under another id when it was taken for dead, so that nothing of the first counts', async () => {
    const [lease, other] = [await take(), await take()]
    const { id } = lease
    await age(id)
    await other.renew()
    await lease.renew()
    expect(lease.id).not.toBe(id)
    expect([lease.hasId(id), await isFree(id), await isFree(lease.id)]).toEqual([false, true, false])
  })

  it('takes nobody for dead right after it was lost: they could not be seen either', async () => {
    let [now, isAway] = [0, false]
    const reachable = <T>(ask: () => Promise<T>) => (isAway ? Promise.reject(new Error('away')) : ask())
    const reached: Queries = {
      query: (...asked) => reachable(() => db().query(...asked)),
      flight: (...asked) => reachable(() => db().flight(...asked)),
    }
    const lease = new Lease({ db: reached, log, now: () => now })
    const seen: [held: boolean, calm: boolean][] = []
    const pass = async (ms: number) => {
      now += ms
      await lease.renew()
      seen.push([lease.isHeld(), lease.isCalm()])
    }
    await pass(0)
    isAway = true
    await pass(3_900)
    await pass(200)
    await pass(30_000)
    isAway = false
    await pass(500)
    await pass(2_900)
    await pass(200)
    await lease.stop()
    expect(seen).toEqual([
      [true, true],
      [true, true],
      [false, false],
      [false, false],
      [true, false],
      [true, false],
      [true, true],
    ])
  })

  it('that is abandoned leaves at once what it held', async () => {
    const lease = await take()
    const { id } = lease
    await lease.abandon()
    expect([await isFree(id), lease.isHeld(), await isFree(lease.id)]).toEqual([true, true, false])
  })
})
