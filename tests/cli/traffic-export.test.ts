import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import { generateDemoEvents } from '../../src/traffic/demo/generate.ts'
import { importEvents } from '../../src/traffic/import-export/import-events.ts'
import type { StatisticsSite } from '../../src/traffic/stats/statistics.ts'
import { packIntoBlocks } from '../support/packed-days.ts'
import { february, readStatistics, useTrafficCommands } from './traffic-support.ts'

describe('traffic export, and import of an export', () => {
  const { getPath, getServer, registerWebsite, run, runProcess } = useTrafficCommands()
  /** A website with demo traffic on 2026-02-01 and the two days after, and its export. */
  let exportedWebsite: { site: StatisticsSite; path: string }

  beforeAll(async () => {
    const site = await registerWebsite('exported.example.com', 'Asia/Kolkata')
    await importDemo(site, '2026-02-01', '2026-02-03')
    exportedWebsite = { site, path: getPath('exported.csv.gz') }
    expect((await run('export', site.domain, exportedWebsite.path)).code).toBe(0)
  })

  /** Imports demo traffic and a few unusual events. Returns how many events there are. */
  async function importDemo(site: StatisticsSite, first: string, last: string): Promise<number> {
    const [from, to] = [Date.parse(`${first}T00:00:00Z`), Date.parse(`${last}T00:00:00Z`)]
    const { id: websiteId, domain, timeZone } = site
    const events = [
      ...generateDemoEvents({ websiteId, domain, timeZone, from, to, visitorsPerDay: 25, seed: 7 }),
      ...createOddEvents(websiteId, to),
    ]
    const { config, db, rollup } = getServer().services
    await importEvents(
      { db, rollup, config, clock: systemClock },
      { site, readEvents: () => [events], mayAddToExistingDays: false },
    )
    return events.length
  }

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
    const range = { from: shiftDay(first, -10), to: shiftDay(last, 10) }
    const originalStatistics = await readStatistics(getServer(), original, range)
    expect(await readStatistics(getServer(), copy, range)).toEqual(originalStatistics)
    expect(originalStatistics.overview.totals.pageviews).toBeGreaterThan(100)
    expect(originalStatistics.panels.event?.length).toBeGreaterThan(3)
    expect(originalStatistics.panels.hostname).toMatchObject([
      { value: original.domain },
      { value: `www.${original.domain}` },
    ])

    // The export of the copy differs only in the numbers that identify visitors and visits.
    expect((await run('export', copy.domain, getPath(`${name}-copy.csv.gz`))).code).toBe(0)
    const [firstExport, secondExport] = [`${name}.csv.gz`, `${name}-copy.csv.gz`].map((file) =>
      gunzipSync(readFileSync(getPath(file))).toString(),
    )
    expect(removeVisitorNumbers(secondExport ?? '')).toEqual(removeVisitorNumbers(firstExport ?? ''))
  })

  it('export only the selected days, and to standard output the same text as to a file', async () => {
    const words = ['export', exportedWebsite.site.domain, '--from', '2026-02-02', '--to', '2026-02-02']
    const { stdout, stderr } = await runProcess(...words, '-')
    expect((await run(...words, getPath('one-day.csv.gz'))).code).toBe(0)
    expect(stdout).toBe(gunzipSync(readFileSync(getPath('one-day.csv.gz'))).toString())
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
    expect((await run('import', site.domain, path)).code).toBe(0)
    const statisticsBefore = await readStatistics(getServer(), site, february)
    const refusedResult = await run('import', site.domain, path)
    expect(refusedResult.code).toBe(1)
    expect(refusedResult.stderr).toContain('twice.example.com already has traffic on 2026-02-01')
    expect(await readStatistics(getServer(), site, february)).toEqual(statisticsBefore)
    expect((await run('import', site.domain, path, '--add')).code).toBe(0)
    const statisticsAfter = await readStatistics(getServer(), site, february)
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

  it('do not change after the days are packed', async () => {
    const path = getPath('blocks.csv')
    const [original, copy] = [
      await registerWebsite('blocks.example.com', 'Asia/Kolkata'),
      await registerWebsite('blocks.example.org', 'Asia/Kolkata'),
    ]
    const count = await importDemo(original, '2026-02-01', '2026-02-04')
    const range = { from: '2026-01-20', to: '2026-02-20' }
    const statistics = await readStatistics(getServer(), original, range)
    const exportLines = async (...words: string[]) => {
      expect((await run('export', original.domain, path, '--force', ...words)).code).toBe(0)
      return readFileSync(path, 'utf8').trimEnd().split('\n')
    }
    const partOptions = ['--from', '2026-02-02', '--to', '2026-02-03']
    const part = await exportLines(...partOptions)
    const lines = await exportLines()
    expect(lines.length).toBeGreaterThan(count)

    for (const keepsRows of [true, false]) {
      const { db } = getServer().services
      await packIntoBlocks({ ...getServer().services, clock: systemClock }, original.id, { keepsRows })
      const [visit] = await db.query('select from visits where website_id = $1 limit 1', [original.id])
      expect(visit !== undefined).toBe(keepsRows)
      expect(sortByTime(await exportLines(...partOptions))).toEqual(sortByTime(part))
      expect(sortByTime(await exportLines())).toEqual(sortByTime(lines))
    }
    await run('import', copy.domain, path)
    expect(await readStatistics(getServer(), copy, range)).toEqual(statistics)
  })
})

/**
 * Creates events whose texts are hard to export as CSV: with commas, quotes, line breaks, emoji, and spreadsheet
 * formulas. The engagement event belongs to no visit, because its visitor has viewed no page.
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

/** Only the events of a visitor have a fixed order within a millisecond. */
function sortByTime(lines: readonly string[]): string[] {
  const times = lines.map((line) => line.slice(0, 24))
  expect(times.slice(1)).toEqual(times.slice(1).toSorted())
  const toKey = (line: string) => [line.slice(0, 24), line.split(',')[2]].join()
  return lines.toSorted((one, other) => (toKey(one) < toKey(other) ? -1 : Number(toKey(one) > toKey(other))))
}

const shiftDay = (day: string, days: number) => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

const removeVisitorNumbers = (csv: string) => csv.split('\n').map((line) => line.replace(/,(\d*),(\d*),/, ','))
