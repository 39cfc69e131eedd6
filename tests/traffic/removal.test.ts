/** The traffic of a deleted website cannot be read any more, and the worker deletes it. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import { deleteRemovedTraffic } from '../../src/traffic/retention/removal.ts'
import { readAllRows } from '../cli/support.ts'
import { createEventsOn } from '../support/inbox-events.ts'
import { expectCountsMatchEvents, type QueryRows } from '../support/recount.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { moveDayIntoBlocks } from '../support/stored-blocks.ts'
import { createSite, fetchOverview, sendView } from '../support/traffic.ts'

const range = 'from=2026-01-01&to=2026-01-05'
const tables = ['events', 'visits', 'traffic_values', 'traffic_days', 'traffic_weeks', 'traffic_counts'] as const

let server: TestServer
let queryRows: QueryRows
let siteCount = 0

beforeAll(async () => {
  server = await startTestServer()
  queryRows = (sql, values) => server.services.db.query(sql, values) as never
})
afterAll(() => server?.close())

/** Creates a website with packed days, unpacked days and events in the inbox. */
async function createSiteWithTraffic(owner: TestUser): Promise<number> {
  const { db, rollup } = server.services
  const domain = `site-${++siteCount}.example.com`
  const id = await createSite(owner, domain)
  await insertBatch(db, createEventsOn(id, '2026-01-02', 40))
  await rollup.rollUpAll()
  await packDays(server.services)
  await insertBatch(db, [...createEventsOn(id, '2026-01-02', 5, 40), ...createEventsOn(id, '2026-01-04', 40)])
  await rollup.rollUpAll()
  await sendView(server, domain, '/in-inbox')
  return id
}

const countRows = async (id: number) => {
  const counts = tables.map((table) =>
    queryRows<{ n: number }>(`select count(*) as n from ${table} where website_id = $1`, [id]),
  )
  return (await Promise.all(counts)).map(([row]) => row?.n ?? 0)
}
const noRows = tables.map(() => 0)

/** Selects the sessions that wait for a lock, such as that of a row which another transaction has changed. */
const waitingSql = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

/** Looks for the website in every table that has a column `website_id`, including those of later migrations. */
async function findTablesWithWebsite(id: number): Promise<string[]> {
  const tablesWithColumn = await queryRows<{ name: string }>(
    `select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'belfry'::regnamespace and c.relkind in ('r', 'p') and a.attname = 'website_id'`,
  )
  const tablesWithRows: string[] = []
  for (const { name } of tablesWithColumn) {
    if ((await queryRows(`select from ${name} where website_id = $1 limit 1`, [id])).length > 0)
      tablesWithRows.push(name)
  }
  const batches = await queryRows('select from event_inbox where $1 = any (websites)', [id])
  return batches.length > 0 ? [...tablesWithRows, 'event_inbox'] : tablesWithRows
}

describe('the traffic of a deleted website', () => {
  it('cannot be read any more, even by its owner', async () => {
    const ada = await server.createUser('ada')
    const id = await createSiteWithTraffic(ada)
    expect((await fetchOverview(server.anyone, id, range)).totals.pageviews).toBe(69)
    expect((await ada.session.delete(`/api/v1/websites/${id}`)).status).toBe(200)
    for (const client of [ada.session, server.anyone]) {
      for (const path of [`/api/v1/stats/${id}?name=page`, `/api/v1/stats/${id}/overview`]) {
        expect((await client.get(path)).status).toBe(404)
      }
    }
    await server.services.rollup.rollUpAll()
    await deleteRemovedTraffic(server.services)
  })

  it('is deleted completely, and no other traffic is deleted', async () => {
    const eve = await server.createUser('eve')
    const [id, otherId] = [await createSiteWithTraffic(eve), await createSiteWithTraffic(eve)]
    // The inbox has a batch with events of both websites.
    const { db } = server.services
    await insertBatch(db, [...createEventsOn(id, '2026-01-05', 10), ...createEventsOn(otherId, '2026-01-05', 10)])
    await eve.session.delete(`/api/v1/websites/${id}`)
    expect(await countRows(id)).not.toEqual(noRows)
    await deleteRemovedTraffic(server.services)
    await server.services.rollup.rollUpAll()
    await deleteRemovedTraffic(server.services)
    expect(await findTablesWithWebsite(id)).toEqual([])
    expect((await fetchOverview(eve.session, otherId, range)).totals.pageviews).toBe(77)
    const rowsBefore = await readAllRows(server.database.connection)
    await deleteRemovedTraffic(server.services)
    expect(await readAllRows(server.database.connection)).toEqual(rowsBefore)
    await expectCountsMatchEvents(queryRows)
  })

  it('is deleted with its blocks', async () => {
    const gil = await server.createUser('gil')
    const id = await createSiteWithTraffic(gil)
    const otherDays = Array.from({ length: 45 }, (_, index) => `2025-${10 + (index % 3)}-${10 + Math.floor(index / 3)}`)
    await moveDayIntoBlocks(server.services.db, id, '2026-01-04', otherDays)
    // 2026-01-02 has a block, too.
    expect(await queryRows('select from traffic_blocks where website_id = $1', [id])).toHaveLength(47)
    await gil.session.delete(`/api/v1/websites/${id}`)
    await server.services.rollup.rollUpAll()
    await deleteRemovedTraffic(server.services)
    expect(await findTablesWithWebsite(id)).toEqual([])
  })

  it('is deleted with its owner', async () => {
    const [admin, bob] = [await server.createUser('admin', { isAdmin: true }), await server.createUser('bob')]
    const ids = [await createSiteWithTraffic(bob), await createSiteWithTraffic(bob)]
    expect((await admin.session.delete(`/api/users/${bob.id}`)).status).toBe(200)
    for (const id of ids) expect((await server.anyone.get(`/api/v1/stats/${id}?name=page`)).status).toBe(404)
    await server.services.rollup.rollUpAll()
    await deleteRemovedTraffic(server.services)
    for (const id of ids) expect(await findTablesWithWebsite(id)).toEqual([])
  })

  it('is deleted completely while events are rolled up', async () => {
    const { db, rollup } = server.services
    const carol = await server.createUser('carol')
    for (let n = 0; n < 5; n++) {
      const id = await createSiteWithTraffic(carol)
      for (let part = 0; part < 4; part++) await insertBatch(db, createEventsOn(id, '2026-01-05', 50, part * 50))
      await Promise.all([
        rollup.rollUpAll(),
        packDays(server.services),
        carol.session.delete(`/api/v1/websites/${id}`).then(() => deleteRemovedTraffic(server.services)),
      ])
      await rollup.rollUpAll()
      await deleteRemovedTraffic(server.services)
      expect(await findTablesWithWebsite(id)).toEqual([])
    }
    await expectCountsMatchEvents(queryRows)
  })

  it('is deleted completely even if a row changes at the same moment', async () => {
    const { db } = server.services
    const frank = await server.createUser('frank')
    const id = await createSiteWithTraffic(frank)
    await server.services.rollup.rollUpAll()
    await frank.session.delete(`/api/v1/websites/${id}`)
    let deletion: Promise<void> | undefined
    await db.transaction(async (q) => {
      await q.query('update traffic_days set views = views where website_id = $1', [id])
      deletion = deleteRemovedTraffic(server.services)
      await vi.waitUntil(async () => {
        return (await queryRows(waitingSql)).length > 0
      }, 20_000)
    })
    await deletion
    expect(await findTablesWithWebsite(id)).toEqual([])
  })

  it('is deleted even if one of its batches could not be rolled up', async () => {
    const dan = await server.createUser('dan')
    const id = await createSite(dan, 'broken.example.com')
    await queryRows(`insert into event_inbox (size, websites, events, fault) values (1, $1, '[', 'broken')`, [[id]])
    await dan.session.delete(`/api/v1/websites/${id}`)
    await deleteRemovedTraffic(server.services)
    expect(await findTablesWithWebsite(id)).toEqual([])
  })
})
