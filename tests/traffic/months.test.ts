/**
 * Events and visits are partitioned by month. Partitions are created ahead, and dropped when they are empty or after BELFRY_EVENT_DAYS;
 * statistics stay.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createJob } from '../../src/app/jobs.ts'
import { readRowSecurityState } from '../../src/storage/access.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { ensureMonthPartitions } from '../../src/traffic/retention/partitions.ts'
import { listPartitionMonths } from '../../src/traffic/retention/partitions-store.ts'
import { TestClock } from '../support/clock.ts'
import { createEventAt, createEventsOn } from '../support/inbox-events.ts'
import { expectCountsMatchEvents, type QueryRows } from '../support/recount.ts'
import { moveClockTo } from '../support/reports.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { moveDayIntoBlocks } from '../support/stored-blocks.ts'
import { createSite, fetchOverview, fetchStatistics, sendView } from '../support/traffic.ts'

let server: TestServer
let queryRows: QueryRows
let siteId: number
/** Has no traffic until the tests of blocks. */
let otherId: number

beforeAll(async () => {
  const clock = new TestClock(new Date('2031-02-10T12:00:00Z'))
  server = await startTestServer({ clock, env: { BELFRY_EVENT_DAYS: '40' } })
  queryRows = (sql, values) => server.services.db.query(sql, values) as never
  const ada = await server.createUser('ada')
  siteId = await createSite(ada, 'example.com')
  otherId = await createSite(ada, 'other.example.com')
})
afterAll(() => server?.close())

const maintainPartitions = () => createJob('maintain traffic partitions', server.services).run()
const readMonths = () => listPartitionMonths(server.services.db)

/** Counts the website's rows in each partition. */
const countByPartition = async (table: 'events' | 'visits', id = siteId) => {
  const partitions = await queryRows<{ name: string; rows: number }>(
    `select tableoid::regclass::text as name, count(*)::int as rows from ${table} where website_id = $1 group by 1 order by 1`,
    [id],
  )
  return Object.fromEntries(partitions.map(({ name, rows }) => [name, rows]))
}

const readEverything = async (range: string) => {
  const { visitors_now: _, ...overview } = await fetchOverview(server.anyone, siteId, range)
  return [overview, await fetchStatistics(server.anyone, siteId, `name=visitors_hours&${range}`)]
}

describe('the monthly partitions', () => {
  // Each step needs the partitions and rows that the previous step left.
  it('are created ahead, store the events of their month and are dropped later, and the statistics stay', async () => {
    await createPartitionsAhead()
    await storeEventsInTheirMonth()
    await storeEventsWithoutPartition()
    await dropOldPartitions()
    await importOldEvents()
    await deleteOldDefaultRows()
    await dropPartitionOfOneTable()
  })

  it('are dropped when the month is over and all its rows are in blocks', async () => {
    await keepPartitionsWithRows()
    await keepPartitionsInUse()
    await leaveFewDeletedRows()
    await dropEmptyPartitions()
  })
})

describe('blocks', () => {
  it('are deleted after BELFRY_EVENT_DAYS, day by day, and the totals stay', async () => {
    const { db } = server.services
    const oldDays = Array.from({ length: 23 }, (_, index) => `2031-07-${index + 1}`.replace(/-(\d)$/, '-0$1'))
    await insertBatch(db, createEventsOn(otherId, '2031-08-07', 10))
    await server.services.rollup.rollUpAll()
    await moveDayIntoBlocks(db, otherId, '2031-08-07', [...oldDays, '2031-08-08'])
    expect(await readBlockDays()).toEqual([...oldDays, '2031-08-07', '2031-08-08'])
    const totals = await readTotals()
    // BELFRY_EVENT_DAYS is 40. 7 August is that old in every time zone.
    moveClockTo(server.clock, '2031-09-17T23:00:00Z')
    await maintainPartitions()
    expect(await readBlockDays()).toEqual(['2031-08-07', '2031-08-08'])
    moveClockTo(server.clock, '2031-09-18T00:00:00Z')
    // Somebody is packing the day, and perhaps writes new blocks.
    await db.transaction(async (q) => {
      await q.query(`select from traffic_days where website_id = $1 and day = '2031-08-07' for update`, [otherId])
      await maintainPartitions()
    })
    expect(await readBlockDays()).toEqual(['2031-08-07', '2031-08-08'])
    await maintainPartitions()
    expect(await readBlockDays()).toEqual(['2031-08-08'])
    expect(await readTotals()).toEqual(totals)
    const days = await queryRows<{ day: string }>(
      'select day::text from traffic_days where website_id = $1 and block_set = 0 order by 1',
      [otherId],
    )
    expect(days.map(({ day }) => day)).toEqual([...oldDays, '2031-08-07'])
  })
})

const readBlockDays = async () => {
  const days = await queryRows<{ day: string }>(
    'select day::text from traffic_blocks where website_id = $1 order by 1',
    [otherId],
  )
  return days.map(({ day }) => day)
}
const readTotals = () =>
  queryRows('select day, visitors, views, events, is_packed from traffic_days where website_id = $1 order by 1', [
    otherId,
  ])

/** Partitions are created a month ahead, with row level security, even by several jobs at the same time. */
async function createPartitionsAhead(): Promise<void> {
  await maintainPartitions()
  expect(await readMonths()).toEqual(['2031-02-01', '2031-03-01'])
  const { unprotectedTables } = await withOwnerConnection(server.database.connection, readRowSecurityState)
  expect(unprotectedTables).toEqual([])
  moveClockTo(server.clock, '2031-02-28T12:00:00Z')
  await Promise.all([maintainPartitions(), maintainPartitions(), maintainPartitions()])
  expect(await readMonths()).toEqual(['2031-02-01', '2031-03-01', '2031-04-01'])
  // Now it is March in UTC, but still February in some time zones. The job creates and drops nothing.
  moveClockTo(server.clock, '2031-03-01T06:00:00Z')
  await maintainPartitions()
  expect(await readMonths()).toEqual(['2031-02-01', '2031-03-01', '2031-04-01'])
}

/** Partitions hold the events of their month in UTC, even if the local day is in the next month. */
async function storeEventsInTheirMonth(): Promise<void> {
  await sendView(server, 'example.com', '/in-march')
  await insertBatch(server.services.db, createEventsOn(siteId, '2031-02-20', 30))
  const aheadId = await createSite(await server.createUser('eve'), 'ahead.example.org', {
    time_zone: 'Pacific/Kiritimati',
  })
  await insertBatch(server.services.db, [
    createEventAt(aheadId, '2031-02-28T20:00:00Z', { day: '2031-03-01', hour: 10 }),
  ])
  await server.services.rollup.rollUpAll()
  expect(await countByPartition('events')).toEqual({ events_203102: 30, events_203103: 1 })
  expect(await countByPartition('visits')).toMatchObject({ visits_203103: 1 })
  expect([await countByPartition('events', aheadId), await countByPartition('visits', aheadId)]).toEqual([
    { events_203102: 1 },
    { visits_203103: 1 },
  ])
  await expectCountsMatchEvents(queryRows)
}

/** Events of a month without a partition stay in the default partition. */
async function storeEventsWithoutPartition(): Promise<void> {
  const { db, rollup } = server.services
  await insertBatch(db, createEventsOn(siteId, '2031-01-25', 20))
  await insertBatch(db, createEventsOn(siteId, '2031-09-05', 5))
  await rollup.rollUpAll()
  const partitions = { events_other: 25, events_203102: 30, events_203103: 1 }
  expect(await countByPartition('events')).toEqual(partitions)
  // January gets no partition, because the default partition already has rows of January.
  await ensureMonthPartitions(db, Date.parse('2031-01-10T00:00:00Z'), Date.parse('2031-02-10T00:00:00Z'))
  expect(await readMonths()).toEqual(['2031-02-01', '2031-03-01', '2031-04-01'])
  await insertBatch(db, createEventsOn(siteId, '2031-01-26', 7))
  const { totals } = await fetchOverview(server.anyone, siteId, 'from=2031-01-01&to=2031-01-31')
  expect(totals.pageviews + totals.events).toBe(27)
  expect(await countByPartition('events')).toEqual({ ...partitions, events_other: 32 })
  await expectCountsMatchEvents(queryRows)
}

/** Partitions are dropped after BELFRY_EVENT_DAYS, and the statistics stay the same. */
async function dropOldPartitions(): Promise<void> {
  // The days are rows, with packed visits of an earlier version.
  await queryRows(`update traffic_days set packed_visits = 'packed'`)
  // Only the rows of January in the default partition are too old.
  moveClockTo(server.clock, '2031-03-10T12:00:00Z')
  const january = await readEverything('from=2031-01-01&to=2031-01-31')
  const february = await readEverything('from=2031-02-01&to=2031-02-28')
  await maintainPartitions()
  expect(await countByPartition('events')).toEqual({ events_other: 5, events_203102: 30, events_203103: 1 })
  expect(Object.keys(await countByPartition('visits'))).toEqual(['visits_203102', 'visits_203103', 'visits_other'])

  // BELFRY_EVENT_DAYS is 40. The partition is dropped when the last day of February is that old in every time zone.
  moveClockTo(server.clock, '2031-04-10T12:00:00Z')
  await maintainPartitions()
  expect(await readMonths()).toContain('2031-02-01')
  moveClockTo(server.clock, '2031-04-11T00:00:00Z')
  await maintainPartitions()
  expect(await readMonths()).toEqual(['2031-03-01', '2031-04-01', '2031-05-01'])
  expect(await countByPartition('events')).toEqual({ events_other: 5, events_203103: 1 })
  expect(server.logLines.join('')).toContain('dropped the events of a month')

  expect(await readEverything('from=2031-01-01&to=2031-01-31')).toEqual(january)
  expect(await readEverything('from=2031-02-01&to=2031-02-28')).toEqual(february)
  // Filtered statistics need the events or the packed visits. Both are deleted with the partition.
  const filteredOverview = await fetchOverview(server.anyone, siteId, 'from=2031-02-01&to=2031-02-28&filter=page:/3')
  expect(filteredOverview.totals.pageviews).toBe(0)
  const packedDays = await queryRows<{ day: string }>(
    'select distinct day::text from traffic_days where packed_visits is not null and day < $1',
    ['2031-03-01'],
  )
  expect(packedDays).toEqual([])
}

/** Imported events that are too old get no partition. They are counted and then deleted. */
async function importOldEvents(): Promise<void> {
  await insertBatch(server.services.db, createEventsOn(siteId, '2030-12-24', 12))
  const range = 'from=2030-12-24&to=2030-12-24'
  const { totals } = await fetchOverview(server.anyone, siteId, range)
  expect(totals.pageviews + totals.events).toBe(12)
  await maintainPartitions()
  expect(await countByPartition('events')).toEqual({ events_other: 5, events_203103: 1 })
  expect((await fetchOverview(server.anyone, siteId, range)).totals).toEqual(totals)
}

/** Old rows in the default partition are all deleted. */
async function deleteOldDefaultRows(): Promise<void> {
  // The rows fill several hundred table pages, so the job deletes them in several steps. A few rows are newer and stay.
  await queryRows(
    `insert into events (website_id, at, day, hour, kind)
     select $1, at, at::date, 0, 1 from (select case when n % 1000 = 0 then timestamptz '2031-09-05' else '2030-12-24' end as at
       from generate_series(1, 40000) n) as times`,
    [siteId],
  )
  const [size] = await queryRows(`select pg_relation_size('events_other') / 8192 > 250 as spans`)
  expect(size).toEqual({ spans: true })
  await maintainPartitions()
  expect(await countByPartition('events')).toEqual({ events_other: 45, events_203103: 1 })
  await queryRows(`delete from events_other where ctid in (select ctid from events_other where page is null limit 40)`)
}

/** Partitions are dropped even if only one of the two tables has a partition for the month. */
async function dropPartitionOfOneTable(): Promise<void> {
  const { db, rollup } = server.services
  // The event's local day is 1 June, which has no partition yet, so the visit goes to the default partition. Because of this
  // visit, only `events` gets a partition for June later.
  await insertBatch(db, [createEventAt(siteId, '2031-05-31T20:00:00Z', { day: '2031-06-01', hour: 10 })])
  await rollup.rollUpAll()
  expect(await countByPartition('visits')).toMatchObject({ visits_other: expect.any(Number) })
  moveClockTo(server.clock, '2031-05-15T12:00:00Z')
  await maintainPartitions()
  // April is over, and its partitions are empty.
  expect(await readMonths()).toEqual(['2031-05-01'])
  await insertBatch(db, createEventsOn(siteId, '2031-06-20', 8))
  await rollup.rollUpAll()
  expect(await countByPartition('events')).toMatchObject({ events_203105: 1, events_203106: 8 })
  moveClockTo(server.clock, '2031-08-12T00:00:00Z')
  await maintainPartitions()
  expect(await countByPartition('events')).toEqual({ events_other: 5 })
  expect(await queryRows(`select to_regclass('events_203106')::text as june`)).toEqual([{ june: null }])
}

/** A day that is not in blocks yet keeps the partitions of its month, even if another day of the month is. */
async function keepPartitionsWithRows(): Promise<void> {
  const { db, rollup } = server.services
  await insertBatch(db, [...createEventsOn(siteId, '2031-08-10', 400), ...createEventsOn(siteId, '2031-08-11', 400)])
  await rollup.rollUpAll()
  expect(await countByPartition('events')).toMatchObject({ events_203108: 800 })
  await moveDayIntoBlocks(db, siteId, '2031-08-10')
  moveClockTo(server.clock, '2031-09-10T12:00:00Z')
  await maintainPartitions()
  expect(await countByPartition('events')).toMatchObject({ events_203108: 400 })
  // Both days are in blocks, but one of them gets a late event.
  await moveDayIntoBlocks(db, siteId, '2031-08-11')
  await queryRows(`update traffic_days set is_packed = false where website_id = $1 and day = '2031-08-11'`, [siteId])
  await maintainPartitions()
  expect(await readMonths()).toContain('2031-08-01')
  await queryRows(`update traffic_days set is_packed = true where website_id = $1 and day = '2031-08-11'`, [siteId])
}

/** Nobody waits long for a lock, and no row is lost. */
async function keepPartitionsInUse(): Promise<void> {
  const { db } = server.services
  // A transaction that began before the drop adds a row after the job has looked for days with rows.
  await db.transaction(async (q) => {
    await q.query(
      `insert into events (website_id, at, day, hour, kind) values ($1, '2031-08-12T10:00:00Z', '2031-08-12', 10, 3)`,
      [siteId],
    )
    await maintainPartitions()
  })
  expect(await countByPartition('events')).toMatchObject({ events_203108: 1 })
  await maintainPartitions()
  expect(await countByPartition('events')).toMatchObject({ events_203108: 1 })
  await queryRows('truncate events_203108')
  // An export reads the table for minutes.
  await db.snapshot(async (q) => {
    await q.query('select from events limit 1')
    await maintainPartitions()
    expect(await readPartitions('2031-08')).toEqual(['events_203108'])
  })
}

/** By default, VACUUM doesn't remove deleted rows from the indexes if few pages have some. Then it can't truncate the file. */
async function leaveFewDeletedRows(): Promise<void> {
  await queryRows(
    `insert into events (website_id, at, day, hour, kind)
     select $1, '2031-08-12T10:00:00Z', '2031-08-12', 10, 3 from generate_series(1, 30000)`,
    [siteId],
  )
  await queryRows('delete from events_203108 where ctid < (select max(ctid) from events_203108)')
  await maintainPartitions()
  expect(await countByPartition('events')).toMatchObject({ events_203108: 1 })
  await queryRows('delete from events_203108')
}

async function dropEmptyPartitions(): Promise<void> {
  const range = 'from=2031-08-01&to=2031-08-31'
  const before = await readEverything(range)
  await Promise.all([maintainPartitions(), maintainPartitions()])
  expect(await readPartitions('2031-08')).toEqual([])
  expect(await readPartitions('2031-10')).toEqual(['events_203110', 'visits_203110'])
  expect(server.logLines.join('')).toContain('dropped an empty partition')
  expect(await readEverything(range)).toEqual(before)
  // Late events of the month go to the default partition.
  await queryRows(
    `insert into events (website_id, at, day, hour, kind) values ($1, '2031-08-12T10:00:00Z', '2031-08-12', 10, 3)`,
    [siteId],
  )
  expect(Object.keys(await countByPartition('events'))).toEqual(['events_other'])
}

const readPartitions = async (month: string) => {
  const tables = await queryRows<{ name: string }>(
    `select relname::text as name from pg_class where relname like '%\\_' || $1 and relkind = 'r' order by 1`,
    [month.replace('-', '')],
  )
  return tables.map(({ name }) => name)
}
