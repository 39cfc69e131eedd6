/** The statistics of one website don't wait until the events of all other websites are rolled up. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import type { TrafficEvent } from '../../src/traffic/model/event.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, fetchOverview } from '../support/traffic.ts'

const BACKLOG_EVENTS = 8_000
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

it('rolls up one website first and leaves the events of others for later', async () => {
  const { db, rollup } = server.services
  const [queried, others] = [await createSite(ada, 'queried.example'), await createSite(ada, 'others.example')]
  const range = (length: number, from = 0) => Array.from({ length }, (_, n) => n + from)
  await insertBatch(db, [
    ...range(20).map((n) => createView(others, n)),
    createView(queried, 1),
    createView(queried, 2),
  ])
  for (let from = 20; from < BACKLOG_EVENTS; from += 1_000) {
    await insertBatch(
      db,
      range(1_000, from).map((n) => createView(others, n)),
    )
  }
  await insertBatch(db, [createView(queried, 2), createView(others, 5), createView(queried, 3)])
  expect((await fetchOverview(ada.session, queried)).totals).toMatchObject({ visitors: 3, pageviews: 4, visits: 3 })
  const [remaining] = await db.query('select sum(size)::int as events, count(*)::int as batches from event_inbox')
  expect(remaining).toEqual({ events: 8_021, batches: 10 })
  await rollup.rollUpAll()
  expect((await fetchOverview(ada.session, others)).totals).toMatchObject({ visitors: 8_020, pageviews: 8_021 })
  expect((await fetchOverview(ada.session, queried)).totals).toMatchObject({ visitors: 3, pageviews: 4 })
})
