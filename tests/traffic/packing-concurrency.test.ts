import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import { Rollup } from '../../src/traffic/rollup/rollup.ts'
import { TrafficThreads } from '../../src/traffic/threads/traffic-threads.ts'
import { TestClock } from '../support/clock.ts'
import { createEventsOn } from '../support/inbox-events.ts'
import { expectCountsMatchEvents, type QueryRows } from '../support/recount.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, fetchOverview } from '../support/traffic.ts'

const days = ['2026-01-01', '2026-01-02', '2026-01-03']
const range = 'from=2025-12-30&to=2026-01-04'

let server: TestServer
let ada: TestUser
let siteId: number
let queryRows: QueryRows

beforeAll(async () => {
  server = await startTestServer({ clock: new TestClock(new Date('2026-01-10T12:00:00Z')) })
  ada = await server.createUser('ada')
  siteId = await createSite(ada, 'example.com')
  queryRows = (sql, values) => server.services.db.query(sql, values) as never
})
afterAll(() => server?.close())

describe('packing and rolling up at the same time', () => {
  it('loses nothing, and counts nothing twice', async () => {
    const { db, log } = server.services
    const rollups = [server.services.rollup, new Rollup({ db, log, sliceEvents: 20, threads: new TrafficThreads() })]
    let isFinished = false
    const packLoops = [1, 2].map(async () => {
      while (!isFinished) await packDays(server.services)
    })
    const queryLoop = (async () => {
      while (!isFinished) {
        const { totals, panels } = await fetchOverview(ada.session, siteId, range)
        // Totals and panels come from the same snapshot, so they must agree.
        const sum = panels.country.reduce((all: number, { count }: { count: number }) => all + count, 0)
        expect(sum).toBe(totals.visitors)
        const filteredOverview = await fetchOverview(ada.session, siteId, `${range}&filter=page:*&filter=country:*`)
        const filteredSum = filteredOverview.panels.country.reduce(
          (all: number, { count }: { count: number }) => all + count,
          0,
        )
        expect(filteredSum).toBe(filteredOverview.totals.visitors)
      }
    })()
    for (let part = 0; part < 25; part++) {
      for (const day of days) await insertBatch(db, createEventsOn(siteId, day, 10, part * 10))
      await Promise.all(rollups.map((rollup) => rollup.rollUpAll()))
    }
    isFinished = true
    await Promise.all([queryLoop, ...packLoops])
    const { totals } = await fetchOverview(ada.session, siteId, range)
    expect(totals.pageviews + totals.events).toBe(750)
    await expectCountsMatchEvents(queryRows)
  })
})
