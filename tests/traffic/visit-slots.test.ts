/** Visits are counted per host in each slot of 5 minutes, including visits of days that Belfry 0.2.0 packed. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createJob } from '../../src/app/jobs.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import type { TrafficEvent } from '../../src/traffic/model/event.ts'
import { countEarlierVisits } from '../../src/traffic/packing/count-earlier-visits.ts'
import { moveDaysIntoBlocks } from '../../src/traffic/packing/move-days-into-blocks.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import { TestClock } from '../support/clock.ts'
import { createEventAt, createEventsOn } from '../support/inbox-events.ts'
import { expectCountsMatchEvents, type QueryRows } from '../support/recount.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite } from '../support/traffic.ts'
import { readVisitSlots } from '../support/visit-slots.ts'

const day = '2026-01-05'
const www = { hostname: 'www.example.com' }

let server: TestServer
let ada: TestUser
let siteCount = 0
let siteId: number
let queryRows: QueryRows

beforeAll(async () => {
  server = await startTestServer({ clock: new TestClock(new Date('2026-01-10T12:00:00Z')) })
  ada = await server.createUser('ada')
  queryRows = (sql, values) => server.services.db.query(sql, values) as never
})
afterAll(() => server?.close())

beforeEach(async () => {
  siteId = await createSite(ada, `site-${++siteCount}.example.com`)
})

const pack = () => packDays(server.services)
/** Leaves visits and events in rows, as Belfry 0.2.0 did. */
const packCounts = () => packDays({ ...server.services, cluster: { areAllUpgraded: () => false } })
const moveIntoBlocks = () => moveDaysIntoBlocks({ ...server.services, isBusy: () => false })
const readSlots = () => readVisitSlots(server.services.db, siteId)
const viewAt = (time: string, overrides: Partial<TrafficEvent> = {}) =>
  createEventAt(siteId, `${day}T${time}Z`, overrides)

async function rollUp(...events: TrafficEvent[]): Promise<void> {
  await insertBatch(server.services.db, events)
  await server.services.rollup.rollUpAll()
}

const readStoredSlots = async () =>
  (
    await queryRows<{ slots: string | null }>(
      'select visit_slots as slots from traffic_days where website_id = $1 order by day',
      [siteId],
    )
  ).map(({ slots }) => slots)

const readUnpackedSlots = () =>
  queryRows('select value, count from traffic_counts where website_id = $1 and dimension = 19', [siteId])

/** Removes the slots from the packed days, because Belfry 0.2.0 did not store them. */
async function forgetSlots(): Promise<void> {
  await queryRows('update traffic_days set visit_slots = null where website_id = $1', [siteId])
}

/** Deletes days whose stored visits and counts don't match, so that later tests don't count them. */
async function forgetTraffic(): Promise<void> {
  for (const table of ['traffic_days', 'traffic_blocks'])
    await queryRows(`delete from ${table} where website_id = $1`, [siteId])
}

describe('visits per host in each slot of 5 minutes', () => {
  const visits = () => [
    viewAt('10:00:00', { visitor: 1, ...www }),
    viewAt('10:04:59.999', { visitor: 2, ...www }),
    viewAt('10:04:00', { visitor: 3, hostname: 'example.com' }),
    viewAt('10:05:00', { visitor: 4, ...www }),
    viewAt('10:05:00', { visitor: 5 }),
    // The view at 10:20 belongs to the visit that began at 10:00 on another host. The view at 11:00 begins a new visit.
    viewAt('10:20:00', { visitor: 1, hostname: 'example.com' }),
    viewAt('11:00:00', { visitor: 1, hostname: 'example.com' }),
    viewAt('11:01:00', { visitor: 9, kind: 'engagement', ...www }),
  ]
  const expectedSlots = {
    'www.example.com 2026-01-05T10:00:00Z': 2,
    'example.com 2026-01-05T10:00:00Z': 1,
    'www.example.com 2026-01-05T10:05:00Z': 1,
    ' 2026-01-05T10:05:00Z': 1,
    'example.com 2026-01-05T11:00:00Z': 1,
  }

  it('are counted once, where and when they began, before and after the day is packed', async () => {
    await rollUp(...visits())
    expect(await readSlots()).toEqual(expectedSlots)
    expect(await readStoredSlots()).toEqual([null])
    await pack()
    expect(await readSlots()).toEqual(expectedSlots)
    expect(await readUnpackedSlots()).toEqual([])
    await expectCountsMatchEvents(queryRows)
  })

  it('are the same if every event is rolled up on its own', async () => {
    for (const event of visits()) await rollUp(event)
    expect(await readSlots()).toEqual(expectedSlots)
    await expectCountsMatchEvents(queryRows)
  })

  it('include late events, which never move a visit to another slot', async () => {
    await rollUp(...visits())
    await pack()
    await rollUp(viewAt('09:59:00', { visitor: 2 }), viewAt('12:00:00', { visitor: 2, ...www }))
    const laterSlots = { ...expectedSlots, 'www.example.com 2026-01-05T12:00:00Z': 1 }
    expect(await readSlots()).toEqual(laterSlots)
    await pack()
    expect(await readSlots()).toEqual(laterSlots)
    await expectCountsMatchEvents(queryRows)
  })

  it('stay when the rows of the visits are deleted, and later visits are added to them', async () => {
    await rollUp(...visits())
    await packCounts()
    await queryRows('delete from visits where website_id = $1', [siteId])
    await queryRows('delete from events where website_id = $1', [siteId])
    await rollUp(viewAt('12:00:00', { visitor: 7, ...www }))
    await pack()
    expect(await readSlots()).toEqual({ ...expectedSlots, 'www.example.com 2026-01-05T12:00:00Z': 1 })
    await forgetTraffic()
  })

  it('that Belfry 0.2.0 stored are counted when the day is packed', async () => {
    await rollUp(...visits())
    // Belfry 0.2.0 stored neither the host of a visit nor its slot.
    await queryRows('update visits set hostname = null where website_id = $1 and visitor <= 2', [siteId])
    await queryRows('delete from traffic_counts where website_id = $1 and dimension in (18, 19)', [siteId])
    await pack()
    expect(await readSlots()).toEqual({
      ' 2026-01-05T10:00:00Z': 2,
      'example.com 2026-01-05T10:00:00Z': 1,
      'www.example.com 2026-01-05T10:05:00Z': 1,
      ' 2026-01-05T10:05:00Z': 1,
      ' 2026-01-05T11:00:00Z': 1,
    })
    await forgetTraffic()
  })
})

describe('days that Belfry 0.2.0 packed', () => {
  const days = ['2025-12-30', '2026-01-02', '2026-01-05']
  const addDays = async () => {
    for (const day of days) await rollUp(...createEventsOn(siteId, day, 40))
    await packCounts()
  }

  it('are counted by a job', async () => {
    await addDays()
    const [slots, storedSlots] = [await readSlots(), await readStoredSlots()]
    await forgetSlots()
    expect(await readSlots()).toEqual({})
    await createJob('count visits of earlier days', server.services).run()
    expect(await readSlots()).toEqual(slots)
    expect(await readStoredSlots()).toEqual(storedSlots)
    await expectCountsMatchEvents(queryRows)
  })

  it('are counted when their rows are moved into blocks', async () => {
    await addDays()
    const [slots, storedSlots] = [await readSlots(), await readStoredSlots()]
    await forgetSlots()
    await moveIntoBlocks()
    expect(await readSlots()).toEqual(slots)
    expect(await readStoredSlots()).toEqual(storedSlots)
    expect(await queryRows('select from visits where website_id = $1', [siteId])).toEqual([])
    await expectCountsMatchEvents(queryRows)
  })

  it('are not counted if they have changed in the meantime, until they are packed again', async () => {
    await addDays()
    await forgetSlots()
    await rollUp(viewAt('23:50:00', { visitor: 99, ...www }))
    await countEarlierVisits(server.services)
    expect((await readStoredSlots()).map((slots) => slots !== null)).toEqual([true, true, false])
    await pack()
    expect((await readSlots())['www.example.com 2026-01-05T23:50:00Z']).toBe(1)
    await expectCountsMatchEvents(queryRows)
  })

  it('are tried only once if their visits were deleted', async () => {
    await addDays()
    await forgetSlots()
    await queryRows('delete from visits where website_id = $1', [siteId])
    await queryRows('delete from events where website_id = $1', [siteId])
    await countEarlierVisits(server.services)
    expect(await readSlots()).toEqual({})
    expect((await readStoredSlots()).every((slots) => slots !== null)).toBe(true)
    await queryRows('delete from traffic_days where website_id = $1', [siteId])
    await queryRows('delete from traffic_weeks where website_id = $1', [siteId])
  })

  it('can be counted by two nodes at the same time, however many days there are', async () => {
    await rollUp(createEventAt(siteId, '2020-01-01T10:00:00Z'))
    await pack()
    await queryRows(
      `insert into traffic_days (website_id, day, visitors, views, visits, bounces, duration_ms, events, is_packed)
       select $1, '2010-01-01'::date + n, 1, 1, 1, 1, 0, 0, true from generate_series(0, 299) n`,
      [siteId],
    )
    await Promise.all([countEarlierVisits(server.services), countEarlierVisits(server.services)])
    const [row] = await queryRows<{ count: number }>(
      'select count(*)::int as count from traffic_days where website_id = $1 and visit_slots is null',
      [siteId],
    )
    expect(row).toEqual({ count: 0 })
    await queryRows('delete from traffic_days where website_id = $1 and visits > 0 and day < $2', [
      siteId,
      '2015-01-01',
    ])
  })

  it('are left uncounted when the server stops', async () => {
    await addDays()
    await forgetSlots()
    await countEarlierVisits(server.services, AbortSignal.abort())
    expect(await readStoredSlots()).toEqual([null, null, null])
  })
})
