/** Past days are packed, which changes no statistics. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listDays } from '../../src/lib/local-day.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import type { TrafficTable } from '../../src/traffic/retention/removal-store.ts'
import { type PanelName, panelNames, seriesNames } from '../../src/traffic/stats/schema.ts'
import { TestClock } from '../support/clock.ts'
import { createEventAt, createEventsOn } from '../support/inbox-events.ts'
import { expectCountsMatchEvents, type QueryRows } from '../support/recount.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { readStoredTraffic } from '../support/stored-traffic.ts'
import { createSite, fetchOverview, fetchStatistics } from '../support/traffic.ts'

const days = ['2026-01-01', '2026-01-02', '2026-01-03']
const range = 'from=2025-12-30&to=2026-01-04'

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

const listPackedFlags = async () =>
  (
    await queryRows<{ packed: boolean }>('select is_packed as packed from traffic_days where website_id = $1', [siteId])
  ).map(({ packed }) => packed)

const listDaysWithBlocks = async () =>
  (
    await queryRows<{ day: string }>(
      `select day::text from traffic_days d
        where website_id = $1 and block_set > 0
          and exists (select from traffic_blocks b where b.website_id = d.website_id and b.day = d.day)
        order by 1`,
      [siteId],
    )
  ).map(({ day }) => day)

const countRows = async () => {
  const [row] = await queryRows<{ visits: number; events: number }>(
    `select (select count(*)::integer from visits where website_id = $1) as visits,
            (select count(*)::integer from events where website_id = $1) as events`,
    [siteId],
  )
  return row
}

const readUnpackedCounts = () => queryRows('select from traffic_counts where website_id = $1', [siteId])

async function deleteRows(...tables: (TrafficTable | 'traffic_blocks')[]): Promise<void> {
  for (const table of tables) await queryRows(`delete from ${table} where website_id = $1`, [siteId])
}

/** Reads the overviews, which contain the first ten rows of each panel, and the panels that have more rows. */
async function readStatistics(id = siteId): Promise<Record<string, unknown>> {
  return { ...(await readOverviews(id)), ...(await readPanels(range, longPanelNames, id)) }
}

/** Reads every statistic of the website. */
async function readAllStatistics(id = siteId): Promise<object> {
  const statisticsByName = await readStatistics(id)
  for (const name of seriesNames)
    statisticsByName[name] = await fetchStatistics(ada.session, id, `name=${name}&${range}`)
  return { ...statisticsByName, ...(await readPanels(range, panelNames, id)) }
}

const longPanelNames: readonly PanelName[] = ['page', 'landing_page', 'exit_page']

async function readPanels(rangeQuery: string, names: readonly PanelName[], id = siteId): Promise<object> {
  const statisticsByName: Record<string, unknown> = {}
  for (const name of names) {
    const query = `name=${name}&${rangeQuery}&sort_by=value&per_page=100`
    statisticsByName[name] = await fetchStatistics(ada.session, id, query)
  }
  return statisticsByName
}

async function readOverviews(id: number): Promise<object> {
  const wholeOverview = await fetchOverview(ada.session, id, range)
  const filteredOverview = await fetchOverview(ada.session, id, `${range}&filter=page:/3`)
  return { whole: { ...wholeOverview, website: {} }, filtered: { ...filteredOverview, website: {} } }
}

async function addEvents(count = 60): Promise<void> {
  for (const day of days) await insertBatch(server.services.db, createEventsOn(siteId, day, count))
  await server.services.rollup.rollUpAll()
}

describe('packing a day', () => {
  it('changes no statistics, and leaves no unpacked counts', async () => {
    await addEvents()
    const [statisticsBefore, trafficBefore] = [await readAllStatistics(), await readStoredTraffic(queryRows)]
    expect(await listPackedFlags()).toEqual([false, false, false])
    await packDays(server.services)
    expect(await listPackedFlags()).toEqual([true, true, true])
    expect(await readUnpackedCounts()).toEqual([])
    expect(await readAllStatistics()).toEqual(statisticsBefore)
    expect(await readStoredTraffic(queryRows)).toEqual(trafficBefore)
    await expectCountsMatchEvents(queryRows)
  })

  it('moves all visits and events from rows to blocks', async () => {
    await addEvents()
    const readFiltered = () => fetchOverview(ada.session, siteId, `${range}&filter=page:/3&filter=browser:*`)
    const overviewBefore = await readFiltered()
    expect(overviewBefore.totals.pageviews).toBeGreaterThan(0)
    expect(await countRows()).toEqual({ visits: 180, events: 180 })
    await packDays(server.services)
    expect([await listDaysWithBlocks(), await countRows()]).toEqual([days, { visits: 0, events: 0 }])
    expect(await readFiltered()).toEqual(overviewBefore)
  })

  it('a second time writes nothing', async () => {
    await addEvents()
    await packDays(server.services)
    const readRowVersions = () =>
      queryRows('select day::text, xmin::text from traffic_days where website_id = $1 order by 1', [siteId])
    const [versionsBefore, statisticsBefore] = [await readRowVersions(), await readStatistics()]
    await packDays(server.services)
    expect(await readRowVersions()).toEqual(versionsBefore)
    expect(await readStatistics()).toEqual(statisticsBefore)
  })

  it('waits until the day has ended in every time zone', async () => {
    const { db, rollup } = server.services
    await insertBatch(db, [
      createEventAt(siteId, '2026-01-10T11:00:00Z'),
      createEventAt(siteId, '2026-01-09T11:00:00Z'),
      createEventAt(siteId, '2026-01-08T23:00:00Z'),
    ])
    await rollup.rollUpAll()
    await packDays(server.services)
    const packedDays = await queryRows('select day::text from traffic_days where website_id = $1 and is_packed', [
      siteId,
    ])
    expect(packedDays).toEqual([{ day: '2026-01-08' }])
  })

  it('continues with other days after a failure, reports it, and retries the failed day later', async () => {
    await addEvents()
    const statisticsBefore = await readStatistics()
    await queryRows(
      `alter table traffic_days add constraint broken check (not is_packed or website_id <> ${siteId} or day <> '${days[0]}')`,
    )
    await expect(packDays(server.services)).rejects.toThrow(
      `Days that could not be packed: 1. The first is ${days[0]} of website ${siteId}: `,
    )
    expect((await listPackedFlags()).toSorted()).toEqual([false, true, true])
    await queryRows('alter table traffic_days drop constraint broken')
    await packDays(server.services)
    expect(await listPackedFlags()).toEqual([true, true, true])
    expect(await readStatistics()).toEqual(statisticsBefore)
  })

  it('can be stopped between days', async () => {
    await addEvents()
    await packDays(server.services, AbortSignal.abort())
    expect(await listPackedFlags()).toEqual([false, false, false])
  })
})

describe('a week whose days are packed', () => {
  // The range from a Thursday to a Wednesday has two whole weeks and parts of two others.
  const threeWeeks = listDays('2025-12-11', '2025-12-31')
  const wholeRange = 'from=2025-12-11&to=2025-12-31'
  const listPackedWeeks = async () =>
    (
      await queryRows<{ week: string }>('select week::text from traffic_weeks where website_id = $1 order by 1', [
        siteId,
      ])
    ).map(({ week }) => week)
  const readWeeks = async (rangeQuery: string) => ({
    whole: await fetchOverview(ada.session, siteId, rangeQuery),
    ...(await readPanels(rangeQuery, longPanelNames)),
  })

  beforeEach(async () => {
    for (const [index, day] of threeWeeks.entries()) {
      await insertBatch(server.services.db, createEventsOn(siteId, day, 20, index * 7))
    }
    await server.services.rollup.rollUpAll()
  })

  it('is read as one row where a range contains the whole week, and day by day where it does not', async () => {
    const ranges = [
      wholeRange,
      'from=2025-12-15&to=2025-12-21',
      'from=2025-12-15&to=2025-12-20',
      'from=2025-12-16&to=2025-12-28',
    ]
    const readRanges = () => Promise.all(ranges.map((rangeQuery) => readWeeks(rangeQuery)))
    const statisticsBefore = await readRanges()
    const panelsBefore = await readPanels(wholeRange, panelNames)
    await packDays(server.services)
    expect(await listPackedWeeks()).toEqual(['2025-12-08', '2025-12-15', '2025-12-22', '2025-12-29'])
    expect(await readRanges()).toEqual(statisticsBefore)
    expect(await readPanels(wholeRange, panelNames)).toEqual(panelsBefore)
    await expectCountsMatchEvents(queryRows)
    // Damage the days of one week. Statistics of the whole week come from `traffic_weeks`, so they stay the same.
    await queryRows(
      `update traffic_days set page = null where website_id = $1 and day between '2025-12-15' and '2025-12-21'`,
      [siteId],
    )
    expect(await readWeeks(wholeRange)).toEqual(statisticsBefore[0])
    expect(await readWeeks('from=2025-12-15&to=2025-12-20')).not.toEqual(statisticsBefore[2])
    await deleteRows('traffic_days', 'traffic_weeks', 'traffic_blocks')
  })

  it('includes late events immediately, and is packed again', async () => {
    await packDays(server.services)
    const statisticsBefore = await readWeeks(wholeRange)
    await insertBatch(server.services.db, createEventsOn(siteId, '2025-12-17', 5, 500))
    const statisticsAfter = await readWeeks(wholeRange)
    expect(statisticsAfter).not.toEqual(statisticsBefore)
    await expectCountsMatchEvents(queryRows)
    await packDays(server.services)
    expect(await readWeeks(wholeRange)).toEqual(statisticsAfter)
    expect(await listPackedWeeks()).toHaveLength(4)
    await expectCountsMatchEvents(queryRows)
  })

  it('is not packed before it has ended', async () => {
    await insertBatch(server.services.db, createEventsOn(siteId, '2026-01-06', 5))
    await server.services.rollup.rollUpAll()
    await packDays(server.services)
    expect(await listPackedWeeks()).not.toContain('2026-01-05')
  })
})

describe('a late event for a packed day', () => {
  it('is added to the day, even if that lowers some counts', async () => {
    const { db, rollup } = server.services
    const createMorningView = (visitor: number) =>
      createEventAt(siteId, '2026-01-02T08:00:00Z', { visitor, page: '/landed' })
    await insertBatch(db, [createMorningView(1), createMorningView(2)])
    await rollup.rollUpAll()
    await packDays(server.services)
    // The first visit gets a second page view, so it no longer bounces, and its exit page changes.
    await insertBatch(db, [createEventAt(siteId, '2026-01-02T08:10:00Z', { page: '/left', visitor: 1 })])
    const day = 'from=2026-01-02&to=2026-01-02'
    const expectUpdatedStatistics = async () => {
      const { totals } = await fetchOverview(ada.session, siteId, day)
      expect(totals).toMatchObject({ visitors: 2, visits: 2, pageviews: 3, bounce_rate: 50, visit_duration: 300 })
      const fetchPanel = (name: string) => fetchStatistics(ada.session, siteId, `name=${name}&${day}&sort_by=value`)
      expect(await fetchPanel('landing_page')).toEqual([{ value: '/landed', count: 2 }])
      expect(await fetchPanel('exit_page')).toEqual([
        { value: '/landed', count: 1 },
        { value: '/left', count: 1 },
      ])
    }
    await expectUpdatedStatistics()
    expect([await listPackedFlags(), await listDaysWithBlocks()]).toEqual([[false], ['2026-01-02']])
    const readFiltered = () => fetchOverview(ada.session, siteId, `${day}&filter=page:/left`)
    const filteredOverview = await readFiltered()
    expect(filteredOverview.totals).toMatchObject({ visitors: 1, pageviews: 1, bounce_rate: 0, visit_duration: 600 })
    await packDays(server.services)
    expect(await readFiltered()).toEqual(filteredOverview)
    await packDays(server.services)
    await expectUpdatedStatistics()
    expect([await listPackedFlags(), await readUnpackedCounts()]).toEqual([[true], []])
    // The other visit changes its exit page too. No visit ends on the old page, so it disappears from the list.
    await insertBatch(db, [createEventAt(siteId, '2026-01-02T08:20:00Z', { page: '/left', visitor: 2 })])
    expect(await fetchStatistics(ada.session, siteId, `name=exit_page&${day}`)).toEqual([{ value: '/left', count: 2 }])
    await packDays(server.services)
    expect(await fetchStatistics(ada.session, siteId, `name=exit_page&${day}`)).toEqual([{ value: '/left', count: 2 }])
    await expectCountsMatchEvents(queryRows)
  })

  it('counts as if it had arrived in time', async () => {
    const { db, rollup } = server.services
    const twinId = await createSite(ada, `twin-${siteCount}.example.com`)
    for (const part of [0, 1, 2]) {
      for (const day of days) {
        for (const id of [siteId, twinId]) await insertBatch(db, createEventsOn(id, day, 30, part * 30))
      }
      await rollup.rollUpAll()
      // Pack the website after each part, but its twin only at the end. Packing skips days that are marked as packed.
      await queryRows('update traffic_days set is_packed = true where website_id = $1', [twinId])
      await packDays(server.services)
      await queryRows('update traffic_days set is_packed = false where website_id = $1', [twinId])
    }
    await packDays(server.services)
    expect(await readAllStatistics(siteId)).toEqual(await readAllStatistics(twinId))
    await expectCountsMatchEvents(queryRows)
  })
})
