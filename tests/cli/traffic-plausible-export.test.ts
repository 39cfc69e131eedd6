import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { generateDemoEvents } from '../../src/traffic/demo/generate.ts'
import { importEvents } from '../../src/traffic/import-export/import-events.ts'
import type { StatisticsSite } from '../../src/traffic/stats/statistics.ts'
import { packIntoBlocks } from '../support/packed-days.ts'
import { exportedTables, readStatistics, useTrafficCommands } from './traffic-support.ts'

describe("Plausible's files", () => {
  const { getPath, getServer, registerWebsite, run, runProcess } = useTrafficCommands()
  const range = { from: '2026-03-15', to: '2026-04-15' }
  /** A website with five days of demo traffic. Tests only read it. */
  let original: StatisticsSite

  beforeAll(async () => {
    original = await importDemo('original.example.com')
  })

  async function importDemo(domain: string, first = '2026-03-27T00:00+01:00'): Promise<StatisticsSite> {
    const timeZone = 'Europe/Berlin'
    const site = await registerWebsite(domain, timeZone)
    const times = { from: Date.parse(first), to: Date.parse('2026-04-01T00:00+02:00') }
    const readEvents = () => [
      [...generateDemoEvents({ websiteId: site.id, domain, timeZone, ...times, visitorsPerDay: 50, seed: 3 })],
    ]
    const { config, db, rollup } = getServer().services
    await importEvents({ db, rollup, config, clock: systemClock }, { site, readEvents, mayAddToExistingDays: false })
    return site
  }

  /**
   * The panels that have the same counts after export and import. `referrer` is not among them: the export counts a visitor
   * once per source and day, so if the visitor had two referrers of that source, only the first is counted.
   */
  const exactPanels = [
    'page',
    'landing_page',
    'exit_page',
    'source',
    'country',
    'region',
    'browser',
    'os',
    'device',
    'event',
  ] as const

  it('do not change after the days are packed', async () => {
    const site = await importDemo('blocks.example.com', '2026-03-29T00:00+01:00')
    const exportFiles = async (name: string) => {
      const path = getPath(name)
      expect((await run('export', site.domain, path, '--format', 'plausible')).code).toBe(0)
      return Object.fromEntries(readdirSync(path).map((file) => [file, readFileSync(join(path, file), 'utf8')]))
    }
    const files = await exportFiles('unpacked')
    for (const keepsRows of [true, false]) {
      await packIntoBlocks({ ...getServer().services, clock: systemClock }, site.id, { keepsRows })
      expect(await exportFiles(keepsRows ? 'packed-with-rows' : 'packed')).toEqual(files)
    }
  })

  it('are exported with the same totals', async () => {
    const copy = await registerWebsite('other.example.com', 'Europe/Berlin')

    const exportResult = await run('export', original.domain, getPath('written'), '--format', 'plausible')
    expect(exportResult.code).toBe(0)
    expect(readdirSync(getPath('written')).sort()).toEqual(
      Object.keys(exportedTables)
        .map((table) => `imported_${table}_20260327_20260331.csv`)
        .sort(),
    )
    for (const [table, text] of Object.entries(exportedTables)) {
      const exportedText = readFileSync(join(getPath('written'), `imported_${table}_20260327_20260331.csv`), 'utf8')
      const header = text
        .split('\n', 1)[0]
        ?.replaceAll('"', '')
        .replace(/,total_.*/, '')
      expect(exportedText.split('\n', 1)[0]).toBe(header)
      expect(exportedText.split('\n').length).toBeGreaterThan(5)
    }
    const importResult = await run('import', copy.domain, getPath('written'))
    expect(importResult.code).toBe(0)
    const readRowCount = ({ stderr }: { stderr: string }) => /: ([\d,]+) rows/.exec(stderr)?.[1]
    expect(readRowCount(exportResult)).toMatch(/\d/)
    expect(readRowCount(importResult)).toBe(readRowCount(exportResult))
    const originalStatistics = await readStatistics(getServer(), original, range)
    const importedStatistics = await readStatistics(getServer(), copy, range)
    expect(importedStatistics.overview).toEqual(originalStatistics.overview)
    for (const name of exactPanels)
      expect({ [name]: importedStatistics.panels[name] }).toEqual({ [name]: originalStatistics.panels[name] })
    for (const name of ['visitors', 'pageviews'])
      expect(importedStatistics.series[name]).toEqual(originalStatistics.series[name])
    const sumCounts = (rows: { count: number }[] = []) => rows.reduce((sum, { count }) => sum + count, 0)
    // Plausible's files have the visitors of a host only by page, so their number is an estimate.
    expect(importedStatistics.panels.hostname?.map(({ value }) => value)).toEqual([
      original.domain,
      `www.${original.domain}`,
    ])
    expect(sumCounts(importedStatistics.panels.hostname)).toBe(originalStatistics.overview.totals.visitors)
    for (const [index, { count }] of (originalStatistics.panels.hostname ?? []).entries()) {
      expect(Math.abs((importedStatistics.panels.hostname?.[index]?.count ?? 0) - count)).toBeLessThan(0.25 * count)
    }
    expect(sumCounts(importedStatistics.panels.referrer)).toBeGreaterThan(
      0.95 * sumCounts(originalStatistics.panels.referrer),
    )
  })

  it('are exported for days for which only totals are stored', async () => {
    const copy = await registerWebsite('copy.example.com', 'Europe/Berlin')
    const secondCopy = await registerWebsite('third.example.com', 'UTC')
    const copyTraffic = async (from: string, to: string) => {
      const path = getPath(`from-${from}`)
      expect((await run('export', from, path, '--format', 'plausible')).code).toBe(0)
      expect((await run('import', to, path)).code).toBe(0)
    }
    await copyTraffic(original.domain, copy.domain)
    await copyTraffic(copy.domain, secondCopy.domain)
    const originalStatistics = await readStatistics(getServer(), copy, range)
    const importedStatistics = await readStatistics(getServer(), secondCopy, range)
    expect(importedStatistics.overview).toEqual(originalStatistics.overview)
    for (const name of exactPanels.filter((name) => name !== 'region'))
      expect(importedStatistics.panels[name]).toEqual(originalStatistics.panels[name])
    const eventExportResult = await runProcess('export', copy.domain)
    expect(eventExportResult.stdout.split('\n').length).toBe(2)
    expect(eventExportResult.stderr).toMatch(/[\d,]+ page views and events are stored only as totals/)
  })

  it('are never written into an existing folder', async () => {
    const { domain } = original
    mkdirSync(getPath('existing'))
    const existingFolderResult = await run('export', domain, getPath('existing'), '--format', 'plausible')
    expect(existingFolderResult.code).toBe(1)
    expect(existingFolderResult.stderr).toContain('exists. Choose another name.')
    const emptyRangeResult = await run('export', domain, getPath('none'), '--format', 'plausible', '--to', '2020-01-01')
    expect(emptyRangeResult.stderr).toContain(
      'original.example.com has no traffic on these days. Nothing was exported.',
    )
    expect(readdirSync(getPath('')).filter((name) => name.startsWith('.') || name === 'none')).toEqual([])
  })
})
