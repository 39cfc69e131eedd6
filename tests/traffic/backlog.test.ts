/** Whoever asks about one website does not wait for everything that waits of others. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import type { TrafficEvent } from '../../src/traffic/model/event.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import { createSite, overview } from '../support/traffic.ts'

const BACKLOG = 8_000
let server: TestServer
let ada: Person

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.person('ada')
})
afterAll(() => server.close())

const view = (websiteId: number, visitor: number): TrafficEvent => ({
  websiteId,
  kind: 'view',
  at: Date.parse('2026-01-05T09:00:00Z') + visitor,
  day: '2026-01-05',
  hour: 9,
  visitor,
  page: `/${visitor % 7}`,
  source: 'Direct',
})

it('is answered from its own events, while those of others stay and count later', async () => {
  const { db, rollup } = server.services
  const [mine, others] = [await createSite(ada, 'mine.example'), await createSite(ada, 'others.example')]
  const range = (length: number, from = 0) => Array.from({ length }, (_, n) => n + from)
  await insertBatch(db, [...range(20).map((n) => view(others, n)), view(mine, 1), view(mine, 2)])
  for (let from = 20; from < BACKLOG; from += 1_000) {
    await insertBatch(
      db,
      range(1_000, from).map((n) => view(others, n)),
    )
  }
  await insertBatch(db, [view(mine, 2), view(others, 5), view(mine, 3)])
  expect((await overview(ada.session, mine)).totals).toMatchObject({ visitors: 3, pageviews: 4, visits: 3 })
  const [left] = await db.query('select sum(size)::int as events, count(*)::int as batches from event_inbox')
  expect(left).toEqual({ events: 8_021, batches: 10 })
  await rollup.rollUpAll()
  expect((await overview(ada.session, others)).totals).toMatchObject({ visitors: 8_020, pageviews: 8_021 })
  expect((await overview(ada.session, mine)).totals).toMatchObject({ visitors: 3, pageviews: 4 })
})
