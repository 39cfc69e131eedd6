/** Events that arrive after their day was packed into blocks. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import type { TrafficEvent } from '../../src/traffic/model/event.ts'
import { moveDaysIntoBlocks } from '../../src/traffic/packing/move-days-into-blocks.ts'
import { type PackingDeps, packDays } from '../../src/traffic/packing/pack-days.ts'
import { deleteBlocksOf } from '../../src/traffic/retention/damaged-blocks.ts'
import { TestClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createEventAt, createEventsOn } from '../support/inbox-events.ts'
import { expectCountsMatchEvents, type QueryRows } from '../support/recount.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { readStoredTraffic } from '../support/stored-traffic.ts'
import { createSite, fetchOverview } from '../support/traffic.ts'

const day = '2026-01-05'
const range = `from=${day}&to=${day}`

let database: TestDatabase
let server: TestServer
let secondNode: TestServer
let ada: TestUser
let siteId: number
let queryRows: QueryRows

beforeAll(async () => {
  database = await createTestDatabase()
  const clock = new TestClock(new Date('2026-01-10T12:00:00Z'))
  server = await startTestServer({ database, clock })
  secondNode = await startTestServer({ database, clock })
  ada = await server.createUser('ada')
  queryRows = (sql, values) => server.services.db.query(sql, values) as never
})
afterAll(async () => {
  await Promise.all([server?.close(), secondNode?.close()])
  await database?.drop()
})

beforeEach(async () => {
  siteId = await createSite(ada, `${randomUUID()}.example.com`)
})

const viewAt = (time: string, visitor: number, overrides: Partial<TrafficEvent> = {}) =>
  createEventAt(siteId, `${day}T${time}Z`, { visitor, ...overrides })

async function rollUp(events: readonly TrafficEvent[], node = server): Promise<void> {
  await insertBatch(node.services.db, events)
  await node.services.rollup.rollUpAll()
}

const packDeps = (): PackingDeps => server.services
const readSite = async () => {
  const { visits, events } = await readStoredTraffic(queryRows)
  const isOfSite = ({ website_id }: { website_id: number }) => website_id === siteId
  return { visits: visits.filter(isOfSite), events: events.filter(isOfSite) }
}
const listRowVisitors = async () =>
  (
    await queryRows<{ visitor: number }>('select distinct visitor from visits where website_id = $1 order by 1', [
      siteId,
    ])
  ).map(({ visitor }) => visitor)
const listParts = () =>
  queryRows<{ part: number; first: number; visitors: number }>(
    'select part, first_visitor as first, visitors from traffic_blocks where website_id = $1 order by part',
    [siteId],
  )
const readBlockSet = async () => {
  const [row] = await queryRows<{ set: number | null }>(
    'select block_set as set from traffic_days where website_id = $1 and day = $2',
    [siteId, day],
  )
  return row?.set ?? null
}

describe('a late event', () => {
  const morning = () => [
    viewAt('08:00:00', 1, { page: '/a', hostname: 'example.com', country: 'DE', props: '{"plan":"pro"}' }),
    viewAt('08:01:00', 1, { page: '/b', kind: 'engagement', engagedMs: 5_000 }),
    viewAt('08:00:00', 2, { page: '/a', country: 'FR' }),
    // The page was opened the day before, so this engagement belongs to no visit.
    viewAt('00:00:10', 3, { page: '/c', kind: 'engagement', engagedMs: 9_000 }),
  ]

  it.each([
    ['continues the visit of a known visitor', '08:10:00', 1, { visits: 2, restored: [1] }],
    ['begins a visit of a known visitor', '12:00:00', 1, { visits: 3, restored: [1] }],
    ['belongs to an unknown visitor', '08:10:00', 9, { visits: 3, restored: [9] }],
  ])('that %s counts as if it had arrived in time', async (_, time, visitor, { visits, restored }) => {
    await rollUp(morning())
    const before = await readSite()
    await packDays(packDeps())
    const firstSet = await readBlockSet()
    await rollUp([viewAt(time, visitor, { page: '/late' })])
    expect(await listRowVisitors()).toEqual(restored)
    const expectLateEvent = async () => {
      const after = await readSite()
      expect(after.visits).toHaveLength(visits)
      expect(after.events).toHaveLength(5)
      // Everything else is as it was, with the same ids.
      expect(after.events).toEqual(expect.arrayContaining(before.events))
      const { totals } = await fetchOverview(ada.session, siteId, range)
      expect(totals).toMatchObject({ pageviews: 3, visits })
      const filtered = await fetchOverview(ada.session, siteId, `${range}&filter=page:/late`)
      expect(filtered.totals).toMatchObject({ visitors: 1, pageviews: 1 })
      await expectCountsMatchEvents(queryRows)
    }
    await expectLateEvent()
    await packDays(packDeps())
    expect(await listRowVisitors()).toEqual([])
    expect(await readBlockSet()).toBeGreaterThan(firstSet as number)
    await expectLateEvent()
  })

  it('that belongs to no visit is kept, and so are those in the block', async () => {
    await rollUp(morning())
    await packDays(packDeps())
    await rollUp([viewAt('00:00:20', 4, { page: '/d', kind: 'engagement', engagedMs: 1_000 })])
    await packDays(packDeps())
    const { events } = await readSite()
    expect(events.filter(({ visit_id }) => visit_id === null).map(({ engaged_ms }) => engaged_ms)).toEqual([
      9_000, 1_000,
    ])
  })

  it('is added to a day with so many events without a visit that they have parts of their own', async () => {
    const orphanAt = (second: number, length: number) =>
      viewAt(`00:00:${second}`, 4, { kind: 'engagement', props: JSON.stringify({ text: 'x'.repeat(length) }) })
    // Together, they count as 19,000 events.
    await rollUp([...morning(), ...Array.from({ length: 12 }, (_, index) => orphanAt(20 + index, 100_000))])
    const listSizes = async () => (await listParts()).map(({ part, visitors }) => [part, visitors])
    await packDays(packDeps())
    expect(await listSizes()).toEqual([
      [0, 0],
      [1, 2],
    ])
    // Visitor 0 is smaller than those in the parts.
    for (const [late, visitors] of [
      [viewAt('08:10:00', 1), 2],
      [viewAt('08:20:00', 0), 3],
      [orphanAt(40, 10), 3],
    ] as const) {
      await rollUp([late])
      const traffic = await readSite()
      await packDays(packDeps())
      expect(await listSizes()).toEqual([
        [0, 0],
        [1, visitors],
      ])
      expect(await readSite()).toEqual(traffic)
    }
    await expectCountsMatchEvents(queryRows)
  })

  it('is added to a day that has nothing but events without a visit', async () => {
    const orphanAt = (second: number) => viewAt(`00:00:${second}`, 4, { kind: 'engagement', engagedMs: second })
    await rollUp([orphanAt(20)])
    await packDays(packDeps())
    for (const [late, size] of [
      [orphanAt(30), 0],
      [viewAt('08:20:00', 0), 1],
    ] as const) {
      await rollUp([late])
      const traffic = await readSite()
      await packDays(packDeps())
      expect((await listParts()).map(({ part, visitors }) => [part, visitors])).toEqual([[0, size]])
      expect(await readSite()).toEqual(traffic)
    }
  })

  it('waits in the inbox while its day is being packed, and other days and websites do not wait', async () => {
    await rollUp(morning())
    const otherId = await createSite(ada, `${randomUUID()}.example.com`)
    await server.services.db.transaction(async (q) => {
      await q.query('select from traffic_days where website_id = $1 and day = $2 for update', [siteId, day])
      await insertBatch(secondNode.services.db, [
        viewAt('08:10:00', 1, { page: '/late' }),
        createEventAt(siteId, '2026-01-06T08:00:00Z'),
        createEventAt(otherId, `${day}T08:00:00Z`),
      ])
      await secondNode.services.rollup.rollUpSlices(1)
      const [batch] = await queryRows<{ size: number; events: string }>('select size, events from event_inbox')
      expect(batch).toMatchObject({ size: 1, events: expect.stringContaining('/late') })
      const overview = await fetchOverview(ada.session, otherId, range)
      expect(overview.totals.pageviews).toBe(1)
    })
    expect((await fetchOverview(ada.session, siteId, range)).totals.pageviews).toBe(3)
    await expectCountsMatchEvents(queryRows)
  })
})

describe('a day with several parts', () => {
  const views = (visitors: readonly number[], minute: number) =>
    visitors.map((visitor) => viewAt(`10:${String(minute).padStart(2, '0')}:00`, visitor, { page: `/${minute}` }))
  const allVisitors = Array.from({ length: 30 }, (_, n) => 1 + n)

  it('is packed in ranges of visitors, and late events change only the parts of their visitors', async () => {
    await rollUp(views(allVisitors, 0))
    const before = await readSite()
    await packDays({ ...packDeps(), maxEventsPerRange: 10 })
    const parts = await listParts()
    expect(parts.map(({ part }) => part)).toEqual([0, 1, 2])
    expect(parts.reduce((sum, { visitors }) => sum + visitors, 0)).toBe(30)
    expect(await readSite()).toEqual(before)
    const readVersions = () =>
      queryRows<{ part: number }>(
        'select part, xmin::text as version from traffic_blocks where website_id = $1 order by part',
        [siteId],
      )
    const versions = await readVersions()
    await rollUp(views([15, 16], 1))
    const traffic = await readSite()
    expect(traffic.events).toHaveLength(32)
    await packDays(packDeps())
    const laterVersions = await readVersions()
    expect(laterVersions.map(({ part }) => part)).toEqual([0, 1, 2])
    expect([laterVersions[0], laterVersions[2]]).toEqual([versions[0], versions[2]])
    expect(laterVersions[1]).not.toEqual(versions[1])
    expect(await readSite()).toEqual(traffic)
    await expectCountsMatchEvents(queryRows)
  })

  it('gets new part numbers if a part is split', async () => {
    await rollUp(views(allVisitors, 0))
    await packDays({ ...packDeps(), maxEventsPerRange: 10 })
    await rollUp(views([0, ...allVisitors.slice(0, 8), 99], 1))
    const traffic = await readSite()
    await packDays({ ...packDeps(), maxEventsPerRange: 5 })
    const parts = await listParts()
    expect(parts.map(({ part }) => part)).toEqual(parts.map((_, index) => index))
    expect(parts.length).toBeGreaterThan(3)
    expect(parts.map(({ first }) => first)).toEqual(
      parts.map(({ first }) => first).toSorted((one, other) => one - other),
    )
    expect(await readSite()).toEqual(traffic)
    await expectCountsMatchEvents(queryRows)
  })
})

describe('while a node of an earlier version is running', () => {
  it('visits and events stay in rows, and are moved into blocks afterwards', async () => {
    await rollUp(createEventsOn(siteId, day, 40))
    const traffic = await readSite()
    const oldCluster = { areAllUpgraded: (version: number) => version < 15 }
    await packDays({ ...packDeps(), cluster: oldCluster })
    await moveDaysIntoBlocks({ ...packDeps(), cluster: oldCluster, isBusy: () => false })
    expect([await readBlockSet(), await listRowVisitors()]).toEqual([null, [1, 2, 3, 4, 5, 6, 7]])
    await expectCountsMatchEvents(queryRows)
    const overview = await fetchOverview(ada.session, siteId, `${range}&filter=page:/3`)
    await moveDaysIntoBlocks({ ...packDeps(), isBusy: () => false })
    expect([await readBlockSet(), await listRowVisitors()]).toEqual([expect.any(Number), []])
    expect(await readSite()).toEqual(traffic)
    expect(await fetchOverview(ada.session, siteId, `${range}&filter=page:/3`)).toEqual(overview)
    await expectCountsMatchEvents(queryRows)
  })

  it('a day with blocks keeps them, and is packed again afterwards', async () => {
    await rollUp(createEventsOn(siteId, day, 40))
    await packDays(packDeps())
    const blockSet = await readBlockSet()
    await rollUp([viewAt('23:00:00', 3)])
    const traffic = await readSite()
    await packDays({ ...packDeps(), cluster: { areAllUpgraded: (version) => version < 15 } })
    expect([await readBlockSet(), await listRowVisitors()]).toEqual([blockSet, [3]])
    // This visitor is in a block. If the day seemed to have none, the earlier visits of the visitor would be lost.
    await rollUp([viewAt('23:10:00', 4)])
    await expectCountsMatchEvents(queryRows)
    await packDays(packDeps())
    expect(await listRowVisitors()).toEqual([])
    expect((await readSite()).events.length).toBe(traffic.events.length + 1)
    await expectCountsMatchEvents(queryRows)
  })

  it('a server notices it', async () => {
    expect(server.services.cluster.areAllUpgraded(15)).toBe(true)
    await queryRows(
      `insert into nodes (id, seen_at, process_id, roles, schema_version) values (1, now(), 1, '{web}', 14)`,
    )
    await server.services.lease.renew()
    expect(server.services.cluster.areAllUpgraded(15)).toBe(false)
    await queryRows('delete from nodes where id = 1')
    await server.services.lease.renew()
    expect(server.services.cluster.areAllUpgraded(15)).toBe(true)
  })
})

describe('a full disk', () => {
  it('changes nothing, and the next run continues when there is space', async () => {
    await rollUp(createEventsOn(siteId, day, 40))
    await packDays({ ...packDeps(), cluster: { areAllUpgraded: () => false } })
    const traffic = await readSite()
    await queryRows(`
      create function fill_disk() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`)
    // The trigger fires when the blocks are written and the rows are about to be deleted.
    await queryRows('create trigger full_disk before delete on visits for each statement execute function fill_disk()')
    const moveIntoBlocks = () => moveDaysIntoBlocks({ ...packDeps(), isBusy: () => false })
    await expect(moveIntoBlocks()).rejects.toThrow("The database's disk is full.")
    expect([await readBlockSet(), await listParts(), await readSite()]).toEqual([null, [], traffic])
    await queryRows('drop trigger full_disk on visits')
    await queryRows('drop function fill_disk')
    await moveIntoBlocks()
    expect([await readBlockSet(), await readSite()]).toEqual([expect.any(Number), traffic])
  })
})

describe('a damaged block', () => {
  it('keeps late events of its visitors in the inbox, and no other events', async () => {
    await rollUp([viewAt('08:00:00', 1), createEventAt(siteId, '2026-01-06T08:00:00Z', { visitor: 1 })])
    await packDays(packDeps())
    const [intact] = await queryRows<{ ids: Buffer }>(
      'select visitor_ids as ids from traffic_blocks where website_id = $1 and day = $2',
      [siteId, day],
    )
    const setIds = (ids: unknown) =>
      queryRows('update traffic_blocks set visitor_ids = $3 where website_id = $1 and day = $2', [siteId, day, ids])
    await setIds(Buffer.from('damaged'))
    await rollUp([viewAt('08:10:00', 1), createEventAt(siteId, '2026-01-06T08:10:00Z', { visitor: 1 })])
    const readFaults = () => queryRows('select size, fault from event_inbox where $1 = any (websites)', [siteId])
    expect(await readFaults()).toEqual([{ size: 1, fault: 'A column is too short.' }])
    const { totals } = await fetchOverview(ada.session, siteId, 'from=2026-01-05&to=2026-01-06')
    expect(totals.pageviews).toBe(3)
    await setIds(intact?.ids)
    await queryRows('update event_inbox set fault = null')
    await server.services.rollup.rollUpAll()
    expect(await readFaults()).toEqual([])
    await expectCountsMatchEvents(queryRows)
  })

  it('is deleted without the visitors that late events have put back into rows', async () => {
    await rollUp(createEventsOn(siteId, day, 40))
    await packDays(packDeps())
    await rollUp([viewAt('23:00:00', 3)])
    const { visits } = await readSite()
    await deleteBlocksOf(server.services.db, { websiteId: siteId, day })
    const ofVisitor3 = visits.filter(({ visitor }) => visitor === 3)
    expect([await readBlockSet(), (await readSite()).visits]).toEqual([0, ofVisitor3])
    await packDays(packDeps())
    expect([await listRowVisitors(), (await readSite()).visits]).toEqual([[], ofVisitor3])
  })
})
