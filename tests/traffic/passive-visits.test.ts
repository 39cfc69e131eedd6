/** Earlier versions did not count visits with only passive events as bounces. A migration corrects the days that they stored. */
import { expect, it, onTestFinished } from 'vitest'
import { migrateDatabase } from '../../src/storage/migrations.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { createTestDatabase } from '../support/database.ts'
import { loadOldSchema } from '../support/old-schema.ts'

it('a migration counts visits that consist of passive events as bounces', async () => {
  const database = await createTestDatabase({ empty: true })
  onTestFinished(() => database.drop())
  await loadOldSchema(database.connection, 12)
  const days = await withOwnerConnection(database.connection, async (client) => {
    await client.query(`begin; set local belfry.across_users = 'on'`)
    await client.query(
      `insert into traffic_days (website_id, day, visitors, views, visits, bounces, duration_ms, events, is_packed, packed_visits)
       select 900, day, 3, 2, 3, 1, 0, 4, true, 'packed' from unnest(array['2026-01-05', '2026-01-06']::date[]) day;
       insert into visits (website_id, day, visitor, id, started_at, last_at, views, actions, hours)
       values (900, '2026-01-05', 1, 901, now(), now(), 1, 0, 1), (900, '2026-01-05', 2, 902, now(), now(), 0, 0, 1),
              (900, '2026-01-05', 3, 903, now(), now(), 0, 2, 1), (900, '2026-01-06', 4, 904, now(), now(), 1, 0, 1);
       commit`,
    )
    await migrateDatabase(client)
    await client.query(`begin; set local belfry.across_users = 'on'`)
    const { rows } = await client.query(
      `select day::text, bounces, is_packed, packed_visits from traffic_days where website_id = 900 order by day`,
    )
    await client.query('rollback')
    return rows
  })
  expect(days).toEqual([
    { day: '2026-01-05', bounces: 2, is_packed: false, packed_visits: null },
    { day: '2026-01-06', bounces: 1, is_packed: true, packed_visits: 'packed' },
  ])
})
