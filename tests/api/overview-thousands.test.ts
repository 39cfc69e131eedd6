import { afterAll, beforeAll, expect, it } from 'vitest'
import { decodeOverview } from '../../web/lib/overview.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

it('the overview lists thousands of monitors, even if PostgreSQL has no statistics about them yet', async () => {
  const { db } = server.services
  const [earlierUser, user] = [await server.createUser('earlier'), await server.createUser('later')]
  const addMonitors = ({ id }: TestUser, count: number) =>
    db.query(
      `with created as (
         insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
           remind_every_minutes, status, status_changed_at, search_text, created_at, updated_at)
         select $1, 'Box ' || n, 'box-' || n || '.example.com', 'ping', 60, 2, 5, 0, 'up', $2, '', $2, $2
           from generate_series(1, $3::int) n returning user_id, id
       ), states as (insert into monitor_states (user_id, monitor_id) select user_id, id from created)
       insert into watches (user_id, monitor_id, started_at) select user_id, id, $2::timestamptz - interval '1 day' from created`,
      [id, server.clock.now(), count],
    )
  await addMonitors(earlierUser, 300)
  await db.query('analyze monitors, monitor_states')
  await addMonitors(user, 5_000)
  const { status, body } = await user.session.get('/api/overview')
  expect(status).toBe(200)
  const { monitors } = decodeOverview(body.data)
  expect(monitors.map(({ friendly_name }) => friendly_name)).toEqual(
    Array.from({ length: 5_000 }, (_, n) => `Box ${5_000 - n}`),
  )
  expect(monitors.every(({ uptime_percent, days }) => uptime_percent === 100 && days === '88-89')).toBe(true)
})
