import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { createJob } from '../../src/app/jobs.ts'
import { HOUR_MS } from '../../src/shared/time.ts'
import { readRowSecurityState } from '../../src/storage/access.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { addChecks, type ChecksResponse, createTestChecks, expectSeries } from '../support/check-results.ts'
import { createMonitor, monitorsPath } from '../support/monitors.ts'
import { startTestServer } from '../support/server.ts'

async function runAsSuperuser(...statements: string[]): Promise<void> {
  const client = new pg.Client({ ...inject('template'), user: 'postgres', database: 'postgres' })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

it('a database login without the right to create roles can create partitions, roll up and read', async () => {
  await runAsSuperuser('create role plain_checks login', 'create database plain_checks owner plain_checks')
  const connection = { ...inject('template'), user: 'plain_checks', database: 'plain_checks' }
  const source = { connection, kind: 'remote' as const, release: async () => {} }
  const server = await startTestServer({ database: { connection, source, drop: async () => {} } })
  try {
    const { clock, services } = server
    expect(services.db.roles.requestRole).toBe(undefined)
    const [ada, eve] = [await server.createUser('ada'), await server.createUser('eve')]
    const { id } = await createMonitor(ada.session)
    const otherMonitor = await createMonitor(eve.session)
    await createJob('maintain check partitions', services).run()
    const to = new Date(clock.now().getTime() + 2 * HOUR_MS)
    const checks = createTestChecks({ from: clock.now(), to, everyMs: 60_000 })
    await addChecks(services.db, id, checks)
    await addChecks(services.db, otherMonitor.id, checks)
    clock.advance({ hours: 2, minutes: 5 })
    await createJob('roll up checks', services).run()
    expectSeries((await ada.session.get(`${monitorsPath}/${id}/checks`)).body as ChecksResponse, checks)
    expect((await eve.session.get(`${monitorsPath}/${id}/checks`)).status).toBe(404)
    clock.advance({ days: 2 })
    await createJob('roll up checks', services).run()
    await createJob('maintain check partitions', services).run()
    expect(await services.db.query('select from checks')).toEqual([])
    expectSeries((await ada.session.get(`${monitorsPath}/${id}/checks?window=30d`)).body as ChecksResponse, checks)
    expect((await withOwnerConnection(connection, readRowSecurityState)).unprotectedTables).toEqual([])
    expect(server.logLines.filter((line) => line.includes('job failed'))).toEqual([])
  } finally {
    await server.close()
    await runAsSuperuser('drop database plain_checks with (force)', 'drop role plain_checks')
  }
})
