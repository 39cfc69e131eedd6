/** The statistics of one website don't wait until the events of all other websites are rolled up. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import type { TrafficEvent } from '../../src/traffic/model/event.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, fetchOverview } from '../support/traffic.ts'

const BACKLOG_EVENT_COUNT = 8_000
let server: TestServer
let ada: TestUser

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.createUser('ada')
})
afterAll(() => server.close())

const createView = (websiteId: number, visitor: number): TrafficEvent => ({
  websiteId,
  kind: 'view',
  at: Date.parse('2026-01-05T09:00:00Z') + visitor,
  day: '2026-01-05',
  hour: 9,
  visitor,
  page: `/${visitor % 7}`,
  source: 'Direct',
})

it('a query rolls up the events of its website first, and leaves events of other websites for later', async () => {
  const { db, rollup } = server.services
  const [queriedId, otherId] = [await createSite(ada, 'queried.example'), await createSite(ada, 'others.example')]
  const listNumbers = (length: number, from = 0) => Array.from({ length }, (_, n) => n + from)
  await insertBatch(db, [
    ...listNumbers(20).map((n) => createView(otherId, n)),
    createView(queriedId, 1),
    createView(queriedId, 2),
  ])
  for (let from = 20; from < BACKLOG_EVENT_COUNT; from += 1_000) {
    await insertBatch(
      db,
      listNumbers(1_000, from).map((n) => createView(otherId, n)),
    )
  }
  await insertBatch(db, [createView(queriedId, 2), createView(otherId, 5), createView(queriedId, 3)])
  expect((await fetchOverview(ada.session, queriedId)).totals).toMatchObject({ visitors: 3, pageviews: 4, visits: 3 })
  const [remainingInbox] = await db.query('select sum(size)::int as events, count(*)::int as batches from event_inbox')
  expect(remainingInbox).toEqual({ events: 8_021, batches: 10 })
  await rollup.rollUpAll()
  expect((await fetchOverview(ada.session, otherId)).totals).toMatchObject({ visitors: 8_020, pageviews: 8_021 })
  expect((await fetchOverview(ada.session, queriedId)).totals).toMatchObject({ visitors: 3, pageviews: 4 })
})

it('the rollup vacuums the inbox after 1,000 batches', async () => {
  const { db, rollup } = server.services
  const websiteId = await createSite(ada, 'batches.example')
  await db.query(
    'insert into event_inbox (size, websites, events) select 1, array[$1::bigint], $2::text from generate_series(1, 1001)',
    [websiteId, JSON.stringify([createView(websiteId, 1)])],
  )
  await rollup.rollUpAll()
  expect((await fetchOverview(ada.session, websiteId)).totals).toMatchObject({ visitors: 1, pageviews: 1_001 })
  const [table] = await db.query("select vacuum_count::int from pg_stat_user_tables where relname = 'event_inbox'")
  expect(table).toEqual({ vacuum_count: 1 })
})
