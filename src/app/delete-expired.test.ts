import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../tests/support/server.ts'
import { syncRateCounts } from '../storage/rate-counts.ts'
import { deleteExpired } from './delete-expired.ts'
import { createJob } from './jobs.ts'

let server: TestServer

// Each test has its own server, because it counts the rows of all users.
beforeEach(async () => {
  server = await startTestServer({ env: { BELFRY_RATE_LIMIT: '100' } })
})
afterEach(() => server.close())

const countRows = async (table: string) =>
  (await server.services.db.query(`select count(*) as n from ${table}`))[0]?.['n']

describe('deleting expired rows', () => {
  it('deletes expired sessions, idempotency keys and counts', async () => {
    const { services, clock } = server
    const admin = await server.createUser('admin', { isAdmin: true })
    const body = { email: 'new@example.com', password: 'correct horse battery' }
    await admin.session.post('/api/users', body, { headers: { 'idempotency-key': 'once' } })
    await syncRateCounts(services.db, services.counter)
    await deleteExpired(services)
    expect([await countRows('sessions'), await countRows('idempotency_keys')]).toEqual([1, 1])
    expect(await countRows('rate_counts')).toBeGreaterThan(0)

    clock.advance({ days: 2 })
    await deleteExpired(services)
    expect([await countRows('sessions'), await countRows('idempotency_keys'), await countRows('rate_counts')]).toEqual([
      1, 0, 0,
    ])

    clock.advance({ days: 29 })
    await deleteExpired(services)
    expect(await countRows('sessions')).toBe(0)
  })

  it('keeps maintenances and their windows for a year after their end', async () => {
    const { services, clock } = server
    const { session } = await server.createUser('owner')
    const daily = { cron: '0 0 * * *', duration_seconds: 60 }
    for (const fields of [{ duration_seconds: 60 }, { recurrence: daily }]) {
      await session.post('/api/maintenances', { title: 'Backup', all_monitors: true, ...fields })
    }
    const handleWindows = () => createJob('begin and end maintenances', services).run()
    clock.advance({ days: 1 })
    await handleWindows()
    clock.advance({ days: 364 })
    await deleteExpired(services)
    expect(await countRows('maintenances')).toBe(2)
    clock.advance({ days: 3 })
    await handleWindows()
    await deleteExpired(services)
    const [maintenance] = await services.db.query('select cron from maintenances')
    expect([await countRows('maintenances'), maintenance?.['cron']]).toEqual([1, daily.cron])
    // After a year without a worker, the job creates only the windows of the last week.
    expect(await countRows('maintenance_windows')).toBe(8)
  })

  it('keeps alerts for a year, and waiting alerts without limit', async () => {
    const { services, clock } = server
    const { id, session } = await server.createUser('owner')
    const monitor = await session.post('/api/monitors', { friendly_name: 'Shop', url: 'https://example.com' })
    const channel = await session.post('/api/providers', { provider_type: 'sms', phone_number: '+4915112345678' })
    await services.db.query(
      `insert into alerts (user_id, monitor_id, provider_id, event, occurrence, title, body, state, created_at,
         next_attempt_at)
       select $1, $2, $3, 'down', state || age, '', '', state, $4::timestamptz - age::interval,
              case state when 'waiting' then $4::timestamptz end
         from unnest(array['sent', 'failed', 'waiting']) state, unnest(array['364 days', '367 days']) age`,
      [id, monitor.body.data.id, channel.body.data.id, clock.now()],
    )
    await deleteExpired(services)
    const remainingAlerts = await services.db.query('select occurrence from alerts order by occurrence')
    expect(remainingAlerts.map(({ occurrence }) => occurrence)).toEqual([
      'failed364 days',
      'sent364 days',
      'waiting364 days',
      'waiting367 days',
    ])
  })

  it('keeps reports for a year, and waiting reports without limit', async () => {
    const { services, clock } = server
    const { id, session } = await server.createUser('reader')
    const website = await session.post('/api/v1/websites', { domain: 'example.com' })
    await services.db.query(
      `insert into weekly_reports (user_id, website_id, week, message_id, state, created_at)
       select $1, $2, ($3::timestamptz - age * interval '1 day' - n * interval '7 days')::date, state || age, state,
              $3::timestamptz - age * interval '1 day'
         from unnest(array['sent', 'failed', 'waiting']) with ordinality states (state, n), unnest(array[364, 400]) age`,
      [id, website.body.data.id, clock.now()],
    )
    await deleteExpired(services)
    const remainingReports = await services.db.query('select message_id from weekly_reports order by message_id')
    expect(remainingReports.map(({ message_id }) => message_id)).toEqual([
      'failed364',
      'sent364',
      'waiting364',
      'waiting400',
    ])
  })
})
