import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { generateDemoEvents } from '../../src/traffic/demo/generate.ts'
import { ensureWebsiteExists, importEvents } from '../../src/traffic/import-export/import-events.ts'
import type { StatisticsSite } from '../../src/traffic/stats/statistics.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import {
  belfry,
  belfryProcess,
  canRunAtTerminal,
  createTempFolder,
  type Env,
  query,
  runAtTerminal,
  startCommand,
  type TempFolder,
  toConnectionUrl,
  waitForResult,
} from './support.ts'
import { createWebsiteRegistrar, type RegisterWebsite, readStatistics } from './traffic-support.ts'

const year = { from: '2026-01-01', to: '2026-12-31' }

describe('traffic generate, export and import', () => {
  let server: TestServer
  let folder: TempFolder
  let env: Env
  let registerWebsite: RegisterWebsite
  /** A website with demo traffic on 2026-02-01 and the two days after, and its export. */
  let exportedWebsite: { site: StatisticsSite; path: string }

  beforeAll(async () => {
    server = await startTestServer()
    folder = createTempFolder()
    env = { DATABASE_URL: toConnectionUrl(server.database.connection) }
    registerWebsite = await createWebsiteRegistrar(server)
    const site = await registerWebsite('exported.example.com', 'Asia/Kolkata')
    await importDemo(site, '2026-02-01', '2026-02-03')
    exportedWebsite = { site, path: getPath('exported.csv.gz') }
    expect((await run('export', site.domain, exportedWebsite.path)).code).toBe(0)
  })
  afterAll(async () => {
    await server.close()
    await folder.remove()
  })

  const run = (...words: string[]) => belfry(['traffic', ...words], { env })
  /** Unlike `run`, this also works for exports to standard output. */
  const runProcess = (...words: string[]) => belfryProcess(['traffic', ...words], { env })
  const getPath = (name: string) => join(folder.path, name)

  /** Imports demo traffic and a few unusual events. Returns how many events there are. */
  async function importDemo(site: StatisticsSite, first: string, last: string): Promise<number> {
    const [from, to] = [Date.parse(`${first}T00:00:00Z`), Date.parse(`${last}T00:00:00Z`)]
    const { id: websiteId, timeZone } = site
    const events = [
      ...generateDemoEvents({ websiteId, timeZone, from, to, visitorsPerDay: 60, seed: 7 }),
      ...createOddEvents(websiteId, to),
    ]
    const { config, db, rollup } = server.services
    await importEvents(
      { db, rollup, config, clock: systemClock },
      { site, readEvents: () => [events], mayAddToExistingDays: false },
    )
    return events.length
  }

  it('generate sample data up to now, and only once', async () => {
    const site = await registerWebsite('sample.example.com', 'Europe/Berlin')
    const generateResult = await runProcess(
      'generate',
      'https://www.sample.example.com/',
      '--days',
      '5',
      '--visitors',
      '50',
    )
    expect(generateResult).toMatchObject({ code: 0, stderr: '' })
    expect(generateResult.stdout).toMatch(
      /^Generated [\d,]+ events of sample data for sample\.example\.com, covering 5 days\.\n$/,
    )
    const [times] = await query(
      server.database.connection,
      `select min(at) > now() - interval '6 days' as starts_in_range, max(at) <= now() as ends_before_now,
              max(at) > now() - interval '1 day' as ends_recently from events where website_id = ${site.id}`,
    )
    expect(times).toEqual({ starts_in_range: true, ends_before_now: true, ends_recently: true })
    const secondResult = await run('generate', 'sample.example.com', '--days', '2')
    expect(secondResult.code).toBe(1)
    expect(secondResult.stderr).toContain('Nothing was imported. To add to it anyway, use --add.')
    expect((await run('generate', 'sample.example.com', '--days', '2', '--add', '--seed', '2')).code).toBe(0)
  })

  it('reject an unknown website and say how to add it', async () => {
    const { code, stderr } = await run('generate', 'nowhere.example.com')
    expect(code).toBe(1)
    expect(stderr).toContain(
      'There is no website nowhere.example.com. Add it on the website list, or with POST /api/v1/websites',
    )
  })

  it.each([
    ['generate', 'Missing argument: <domain>'],
    ['generate 127.0.0.1', 'The domain must be a name, not an IP address.'],
    ['generate a.example.com --days 0', '--days must be a whole number from 1'],
    ['generate a.example.com --visitors many', '--visitors must be a whole number'],
    ['import a.example.com', 'Missing argument: <file|folder|zip>'],
    ['export a.example.com --format xml', '--format must be belfry or plausible.'],
    ['export a.example.com --format plausible', 'Missing argument: <folder>.'],
    ['export a.example.com --from yesterday', '--from must be a day such as 2026-01-05.'],
    ['export a.example.com --from 2026-02-01 --to 2026-01-01', '--from must not be after --to.'],
  ])('reject the arguments “%s”', async (words, message) => {
    const { code, stderr } = await run(...words.split(' '))
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })

  it.each([
    ['Europe/Berlin', '2026-03-27', '2026-03-31'],
    ['America/New_York', '2025-10-31', '2025-11-04'],
    ['Asia/Kolkata', '2026-02-01', '2026-02-03'],
    ['Australia/Lord_Howe', '2026-04-03', '2026-04-07'],
  ])('keep all statistics of a website in %s from %s', async (timeZone, first, last) => {
    const name = timeZone.toLowerCase().replace(/[\W_]/g, '-')
    const [original, copy] = [
      await registerWebsite(`${name}.example.com`, timeZone),
      await registerWebsite(`${name}.example.org`, timeZone),
    ]
    const count = await importDemo(original, first, last)

    expect((await run('export', original.domain, getPath(`${name}.csv.gz`))).code).toBe(0)
    const importResult = await run('import', copy.domain, getPath(`${name}.csv.gz`))
    expect(importResult.stdout).toBe(`Imported ${count.toLocaleString('en')} events into ${copy.domain}.\n`)
    const range = { from: first < '2026' ? '2025-10-01' : year.from, to: year.to }
    const before = await readStatistics(server, original, range)
    expect(await readStatistics(server, copy, range)).toEqual(before)
    expect(before.overview.totals.pageviews).toBeGreaterThan(100)
    expect(before.panels.event?.length).toBeGreaterThan(3)

    // The export of the copy differs only in the numbers that identify visitors and visits.
    const secondExport = await runProcess('export', copy.domain, '-')
    const firstExport = gunzipSync(readFileSync(getPath(`${name}.csv.gz`))).toString()
    expect(removeVisitorNumbers(secondExport.stdout)).toEqual(removeVisitorNumbers(firstExport))
  })

  it('export only the selected days', async () => {
    const { stdout, stderr } = await runProcess(
      'export',
      exportedWebsite.site.domain,
      '--from',
      '2026-02-02',
      '--to',
      '2026-02-02',
    )
    const days = stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',').at(-2))
    expect(new Set(days)).toEqual(new Set(['2026-02-02']))
    expect(stderr).toMatch(/^Exported: [\d,]+ events, [\d.]+ kB(, [\d.]+ k?B\/s)?\.\n$/)
  })

  it('count nothing twice, except with --add', async () => {
    const site = await registerWebsite('twice.example.com', 'Asia/Kolkata')
    const { path } = exportedWebsite
    expect((await runProcess('import', site.domain, path)).code).toBe(0)
    const statisticsBefore = await readStatistics(server, site, year)
    const refusedResult = await run('import', site.domain, path)
    expect(refusedResult.code).toBe(1)
    expect(refusedResult.stderr).toContain('twice.example.com already has traffic on 2026-02-01')
    expect(await readStatistics(server, site, year)).toEqual(statisticsBefore)
    expect((await run('import', site.domain, path, '--add')).code).toBe(0)
    const statisticsAfter = await readStatistics(server, site, year)
    for (const name of ['visitors', 'pageviews', 'visits', 'events'] as const) {
      expect(statisticsAfter.overview.totals[name]).toBe(2 * statisticsBefore.overview.totals[name])
    }
    expect(statisticsAfter.panels).toEqual(
      Object.fromEntries(
        Object.entries(statisticsBefore.panels).map(([name, rows]) => [
          name,
          rows.map(({ value, count }) => ({ value, count: 2 * count })),
        ]),
      ),
    )
  })

  it('never overwrite a file', async () => {
    const existingFileResult = await run('export', exportedWebsite.site.domain, exportedWebsite.path)
    expect(existingFileResult.code).toBe(1)
    expect(existingFileResult.stderr).toContain('exists. Choose another name, or add --force')
  })

  it('import nothing if one line is invalid, and name the line', async () => {
    const site = await registerWebsite('wrong.example.com', 'UTC')
    const validLines = '2026-01-04T10:00:00Z,view,1,/\n'.repeat(5_000)
    writeFileSync(getPath('wrong.csv'), `time,kind,visitor,page\n${validLines}2026-01-03T10:00:00Z,view,1,/\n`)
    const { code, stderr } = await run('import', site.domain, getPath('wrong.csv'))
    expect(stderr).toBe(
      'wrong.csv, line 5002: `time` must not be earlier than in the line before. Sort the file by time.\n',
    )
    expect(code).toBe(1)
    expect((await readStatistics(server, site, year)).overview.totals.pageviews).toBe(0)
    expect(await query(server.database.connection, 'select id from event_inbox')).toEqual([])
  })

  it('import a handwritten file in the time zone of the website', async () => {
    const site = await registerWebsite('by-hand.example.com', 'Asia/Kolkata')
    const lines = [
      'time,kind,visitor,page,country,referrer',
      '2026-01-04T23:59:59+05:30,view,1,/,IN,https://news.google.com/read?q=secret',
      '2026-01-04T18:30:00Z,view,1,https://by-hand.example.com/pricing,IN,',
      '2026-01-04T18:31:00Z,view,2,/pricing,,',
    ]
    writeFileSync(getPath('by-hand.csv'), `\ufeff${lines.join('\r\n')}`)
    expect(await run('import', site.domain, getPath('by-hand.csv'))).toMatchObject({ code: 0 })
    const { panels, series } = await readStatistics(server, site, { from: '2026-01-04', to: '2026-01-05' })
    expect(series['visitors']?.map(({ count }) => count)).toEqual([1, 2])
    expect(series['pageviews_hours']?.filter(({ count }) => count > 0)).toEqual([
      { value: '2026-01-04T23:00:00+05:30', count: 1 },
      { value: '2026-01-05T00:00:00+05:30', count: 2 },
    ])
    expect(panels.country).toEqual([{ value: 'IN', count: 2 }])
    expect(panels.source).toEqual([
      { value: 'Direct', count: 2 },
      { value: 'Google News', count: 1 },
    ])
    expect(panels.referrer).toEqual([{ value: 'news.google.com/read', count: 1 }])
    expect(panels.page).toEqual([
      { value: '/', count: 1 },
      { value: '/pricing', count: 2 },
    ])
    writeFileSync(getPath('one.csv'), 'time,kind,visitor,page\n2026-01-06T10:00:00Z,view,1,/\n')
    const singleEventResult = await run('import', site.domain, getPath('one.csv'))
    expect(singleEventResult.stdout).toBe('Imported 1 event into by-hand.example.com.\n')
  })

  it('fail if the website is deleted during the import', async () => {
    const site = await registerWebsite('deleted.example.com', 'UTC')
    const { config, db, rollup } = server.services
    const at = Date.parse('2026-01-05T10:00:00Z')
    const readEvents = async function* () {
      yield [{ websiteId: site.id, kind: 'view' as const, at, day: '2026-01-05', hour: 10, visitor: 1, page: '/' }]
      await query(server.database.connection, `delete from websites where id = ${site.id}`)
    }
    const result = importEvents(
      { db, rollup, config, clock: systemClock },
      { site, readEvents, mayAddToExistingDays: false },
    )
    await expect(result).rejects.toThrow('The website was deleted during the import. Nothing was imported.')
    expect(await query(server.database.connection, 'select id from event_inbox')).toEqual([])
    await expect(ensureWebsiteExists(db, site)).rejects.toThrow('The website was deleted during the import.')
  })

  it('count events that are too old to be stored, and warn about them', async () => {
    const site = await registerWebsite('long-ago.example.com', 'UTC')
    const days = [
      '2001-02-03',
      '2001-02-04',
      '2001-02-04',
      new Date(Date.now() - 86_400_000).toISOString().slice(0, 10),
    ]
    const lines = days.map((day) => `${day}T00:00:00Z,view,1,/\n`)
    writeFileSync(getPath('long-ago.csv'), `time,kind,visitor,page\n${lines.join('')}`)
    const { stdout, stderr } = await run('import', site.domain, getPath('long-ago.csv'))
    expect(stdout).toBe('Imported 4 events into long-ago.example.com.\n')
    expect(stderr).toContain('The events of 2 days are older than 400 days (BELFRY_EVENT_DAYS) and will not be stored')
    const { overview } = await readStatistics(server, site, { from: '2001-02-03', to: '2001-02-04' })
    expect(overview.totals.pageviews).toBe(3)
  })

  it.each([
    ['missing.csv', undefined, 'no such file or folder'],
    ['empty.csv', '', 'empty.csv is empty.'],
    ['other.csv', 'name;amount\n', "The first line of other.csv doesn't match an export from Belfry or Plausible."],
    ['typo.csv', 'time,kind,visitor,page,contry\n', 'typo.csv, line 1: unknown column "contry".'],
    ['double.csv', 'time,kind,visitor,page,page\n', 'double.csv, line 1: the column "page" occurs twice.'],
    ['broken.csv', Buffer.from([0x1f, 0x8b, 8, 0, 1]), 'broken.csv is damaged'],
  ])('import nothing from %s', async (name, content, message) => {
    if (content !== undefined) writeFileSync(getPath(name), content)
    const site = await registerWebsite('nothing.example.com', 'UTC')
    const { code, stderr } = await run('import', site.domain, getPath(name))
    expect(stderr).toContain(message)
    expect(code).toBe(1)
  })

  it.skipIf(!canRunAtTerminal)('show progress at a terminal', async () => {
    await registerWebsite('drawn.example.com', 'UTC')
    const { code, screen } = await runAtTerminal('traffic generate drawn.example.com --days 3', { env, answers: [] })
    expect(screen).toMatch(/Generating: █*░* \d+ %, [\d,]+ events/)
    expect(screen).toMatch(/Counting: █+░* \d+ %, [\d,]+ events/)
    expect(code).toBe(0)
  })

  it('change nothing when interrupted', async () => {
    const site = await registerWebsite('interrupted.example.com', 'UTC')
    const child = startCommand(['traffic', 'generate', site.domain, '--visitors', '1000000'], { env })
    const result = waitForResult(child)
    const isImporting = async () => {
      // Other work holds advisory locks too, so look for the key of this import.
      const sql = `select from pg_locks
         where locktype = 'advisory' and objsubid = 1 and granted
           and (classid::bigint << 32) | objid::bigint = hashtextextended('traffic import ' || ${site.id}, 0)`
      return (await query(server.database.connection, sql)).length > 0
    }
    await vi.waitUntil(isImporting, { timeout: 20_000, interval: 20 })
    const secondResult = await run('generate', site.domain)
    expect(secondResult.stderr).toContain('Another import into interrupted.example.com is running.')
    child.kill('SIGINT')
    expect(await result).toEqual({ code: 130, stdout: '', stderr: 'Interrupted. Nothing was changed.\n' })
    expect(await query(server.database.connection, 'select id from event_inbox')).toEqual([])
    expect((await run('generate', site.domain, '--days', '1', '--visitors', '10')).code).toBe(0)
  })
})

/**
 * Events whose texts are hard to export as CSV: with commas, quotes, line breaks, emoji, and spreadsheet formulas. The engagement
 * event belongs to no visit, because its visitor has viewed no page.
 */
function createOddEvents(websiteId: number, at: number) {
  const day = new Date(at).toISOString().slice(0, 10)
  const base = { websiteId, day, hour: 9, visitor: 5 }
  return [
    {
      ...base,
      kind: 'custom' as const,
      at,
      page: '/?q=a,b"c"',
      name: '=HYPERLINK("http://example.com")',
      props: JSON.stringify({ url: '/a,b', text: 'two\nlines “and” more' }),
      source: "'-Ünïcode 🎈",
      campaign: '+49 30\t1,5',
      referrer: '@example',
    },
    { ...base, kind: 'view' as const, at: at + 1, page: "/'quoted'", props: '{"a":1}' },
    { ...base, kind: 'engagement' as const, at: at + 2, visitor: 6, page: '/', engagedMs: 5 },
  ]
}

const removeVisitorNumbers = (csv: string) => csv.split('\n').map((line) => line.replace(/,(\d*),(\d*),/, ','))
