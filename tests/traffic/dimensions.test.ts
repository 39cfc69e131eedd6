/** A dimension is stored, counted, filtered, exported and imported if it has columns and an entry in dimensions.ts. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../src/lib/log.ts'
import { readEventFile } from '../../src/traffic/import-export/belfry/event-row-reader.ts'
import { exportEvents } from '../../src/traffic/import-export/belfry/export-events.ts'
import { importEvents } from '../../src/traffic/import-export/import-events.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import {
  countColumnNumbers,
  countColumns,
  type Dimension,
  dimensionNames,
  dimensionTable,
  hourColumns,
  slotColumns,
  visitDimensions,
  visitorDimensions,
} from '../../src/traffic/model/dimensions.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import { TestClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { listImports, readSources } from '../support/imports.ts'
import { createEventAt } from '../support/inbox-events.ts'
import { startTestServer, TEST_SECRET, type TestServer, type TestUser } from '../support/server.ts'
import { createSite, fetchOverview, fetchStatistics } from '../support/traffic.ts'

const day = '2026-01-05'
const range = `from=${day}&to=${day}`

describe('the table of dimensions', () => {
  // Stored data refers to these numbers, so they never change.
  it('keeps the numbers that the database holds', () => {
    const numbers = dimensionNames.map((name) => `${name} ${dimensionTable[name].number} ${dimensionTable[name].kind}`)
    expect(numbers.slice(0, 16)).toEqual([
      'page 1 1',
      'landing_page 2 1',
      'exit_page 3 1',
      'referrer 4 2',
      'source 5 3',
      'campaign 6 4',
      'country 7 5',
      'region 8 6',
      'city 9 7',
      'language 10 8',
      'browser 11 9',
      'os 12 10',
      'device 13 11',
      'resolution 14 12',
      'event 15 13',
      'hostname 18 14',
    ])
    expect(hourColumns).toEqual({ view_hours: 16, visitor_hours: 17 })
    expect(slotColumns).toEqual({ visit_slots: 19 })
  })

  it('gives every dimension its own number', () => {
    const numbers = Object.values(countColumnNumbers)
    expect(numbers).toHaveLength(countColumns.length)
    expect(new Set(numbers).size).toBe(numbers.length)
  })
})

describe('the database', () => {
  const otherColumns = {
    traffic_days: 'website_id day visitors views visits bounces duration_ms events is_packed packed_visits block_set',
    traffic_weeks: 'website_id week',
    visits: 'website_id day visitor id started_at last_at views actions hours',
  }
  const dimensionColumns = {
    traffic_days: countColumns,
    traffic_weeks: dimensionNames,
    visits: [...visitDimensions, ...visitorDimensions],
  }
  let database: TestDatabase

  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database?.drop())

  it.each(Object.keys(otherColumns) as (keyof typeof otherColumns)[])(
    'has a column of %s for every dimension, and no unknown column',
    async (table) => {
      const client = new pg.Client(database.connection)
      await client.connect()
      const { rows } = await client.query(
        'select attname::text as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped',
        [`belfry.${table}`],
      )
      await client.end()
      const expectedColumns = [...otherColumns[table].split(' '), ...dimensionColumns[table]]
      expect(rows.map(({ name }) => name).toSorted()).toEqual(expectedColumns.toSorted())
    },
  )
})

describe('every dimension', () => {
  let server: TestServer
  let ada: TestUser
  let siteCount = 0

  beforeAll(async () => {
    server = await startTestServer({ clock: new TestClock(new Date('2026-01-10T12:00:00Z')) })
    ada = await server.createUser('ada')
  })
  afterAll(() => server?.close())

  async function createWebsite() {
    const domain = `site-${++siteCount}.example.com`
    return { id: await createSite(ada, domain), domain, timeZone: 'UTC' }
  }

  /** Inserts a page view and a custom event with the example value of every dimension. */
  async function insertExamples(websiteId: number): Promise<void> {
    const { event, ...fields } = Object.fromEntries(dimensionNames.map((name) => [name, dimensionTable[name].example]))
    const { landing_page, exit_page, ...values } = fields
    await insertBatch(server.services.db, [
      createEventAt(websiteId, `${day}T10:00:00Z`, values),
      createEventAt(websiteId, `${day}T10:01:00Z`, { ...values, kind: 'custom', name: event as string }),
    ])
  }

  async function expectExamples(websiteId: number): Promise<void> {
    const { panels } = await fetchOverview(ada.session, websiteId, range)
    for (const name of dimensionNames) {
      const rows = [{ value: dimensionTable[name].example, count: 1 }]
      expect([name, panels[name]]).toEqual([name, rows])
      expect([name, await fetchStatistics(ada.session, websiteId, `name=${name}&${range}`)]).toEqual([name, rows])
      const matchingOverview = await fetchOverview(ada.session, websiteId, `${range}&filter=${createFilter(name)}`)
      expect([name, matchingOverview.panels[name], matchingOverview.totals.visitors]).toEqual([name, rows, 1])
      const { totals } = await fetchOverview(ada.session, websiteId, `${range}&filter=${name}:something else`)
      expect([name, totals.visitors]).toEqual([name, 0])
    }
  }

  const createFilter = (name: Dimension) => `${name}:${encodeURIComponent(dimensionTable[name].example)}`

  it('is counted and can be filtered, before and after its day is packed', async () => {
    const { id } = await createWebsite()
    await insertExamples(id)
    await expectExamples(id)
    await packDays(server.services)
    await expectExamples(id)
  })

  it('is exported and imported', async () => {
    const [original, copy] = [await createWebsite(), await createWebsite()]
    await insertExamples(original.id)
    const { config, db, rollup, clock } = server.services
    await rollup.rollUpAll()
    const days = { websiteId: original.id, from: day, to: day }
    const csv = await db.snapshot((q) => Array.fromAsync(exportEvents(q, days, () => {})))
    const read = async function* () {
      yield* csv
    }
    const file = { name: 'export.csv', bytes: 0, read }
    const readEvents = () => readEventFile(file, copy, clock.now().getTime())
    await importEvents({ db, rollup, clock, config }, { site: copy, readEvents, mayAddToExistingDays: false })
    await expectExamples(copy.id)
  })
})

/** Follows the recipe of CONTRIBUTING.md in a copy of the source code. */
describe('the recipe for a new dimension', () => {
  const newEntries = `
    medium: { number: 20, kind: 15, scope: 'visit', field: 'medium', example: 'email' },
    isp: { number: 21, kind: 16, scope: 'visitor', field: 'isp', example: 'Example Telecom' },`
  const migration = `
    alter table visits add column medium integer, add column isp integer;
    alter table traffic_days add column medium text, add column isp text;
    alter table traffic_weeks add column medium text, add column isp text;
    alter table traffic_blocks add column medium bytea, add column isp bytea;
    alter table traffic_blocks alter column medium set storage external, alter column isp set storage external;`

  const root = resolve(import.meta.dirname, '../..')
  let copyFolder: string

  /**
   * Copies the source files that load dimensions.ts or package-folder.ts, directly or through other files. The other files become
   * links, so that they need not be compiled again.
   */
  async function copySources(): Promise<void> {
    const sources = readSources('src', (path) => /(?<!\.test)\.ts$/.test(path))
    const imports = listImports(sources).filter(({ isTypeOnly }) => !isTypeOnly)
    const copiedFiles = new Set(['src/traffic/model/dimensions.ts', 'src/lib/package-folder.ts'])
    for (let count = 0; count < copiedFiles.size; ) {
      count = copiedFiles.size
      for (const { file, importedModule } of imports) if (copiedFiles.has(importedModule)) copiedFiles.add(file)
    }
    for (const [path, text] of sources) {
      await mkdir(join(copyFolder, dirname(path)), { recursive: true })
      if (copiedFiles.has(path)) await writeFile(join(copyFolder, path), text)
      else await symlink(join(root, path), join(copyFolder, path))
    }
  }

  beforeAll(async () => {
    copyFolder = await mkdtemp(join(tmpdir(), 'belfry-dimension-'))
    await copySources()
    for (const name of ['migrations', 'package.json', 'status-page/fonts', 'web/public', 'web/styles'])
      await cp(join(root, name), join(copyFolder, name), { recursive: true })
    await mkdir(join(copyFolder, 'tracker'))
    await cp(join(root, 'tracker/b.js'), join(copyFolder, 'tracker/b.js'))
    await symlink(join(root, 'node_modules'), join(copyFolder, 'node_modules'))
    const dimensionsFile = join(copyFolder, 'src/traffic/model/dimensions.ts')
    const text = await readFile(dimensionsFile, 'utf8')
    await writeFile(dimensionsFile, text.replace('} as const satisfies', `${newEntries}\n} as const satisfies`))
    const migrationCount = (await readdir(join(copyFolder, 'migrations'))).filter((name) => /^\d{4}_/.test(name)).length
    await writeFile(join(copyFolder, `migrations/${String(migrationCount + 1).padStart(4, '0')}_recipe.sql`), migration)
  })
  afterAll(() => rm(copyFolder, { recursive: true, force: true }))

  const importFromCopy = (path: string) => import(pathToFileURL(join(copyFolder, path)).href)

  it('needs only an entry of the table and a migration, and keeps packed days readable', async () => {
    const database = await createTestDatabase()
    const clock = new TestClock(new Date('2026-01-10T12:00:00Z'))

    // A server without the new dimensions packs a day.
    const oldServer = await startTestServer({ database, clock })
    const ada = await oldServer.createUser('ada')
    const id = await createSite(ada, 'example.com')
    await insertBatch(oldServer.services.db, [createEventAt(id, '2026-01-04T10:00:00Z', { country: 'DE' })])
    await oldServer.services.rollup.rollUpAll()
    await packDays(oldServer.services)
    await oldServer.close()

    const { startServer } = (await importFromCopy('src/app/server.ts')) as typeof import('../../src/app/server.ts')
    const { readConfig } = (await importFromCopy('src/config/config.ts')) as typeof import('../../src/config/config.ts')
    const { packDays: packDaysAgain } = await importFromCopy('src/traffic/packing/pack-days.ts')
    const dataDir = join(copyFolder, 'data')
    const config = readConfig({ PORT: '0', BELFRY_DATA: dataDir, BELFRY_SECRET: TEST_SECRET, BELFRY_RATE_LIMIT: '0' })
    const log = createLog('error', { write: () => {} })
    const webFolder = join(root, 'web/dist')
    const newServer = await startServer(
      { ...config, roles: new Set(['web']) },
      { log, clock, database: database.source, webFolder },
    )
    try {
      const read = async (query: string) => {
        const cookie = `belfry_session=${ada.session.credentials.cookie}`
        const response = await fetch(`${newServer.address}/api/v1/stats/${id}?from=2026-01-04&to=2026-01-05&${query}`, {
          headers: { cookie },
        })
        return [response.status, ((await response.json()) as { data: object[] }).data]
      }
      const values = { medium: 'email', isp: 'Example Telecom', country: 'DE' }
      const event = createEventAt(id, `${day}T10:00:00Z`, values as object)
      await insertBatch(newServer.services.db, [event])

      for (const pack of [async () => {}, () => packDaysAgain(newServer.services)]) {
        await newServer.services.rollup.rollUpAll()
        await pack()
        expect(await read('name=medium')).toEqual([200, [{ value: 'email', count: 1 }]])
        expect(await read('name=isp')).toEqual([200, [{ value: 'Example Telecom', count: 1 }]])
        expect(await read('name=page&filter=isp:Example*&filter=medium:email')).toEqual([
          200,
          [{ value: '/', count: 1 }],
        ])
        expect(await read('name=country')).toEqual([200, [{ value: 'DE', count: 2 }]])
        expect(await read('name=page&filter=country:DE')).toEqual([200, [{ value: '/', count: 2 }]])
      }

      const exporter = (await importFromCopy('src/traffic/import-export/belfry/export-events.ts')) as {
        exportEvents: typeof exportEvents
      }
      const days = { websiteId: id, from: day, to: day }
      const chunks = await newServer.services.db.snapshot((q) =>
        Array.fromAsync(exporter.exportEvents(q, days, () => {})),
      )
      const [header = '', line = ''] = Buffer.concat(chunks).toString().split('\n')
      const cells = Object.fromEntries(header.split(',').map((name, index) => [name, line.split(',')[index]]))
      expect(cells).toMatchObject(values)
    } finally {
      await newServer.stop()
      await database.drop()
    }
  })
})
