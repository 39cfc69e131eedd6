/** Incidents that were not measured yet: of an upgraded database, or written by another program. */
import { expect, it, onTestFinished } from 'vitest'
import { measureDueIncidents } from '../../src/impact/measure.ts'
import { migrateDatabase } from '../../src/storage/migrations.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { createTestDatabase } from '../support/database.ts'
import { addIncident, createMonitor } from '../support/monitors.ts'
import { loadOldSchema } from '../support/old-schema.ts'
import { shareTestServer } from '../support/shared-server.ts'

it('a migration schedules the measurement of incidents of the last year that were never measured', async () => {
  const database = await createTestDatabase({ empty: true })
  onTestFinished(() => database.drop())
  await loadOldSchema(database.connection, 12)
  const incidents = await withOwnerConnection(database.connection, async (client) => {
    await client.query(`begin; set local belfry.across_users = 'on'`)
    await client.query(
      `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, resolved_at, resolution, measured_at, measure_at)
       select 1, 1, 'timeout', detail, ended_at, ended_at, ended_at, 'recovered', measured_at, null
         from (values ('never measured', now() - interval '1 month', null),
                      ('measured', now() - interval '1 month', now()),
                      ('old', now() - interval '13 months', null)) as earlier (detail, ended_at, measured_at);
       commit`,
    )
    await migrateDatabase(client)
    await client.query(`begin; set local belfry.across_users = 'on'`)
    const { rows } = await client.query(`select detail from incidents where measure_at is not null`)
    await client.query('rollback')
    return rows
  })
  expect(incidents).toEqual([{ detail: 'never measured' }])
})

it('an incident that ended between two milliseconds is measured once', async () => {
  const server = await shareTestServer()
  onTestFinished(() => server.close())
  const { db, clock } = server.services
  const ada = await server.createUser('ada')
  const monitor = await createMonitor(ada.session)
  const id = await addIncident(server, monitor.id, { from: 3 * 86_400, to: 2 * 86_400 })
  await db.query(
    `update incidents set resolved_at = resolved_at + interval '250 microseconds', measure_at = $2 where id = $1`,
    [id, clock.now()],
  )
  await measureDueIncidents(server.services)
  expect(await db.query('select measured_at, measure_at from incidents where id = $1', [id])).toEqual([
    { measured_at: clock.now(), measure_at: null },
  ])
})
