/** Statistics that an older Belfry packed stay readable after an upgrade. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import { TestClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestServer, TEST_SECRET, type TestServer } from '../support/server.ts'
import { belfry, createTempFolder, type TempFolder, toConnectionUrl } from './support.ts'

/**
 * The backup has five days of traffic. Four were packed by a Belfry that stored no version in packed data. The last day,
 * 2026-11-15, was not over at that time, so it is not packed.
 */
const backupFile = join(import.meta.dirname, 'backups/schema-6.gz')
/** Packed data of version 1 starts with these characters (base64). */
const VERSION_1_PREFIX = 'gAAB'
const range = { from: '2026-11-11', to: '2026-11-15' }

describe('traffic in a backup of schema 6', () => {
  let folder: TempFolder
  let database: TestDatabase
  let server: TestServer

  beforeAll(async () => {
    folder = createTempFolder()
    database = await createTestDatabase({ empty: true })
    const env = {
      BELFRY_SECRET: TEST_SECRET,
      BELFRY_DATA: folder.data('data'),
      DATABASE_URL: toConnectionUrl(database.connection),
    }
    expect(await belfry(['restore', backupFile, '--yes'], { env })).toMatchObject({ code: 0 })
    server = await startTestServer({ database, clock: new TestClock(new Date('2026-11-20T12:00:00Z')) })
  })
  afterAll(async () => {
    await server?.close()
    await database?.drop()
    await folder?.remove()
  })

  /** Every visit of the backup has a page view, so this filter matches everything. */
  const everyPageFilters = [{ name: 'page' as const, pattern: '*' }]

  async function readOverview(filters: typeof everyPageFilters | []) {
    const [site] = await server.services.db.query(
      'select id, user_id as "teamId", domain, time_zone as "timeZone" from websites where id = 1',
    )
    const reader = { kind: 'server' as const }
    return server.services.statistics.overview(reader, site as never, { ...range, interval: 'day', filters })
  }

  const readPacked = (column: string) =>
    server.services.db.query<{ day: string; packed: string | null }>(
      `select day::text, ${column} as packed from traffic_days where website_id = 1 order by 1`,
    )

  it('is read although it has no versions, and is packed again with versions', async () => {
    const packedBefore = [...(await readPacked('page')), ...(await readPacked('packed_visits'))]
    expect(packedBefore.filter(({ packed }) => packed !== null)).toHaveLength(8)
    expect(packedBefore.filter(({ packed }) => packed?.startsWith(VERSION_1_PREFIX))).toEqual([])

    const unfilteredOverview = await readOverview([])
    expect(unfilteredOverview.totals).toMatchObject({ visitors: 92, pageviews: 288, visits: 101, events: 29 })
    expect(await readOverview(everyPageFilters)).toEqual(unfilteredOverview)

    // The counts are packed again, as after a late event. The visits and events move into blocks.
    await server.services.db.query('update traffic_days set is_packed = false')
    await packDays(server.services)
    expect((await readPacked('page')).every(({ packed }) => packed?.startsWith(VERSION_1_PREFIX))).toBe(true)
    expect((await readPacked('packed_visits')).every(({ packed }) => packed === null)).toBe(true)
    expect((await readPacked('block_set')).every(({ packed }) => Number(packed) > 0)).toBe(true)
    expect(await readOverview([])).toEqual(unfilteredOverview)
    expect(await readOverview(everyPageFilters)).toEqual(unfilteredOverview)
  })
})
