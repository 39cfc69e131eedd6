import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createJob } from '../../src/app/jobs.ts'
import { HOUR_MS } from '../../src/shared/time.ts'
import { readRowSecurityState } from '../../src/storage/access.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { addChecks, type ChecksResponse, createTestChecks, expectSeries } from '../support/check-results.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createMonitor, monitorsPath, startMonitorFixture } from '../support/monitors.ts'
import { startTestServer, TEST_SECRET, type TestServer } from '../support/server.ts'
import { belfry, createTempFolder, query, readAllRows, type TempFolder, toConnectionUrl } from './support.ts'

let server: TestServer
let targetDatabase: TestDatabase
let folder: TempFolder

beforeAll(async () => {
  ;({ server } = await startMonitorFixture())
  targetDatabase = await createTestDatabase({ empty: true })
  folder = createTempFolder()
})
afterAll(async () => {
  await server.close()
  await targetDatabase.drop()
  await folder.remove()
})

describe('a backup with partitioned checks', () => {
  it('is restored with its partitions and policies, and a server continues with it', async () => {
    const { clock, services } = server
    const owner = await server.createUser('ada')
    const { id } = await createMonitor(owner.session)
    await createJob('maintain check partitions', services).run()
    const from = new Date(clock.now().getTime() - HOUR_MS)
    const to = new Date(clock.now().getTime() + 2 * HOUR_MS)
    const checks = createTestChecks({ from, to, everyMs: 60_000 })
    await addChecks(services.db, id, checks)
    clock.advance({ hours: 2 })
    await createJob('roll up checks', services).run()

    const file = join(folder.path, 'backup.gz')
    const createEnv = (database: TestDatabase) => ({
      BELFRY_SECRET: TEST_SECRET,
      BELFRY_DATA: folder.data('data'),
      DATABASE_URL: toConnectionUrl(database.connection),
    })
    expect(await belfry(['backup', file], { env: createEnv(server.database) })).toMatchObject({ code: 0 })
    expect(await belfry(['restore', file], { env: createEnv(targetDatabase) })).toMatchObject({ code: 0 })

    const restoredRows = await readAllRows(targetDatabase.connection)
    expect(restoredRows['checks']).toHaveLength(checks.length)
    expect(restoredRows).toEqual(await readAllRows(server.database.connection))
    const partitionsQuery = `select tableoid::regclass::text as name, count(*)::int as rows from checks group by 1 order by 1`
    expect(await query(targetDatabase.connection, partitionsQuery)).toEqual(
      await query(server.database.connection, partitionsQuery),
    )
    expect((await withOwnerConnection(targetDatabase.connection, readRowSecurityState)).unprotectedTables).toEqual([])

    const restoredServer = await startTestServer({ database: targetDatabase, clock })
    try {
      const keyClient = await owner.withKey('monitors:read')
      expectSeries((await keyClient.get(`${monitorsPath}/${id}/checks`)).body as ChecksResponse, checks)
      clock.advance({ days: 2 })
      await createJob('roll up checks', restoredServer.services).run()
      await createJob('maintain check partitions', restoredServer.services).run()
      const remainingChecks = await query(targetDatabase.connection, 'select count(*)::int as rows from checks')
      expect(remainingChecks).toEqual([{ rows: 0 }])
      expect((await withOwnerConnection(targetDatabase.connection, readRowSecurityState)).unprotectedTables).toEqual([])
      expect(restoredServer.logLines.filter((line) => line.includes('job failed'))).toEqual([])
    } finally {
      await restoredServer.close()
    }
  })
})
