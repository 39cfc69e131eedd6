/** A website that is deleted takes its traffic along: nobody can ask for it from then on, and the worker sweeps it out. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import { deleteRemovedTraffic } from '../../src/traffic/retention/removal.ts'
import { readAllRows } from '../cli/support.ts'
import { eventsOn } from '../support/inbox-events.ts'
import { expectCountsMatchEvents, type QueryRows } from '../support/recount.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import { createSite, overview, view } from '../support/traffic.ts'

const range = 'from=2026-01-01&to=2026-01-05'
const tables = ['events', 'visits', 'traffic_values', 'traffic_days', 'traffic_weeks', 'traffic_counts'] as const

let server: TestServer
let rows: QueryRows
let sites = 0

beforeAll(async () => {
  server = await startTestServer()
  rows = (sql, values) => server.services.db.query(sql, values) as never
})
afterAll(() => server?.close())

/** With days that are packed, days that are not, and events that wait. */
async function fillSite(owner: Person): Promise<number> {
  const { db, rollup } = server.services
  const domain = `site-${++sites}.example.com`
  const id = await createSite(owner, domain)
  await insertBatch(db, eventsOn(id, '2026-01-02', 40))
  await rollup.rollUpAll()
  await packDays(server.services)
  await insertBatch(db, [...eventsOn(id, '2026-01-02', 5, 40), ...eventsOn(id, '2026-01-04', 40)])
  await rollup.rollUpAll()
  await view(server, domain, '/waits')
  return id
}

const leftOf = async (id: number) => {
  const counts = tables.map((table) =>
    rows<{ n: number }>(`select count(*) as n from ${table} where website_id = $1`, [id]),
  )
  return (await Promise.all(counts)).map(([row]) => row?.n ?? 0)
}
const none = tables.map(() => 0)

/** A column called so wherever it stands: tables of later migrations too. */
async function mentionsOf(id: number): Promise<string[]> {
  const columns = await rows<{ name: string }>(
    `select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'belfry'::regnamespace and c.relkind in ('r', 'p') and a.attname = 'website_id'`,
  )
  const found: string[] = []
  for (const { name } of columns) {
    if ((await rows(`select from ${name} where website_id = $1 limit 1`, [id])).length > 0) found.push(name)
  }
  const batches = await rows('select from event_inbox where $1 = any (websites)', [id])
  return batches.length > 0 ? [...found, 'event_inbox'] : found
}

describe('the statistics of a deleted website', () => {
  it('are gone at once, for its owner as for everybody', async () => {
    const ada = await server.person('ada')
    const id = await fillSite(ada)
    expect((await overview(server.anyone, id, range)).totals.pageviews).toBe(69)
    expect((await ada.session.delete(`/api/v1/websites/${id}`)).status).toBe(200)
    for (const client of [ada.session, server.anyone]) {
      for (const path of [`/api/v1/stats/${id}?name=page`, `/api/v1/stats/${id}/overview`]) {
        expect((await client.get(path)).status).toBe(404)
      }
    }
    await server.services.rollup.rollUpAll()
    await deleteRemovedTraffic(server.services)
  })

  it('are swept out with every row of it, and nothing of anybody else', async () => {
    const eve = await server.person('eve')
    const [id, neighbour] = [await fillSite(eve), await fillSite(eve)]
    // One batch for both waits in the inbox.
    const { db } = server.services
    await insertBatch(db, [...eventsOn(id, '2026-01-05', 10), ...eventsOn(neighbour, '2026-01-05', 10)])
    await eve.session.delete(`/api/v1/websites/${id}`)
    expect(await leftOf(id)).not.toEqual(none)
    await deleteRemovedTraffic(server.services)
    await server.services.rollup.rollUpAll()
    await deleteRemovedTraffic(server.services)
    expect(await mentionsOf(id)).toEqual([])
    expect((await overview(eve.session, neighbour, range)).totals.pageviews).toBe(77)
    const before = await readAllRows(server.database.connection)
    await deleteRemovedTraffic(server.services)
    expect(await readAllRows(server.database.connection)).toEqual(before)
    await expectCountsMatchEvents(rows)
  })

  it('go with their owner as well', async () => {
    const [admin, bob] = [await server.person('admin', { isAdmin: true }), await server.person('bob')]
    const ids = [await fillSite(bob), await fillSite(bob)]
    expect((await admin.session.delete(`/api/users/${bob.id}`)).status).toBe(200)
    for (const id of ids) expect((await server.anyone.get(`/api/v1/stats/${id}?name=page`)).status).toBe(404)
    await server.services.rollup.rollUpAll()
    await deleteRemovedTraffic(server.services)
    for (const id of ids) expect(await mentionsOf(id)).toEqual([])
  })

  it('are gone for good also where events were being added up just then', async () => {
    const { db, rollup } = server.services
    const carol = await server.person('carol')
    for (let n = 0; n < 5; n++) {
      const id = await fillSite(carol)
      for (let part = 0; part < 4; part++) await insertBatch(db, eventsOn(id, '2026-01-05', 50, part * 50))
      await Promise.all([
        rollup.rollUpAll(),
        packDays(server.services),
        carol.session.delete(`/api/v1/websites/${id}`).then(() => deleteRemovedTraffic(server.services)),
      ])
      await rollup.rollUpAll()
      await deleteRemovedTraffic(server.services)
      expect(await mentionsOf(id)).toEqual([])
    }
    await expectCountsMatchEvents(rows)
  })

  it('leave nothing even where a batch of theirs was put aside', async () => {
    const dan = await server.person('dan')
    const id = await createSite(dan, 'broken.example.com')
    await rows(`insert into event_inbox (size, websites, events, fault) values (1, $1, '[', 'broken')`, [[id]])
    await dan.session.delete(`/api/v1/websites/${id}`)
    await deleteRemovedTraffic(server.services)
    expect(await mentionsOf(id)).toEqual([])
  })
})
