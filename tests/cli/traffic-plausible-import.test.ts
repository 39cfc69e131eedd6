import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import type { StatisticsSite } from '../../src/traffic/stats/statistics.ts'
import { createZip } from '../support/zip.ts'
import { exportedTables, february, readStatistics, readTotals, useTrafficCommands, year } from './traffic-support.ts'

const getFileName = (table: string) => `imported_${table}_20260209_20260210.csv`
const exportedFiles = Object.entries(exportedTables).map(([table, text]) => ({ name: getFileName(table), text }))

describe("Plausible's files", () => {
  const { getPath, getServer, registerWebsite, run } = useTrafficCommands()

  const writeFolder = (name: string, files: { name: string; text: string }[]) => {
    mkdirSync(getPath(name))
    for (const { name: fileName, text } of files) writeFileSync(join(getPath(name), fileName), text)
    return getPath(name)
  }

  async function importPlausibleExport(domain: string): Promise<{ site: StatisticsSite; zip: string }> {
    const site = await registerWebsite(domain, 'Europe/Berlin')
    const zip = getPath(`${domain}.zip`)
    writeFileSync(zip, createZip(exportedFiles))
    const importResult = await run('import', domain, zip)
    expect(importResult).toMatchObject({ code: 0, stdout: `Imported 2 days from Plausible into ${domain}.\n` })
    return { site, zip }
  }

  it('are imported from the ZIP file of an export', async () => {
    const { site } = await importPlausibleExport('zip.example.com')
    const { overview, panels, series } = await readStatistics(getServer(), site, {
      from: '2026-02-09',
      to: '2026-02-10',
    })
    expect(overview.totals).toEqual({
      visitors: 5,
      pageviews: 11,
      visits: 6,
      events: 4,
      bounce_rate: 50,
      visit_duration: 35,
      views_per_visit: 1.8,
    })
    expect(series['visitors']?.map(({ count }) => count)).toEqual([3, 2])
    const panelCounts = Object.entries(panels).map(([name, rows]) => [
      name,
      Object.fromEntries(rows.map(({ value, count }) => [value, count])),
    ])
    expect(Object.fromEntries(panelCounts)).toEqual({
      page: { '/': 8, '/a "b", c': 3 },
      landing_page: { '/': 5 },
      exit_page: { '/pricing': 3 },
      referrer: { 'github.com/example/one': 1, 'github.com/example/two': 1, 'google.com': 2 },
      source: { Direct: 1, GitHub: 2, Google: 2 },
      campaign: { 'spring, again': 1 },
      continent: { Europe: 4 },
      country: { FR: 2, DE: 2 },
      region: { 'FR-PAC': 1, 'DE-BW': 2 },
      city: {},
      language: {},
      browser: { Chrome: 2, Edge: 1 },
      os: { macOS: 3, 'GNU/Linux': 2 },
      device: { mobile: 1, desktop: 2 },
      resolution: {},
      event: { 'Outbound Link: Click': 3, '404': 1 },
      hostname: { 'example.com': 5 },
    })
  })

  it('divide the visitors of a day among its hosts, and skip names that are not hosts', async () => {
    const site = await registerWebsite('hosts.example.com', 'UTC')
    const pages = `"date","hostname","page","visits","visitors","pageviews"
"2026-02-09","WWW.example.com","/",6,6,9
"2026-02-09","www.example.com","/a",2,2,2
"2026-02-09","shop.example.com","/",4,4,4
"2026-02-09","(none)/","/",1,1,1
"2026-02-10","","/",2,2,2
`
    const files = [
      { name: getFileName('pages'), text: pages },
      { name: getFileName('visitors'), text: exportedTables.visitors },
    ]
    expect((await run('import', site.domain, writeFolder('hosts', files))).code).toBe(0)
    const { panels } = await readStatistics(getServer(), site, { from: '2026-02-09', to: '2026-02-10' })
    expect(panels.hostname).toEqual([
      { value: 'shop.example.com', count: 1 },
      { value: 'www.example.com', count: 2 },
    ])
    expect(panels.page).toEqual([
      { value: '/', count: 16 },
      { value: '/a', count: 2 },
    ])
    const [row] = await getServer().services.db.query<{ count: number }>(
      'select count(*) as count from traffic_days where website_id = $1 and visit_slots is null',
      [site.id],
    )
    expect(row).toEqual({ count: 0 })
  })

  it('are not counted twice, except with --add, whether the days are packed or not', async () => {
    const { site, zip } = await importPlausibleExport('twice.example.com')
    const refusedResult = await run('import', site.domain, zip)
    expect(refusedResult.code).toBe(1)
    expect(refusedResult.stderr).toBe(
      'twice.example.com already has traffic on 2026-02-09 and 1 more of these days, which would be counted twice. ' +
        'Nothing was imported. To add to it anyway, use --add.\n',
    )
    const statisticsBefore = await readStatistics(getServer(), site, february)
    await packDays({ ...getServer().services, clock: systemClock })
    expect(await readStatistics(getServer(), site, february)).toEqual(statisticsBefore)
    expect((await run('import', site.domain, zip, '--add')).code).toBe(0)
    const statisticsAfter = await readStatistics(getServer(), site, february)
    expect(statisticsAfter.overview.totals.visitors).toBe(10)
    expect(statisticsAfter.panels.event?.map(({ count }) => count)).toEqual(
      statisticsBefore.panels.event?.map(({ count }) => 2 * count),
    )
    await packDays({ ...getServer().services, clock: systemClock })
    expect(await readStatistics(getServer(), site, february)).toEqual(statisticsAfter)
  })

  it.each([
    [
      'no visitors file',
      exportedFiles.filter(({ name }) => !name.includes('visitors')),
      'The file imported_visitors_….csv, which has the number of visitors, is missing.',
    ],
    [
      'an invalid number',
      exportedFiles.map(({ name, text }) => ({ name, text: text.replace('"/pricing",3', '"/pricing",three') })),
      `${getFileName('exit_pages')}, line 2: \`visitors\` must be a whole number from 0 to 1000000000.`,
    ],
    [
      'an invalid date',
      exportedFiles.map(({ name, text }) => ({ name, text: text.replace('2026-02-10","404"', '2026-02-30","404"') })),
      `${getFileName('custom_events')}, line 4: \`date\` must be a day such as 2026-01-05.`,
    ],
    [
      'a date before 1970',
      exportedFiles.map(({ name, text }) => ({ name, text: text.replaceAll('2026-02-09', '0000-01-01') })),
      'line 2: `date` must not be before 1970-01-01.',
    ],
    [
      'a date in the future',
      exportedFiles.map(({ name, text }) => ({ name, text: text.replaceAll('2026-02-10', '2999-01-01') })),
      'line 5: `date` must not be in the future.',
    ],
    [
      'the same table twice',
      [...exportedFiles, { name: 'more.csv', text: exportedTables.devices }],
      'contain the same Plausible table',
    ],
    [
      'an export of Belfry',
      [...exportedFiles, { name: 'events.csv', text: 'time,kind,visitor,page\n' }],
      'Import it separately.',
    ],
    ['no files', [], 'There is no CSV file in'],
  ])('are rejected with %s, and change nothing', async (problem, files, message) => {
    const site = await registerWebsite('refused.example.com', 'UTC')
    const { code, stderr } = await run('import', site.domain, writeFolder(problem, files))
    expect(stderr).toContain(message)
    expect(code).toBe(1)
    expect((await readTotals(getServer(), site, year)).visitors).toBe(0)
  })
})
