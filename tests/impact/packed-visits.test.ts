/** What the watcher and the measurement of incidents read about visits must not change when their days are packed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countSnapshotVisitsByHost, countVisitsByHost } from '../../src/impact/history/store.ts'
import { countUsualVisits } from '../../src/impact/watch/other-websites-store.ts'
import {
  countVisitsAfterSilences,
  countVisitsBySlot,
  findTopSource,
  hasVisitAfter,
  readLastVisits,
} from '../../src/impact/watch/visits-store.ts'
import { addMs } from '../../src/lib/clock.ts'
import { HOUR_MS } from '../../src/shared/time.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { ensureMonthPartitions } from '../../src/traffic/retention/partitions.ts'
import { TestClock } from '../support/clock.ts'
import { createEventAt } from '../support/inbox-events.ts'
import { packIntoBlocks } from '../support/packed-days.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite } from '../support/traffic.ts'

const now = new Date('2026-01-20T18:00:00Z')
let server: TestServer
let owner: TestUser
let websiteCount = 0

beforeAll(async () => {
  server = await startTestServer({ clock: new TestClock(now) })
  owner = await server.createUser('ada')
  await ensureMonthPartitions(server.services.db, Date.parse('2025-12-01'), now.getTime())
})
afterAll(() => server.close())

const pick = <T>(list: readonly T[], index: number) => list[index % list.length] as T

/** A website with visits on 13 January and on the days from 17 January on. The last visit is on `lastDay`. */
async function createVisitedWebsite(lastDay: number): Promise<number> {
  const id = await createSite(owner, `site-${++websiteCount}.example.com`, { time_zone: 'America/New_York' })
  const days = [13, 17, 18, 19, 20].filter((day) => day <= lastDay)
  const events = days.flatMap((day) =>
    Array.from({ length: 40 }, (_, n) => {
      // New York's day begins at 5 a.m. in UTC.
      const at = Date.parse(`2026-01-${day}T05:00:00Z`) + n * 1_000_003
      return createEventAt(id, new Date(at).toISOString(), {
        day: `2026-01-${day}`,
        hour: Math.floor((n * 1_000_003) / 3_600_000),
        visitor: 1 + (n % 9),
        source: pick(['Direct', 'Google', 'Google', 'Hacker News'], n),
        ...(n % 4 !== 3 && { hostname: pick(['example.com', 'www.example.com'], n) }),
      })
    }),
  )
  const { db, rollup } = server.services
  await insertBatch(db, events)
  await rollup.rollUpAll()
  return id
}

const at = (time: string) => new Date(`2026-01-${time}Z`)
const period = (from: string, to: string) => ({ from: at(from), to: at(to) })

async function readAll(id: number) {
  const { db } = server.services
  const periods = [
    period('17T06:00:00', '17T09:30:00.001'),
    period('18T23:59:00', '19T08:00:00'),
    period('20T05:00:00', '20T18:00:00'),
  ]
  const sumByHost = (rows: { hostnameId: number; visits: number }[]) => {
    const sums = new Map<number, number>()
    for (const { hostnameId, visits } of rows) sums.set(hostnameId, (sums.get(hostnameId) ?? 0) + visits)
    return [...sums].sort(([one], [other]) => one - other)
  }
  const times = ['13T00:00:00', '17T07:13:20.012', '18T11:00:00', '19T13:00:00', '19T16:06:40.039', '20T17:55:00'].map(
    at,
  )
  const slots = await countVisitsBySlot(db, [{ id, from: Date.parse('2026-01-18T07:00:00Z') }], now)
  return {
    byPeriod: (await countVisitsByHost(db, id, periods)).map(sumByHost),
    byHost: sumByHost((await countVisitsByHost(db, id, periods)).flat()),
    inSnapshot: (await db.snapshot((q) => countSnapshotVisitsByHost(q, id, periods))).map(sumByHost),
    slots: slots.sort((one, other) => one.slot - other.slot),
    recentSlots: await countVisitsBySlot(db, [{ id, from: now.getTime() - 3_600_000 }], now),
    lastVisits: await Promise.all(times.map((from) => readLastVisits(db, [id], from, now))),
    isVisitedAfter: await Promise.all(times.map((since) => hasVisitAfter(db, id, since))),
    afterSilences: await Promise.all(
      times.map((silentAfter) => countVisitsAfterSilences(db, [{ id, silentAfter }], now)),
    ),
    topSources: await Promise.all(periods.map(({ from, to }) => findTopSource(db, id, from, to))),
    usualVisits: await countUsualVisits(db, [id], at('20T07:02:00'), now),
  }
}

describe('the visits of packed days', () => {
  it.each([18, 20])('are the same as those of rows if the last visit is on day %d', async (lastDay) => {
    const id = await createVisitedWebsite(lastDay)
    const rowResults = await readAll(id)
    expect(rowResults.byHost.length).toBe(3)
    expect(rowResults.slots.length).toBeGreaterThan(20)
    expect(rowResults.isVisitedAfter.slice(0, 3)).toEqual([true, true, true])
    expect(rowResults.topSources[0]).toMatchObject({ source: 'Google' })
    expect(rowResults.usualVisits[0]?.visits).toBeGreaterThan(5)
    for (const keepsRows of [true, false]) {
      await packIntoBlocks(server.services, id, { keepsRows })
      expect(await readAll(id)).toEqual(rowResults)
    }
    const blocks = await server.services.db.query('select from traffic_blocks where website_id = $1', [id])
    expect(blocks.length).toBe(lastDay === 18 ? 3 : 4)
  })

  it('of a visitor with rows are those of the rows, even if blocks have later ones', async () => {
    const id = await createVisitedWebsite(18)
    const { db } = server.services
    await packIntoBlocks(server.services, id, { keepsRows: true })
    const [last] = (await readLastVisits(db, [id], at('13T00:00:00'), now)).values()
    const earlier = addMs(last as Date, -HOUR_MS)
    await db.query(`delete from visits where website_id = $1 and day = '2026-01-18'`, [id])
    await db.query(
      `insert into visits (website_id, day, visitor, id, started_at, last_at, views, actions, hours)
       select $1, '2026-01-18', visitor, nextval('visit_ids'), $2, $2, 1, 0, 1
         from generate_series(1, 9) as visitor`,
      [id, earlier],
    )
    expect((await readLastVisits(db, [id], at('13T00:00:00'), now)).get(id)).toEqual(earlier)
    expect(await hasVisitAfter(db, id, earlier)).toBe(false)
    expect(await hasVisitAfter(db, id, addMs(earlier, -1))).toBe(true)
  })
})
