/** Worker nodes are killed while they move the rows of earlier days into blocks. */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addDays, toUtcDay } from '../../src/lib/local-day.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import { createSeededRandom } from '../support/check-results.ts'
import { TestClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { createEventsOn } from '../support/inbox-events.ts'
import { expectCountsMatchEvents, type QueryRows } from '../support/recount.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { readStoredTraffic } from '../support/stored-traffic.ts'
import { createSite } from '../support/traffic.ts'
import { type Belfry, createBelfry, kill, waitUntil } from './support.ts'

const DAY_COUNT = isFaultsRun ? 200 : 60
const KILL_COUNT = isFaultsRun ? 20 : 3
const MAX_KILL_DELAY_MS = 400
const seed = Number(process.env['BELFRY_FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

let database: TestDatabase
let server: TestServer
let belfry: Belfry
let queryRows: QueryRows
let firstDay: string

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startTestServer({ database, clock: new TestClock(new Date()) })
  belfry = createBelfry(database.connection)
  queryRows = (sql, values) => server.services.db.query(sql, values) as never
  const { db, rollup } = server.services
  const siteId = await createSite(await server.createUser('grace'), 'example.com')
  firstDay = addDays(toUtcDay(new Date()), -2 - DAY_COUNT)
  for (let n = 0; n < DAY_COUNT; n++) await insertBatch(db, createEventsOn(siteId, addDays(firstDay, n), 40, n))
  await rollup.rollUpAll()
  // Belfry 0.2.0 left the rows of packed days.
  await packDays({ ...server.services, cluster: { areAllUpgraded: () => false } })
}, 60_000)
afterAll(async () => {
  await belfry?.close()
  await server?.close()
  await database?.drop()
})

const countDays = async (condition: string) => {
  const [row] = await queryRows<{ count: number }>(
    `select count(*)::integer as count from traffic_days where ${condition}`,
  )
  return row?.count ?? 0
}

describe('moving the rows of earlier days into blocks', () => {
  it('loses nothing and stores nothing twice if nodes are killed at random moments', async () => {
    const random = createSeededRandom(seed)
    const traffic = await readStoredTraffic(queryRows)
    expect(await countDays('is_packed and block_set is null')).toBe(DAY_COUNT)
    let interruptedCount = 0
    for (let n = 0; n < KILL_COUNT; n++) {
      const leftBefore = await countDays('block_set is null')
      const node = await belfry.start({ BELFRY_ROLES: 'worker' })
      await waitUntil('a day is in blocks', async () => (await countDays('block_set is null')) < leftBefore)
      await delay(random() * MAX_KILL_DELAY_MS)
      await kill(node)
      if ((await countDays('block_set is null')) > 0) interruptedCount++
      // Otherwise the next node would wait until the lease of the killed one has expired.
      await queryRows('delete from nodes')
      expect(await readStoredTraffic(queryRows), `seed ${seed}`).toEqual(traffic)
    }
    expect(interruptedCount).toBeGreaterThan(0)
    await belfry.start({ BELFRY_ROLES: 'worker' })
    await waitUntil('all days are in blocks', async () => (await countDays('block_set is null')) === 0, 60_000)
    expect(await queryRows('select from visits union all select from events')).toEqual([])
    expect(await readStoredTraffic(queryRows), `seed ${seed}`).toEqual(traffic)
    await expectCountsMatchEvents(queryRows, `seed ${seed}`)
  }, 120_000)
})
