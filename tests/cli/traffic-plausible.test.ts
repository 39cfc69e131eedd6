import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { generateDemoEvents } from '../../src/traffic/demo/generate.ts'
import { importEvents } from '../../src/traffic/import-export/import-events.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import type { StatisticsSite } from '../../src/traffic/stats/statistics.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { createZip } from '../support/zip.ts'
import { belfry, belfryProcess, createTempFolder, type Env, type TempFolder, toConnectionUrl } from './support.ts'
import { createWebsiteRegistrar, type RegisterWebsite, readStatistics } from './traffic-support.ts'

const year = { from: '2026-01-01', to: '2026-12-31' }

/** The tables of an export by Plausible, for two days of a small website. Texts are quoted, numbers are not. */
const exportedTables = {
  visitors: `"date","visitors","pageviews","bounces","visits","visit_duration"
"2026-02-09",3,9,1,4,210
"2026-02-10",2,2,2,2,0
`,
  sources: `"date","source","referrer","utm_source","utm_medium","utm_campaign","utm_content","utm_term","pageviews","visitors","visits","visit_duration","bounces"
"2026-02-09","","","","","","","",3,1,1,0,0
"2026-02-09","GitHub","github.com/example/one","","","","","",2,1,1,19,0
"2026-02-09","GitHub","github.com/example/two","news","email","spring, again","","",2,1,2,11,1
"2026-02-10","Google","google.com","","","","","",2,2,2,0,2
`,
  pages: `"date","hostname","page","visits","visitors","pageviews","total_scroll_depth","total_scroll_depth_visits"
"2026-02-09","example.com","/",3,3,6,10,2
"2026-02-09","example.com","/a ""b"", c",1,1,3,0,0
"2026-02-10","example.com","/",2,2,2,0,0
`,
  entry_pages: `"date","entry_page","visitors","entrances","visit_duration","bounces","pageviews"
"2026-02-09","/",3,4,210,1,9
"2026-02-10","/",2,2,0,2,2
`,
  exit_pages: `"date","exit_page","visitors","visit_duration","exits","bounces","pageviews"
"2026-02-09","/pricing",3,210,4,1,9
`,
  locations: `"date","country","region","city","visitors","visits","visit_duration","bounces","pageviews"
"2026-02-09","FR","FR-PAC",3027647,1,1,4,0,2
"2026-02-09","FR","",0,1,1,0,1,1
"2026-02-09","","",0,1,1,0,1,1
"2026-02-10","DE","DE-BW",2929831,2,2,0,2,2
`,
  devices: `"date","device","visitors","visits","visit_duration","bounces","pageviews"
"2026-02-09","Mobile",1,1,140,0,2
"2026-02-09","Laptop",1,2,35,1,5
"2026-02-09","Desktop",1,1,35,0,2
`,
  browsers: `"date","browser","browser_version","visitors","visits","visit_duration","bounces","pageviews"
"2026-02-09","Chrome","109.0",1,1,66,0,3
"2026-02-09","Chrome","108.0",1,1,47,0,3
"2026-02-09","Microsoft Edge","111.0",1,2,97,1,3
"2026-02-10","","",2,2,0,2,2
`,
  operating_systems: `"date","operating_system","operating_system_version","visitors","visits","visit_duration","bounces","pageviews"
"2026-02-09","Mac","10.14",3,4,210,1,9
"2026-02-10","GNU/Linux","",2,2,0,2,2
`,
  custom_events: `"date","name","link_url","path","visitors","events"
"2026-02-09","Outbound Link: Click","https://one.example.com/","",1,1
"2026-02-09","Outbound Link: Click","https://two.example.com/","",1,2
"2026-02-10","404","","/no-such-page",1,1
`,
}

const getFileName = (table: string) => `imported_${table}_20260209_20260210.csv`
const exportedFiles = Object.entries(exportedTables).map(([table, text]) => ({ name: getFileName(table), text }))

describe("Plausible's files", () => {
  let server: TestServer
  let folder: TempFolder
  let env: Env
  let registerWebsite: RegisterWebsite

  beforeAll(async () => {
    server = await startTestServer()
    folder = createTempFolder()
    env = { DATABASE_URL: toConnectionUrl(server.database.connection) }
    registerWebsite = await createWebsiteRegistrar(server)
  })
  afterAll(async () => {
    await server.close()
    await folder.remove()
  })

  const run = (...words: string[]) => belfry(['traffic', ...words], { env })
  const getPath = (name: string) => join(folder.path, name)
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

  /** Imports five days of demo traffic. */
  async function importDemo(domain: string): Promise<StatisticsSite> {
    const timeZone = 'Europe/Berlin'
    const site = await registerWebsite(domain, timeZone)
    const range = { from: Date.parse('2026-03-27T00:00+01:00'), to: Date.parse('2026-04-01T00:00+02:00') }
    const readEvents = () => [
      [...generateDemoEvents({ websiteId: site.id, timeZone, ...range, visitorsPerDay: 100, seed: 3 })],
    ]
    const { config, db, rollup } = server.services
    await importEvents({ db, rollup, config, clock: systemClock }, { site, readEvents, mayAddToExistingDays: false })
    return site
  }

  it('are imported from the ZIP file of an export', async () => {
    const { site } = await importPlausibleExport('zip.example.com')
    const { overview, panels, series } = await readStatistics(server, site, { from: '2026-02-09', to: '2026-02-10' })
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
    })
  })

  it('are not counted twice, except with --add, whether the days are packed or not', async () => {
    const { site, zip } = await importPlausibleExport('twice.example.com')
    const refusedResult = await run('import', site.domain, zip)
    expect(refusedResult.code).toBe(1)
    expect(refusedResult.stderr).toBe(
      'twice.example.com already has traffic on 2026-02-09 and 1 more of these days, which would be counted twice. ' +
        'Nothing was imported. To add to it anyway, use --add.\n',
    )
    const statisticsBefore = await readStatistics(server, site, year)
    await packDays({ db: server.services.db, clock: systemClock })
    expect(await readStatistics(server, site, year)).toEqual(statisticsBefore)
    expect((await run('import', site.domain, zip, '--add')).code).toBe(0)
    const statisticsAfter = await readStatistics(server, site, year)
    expect(statisticsAfter.overview.totals.visitors).toBe(10)
    expect(statisticsAfter.panels.event?.map(({ count }) => count)).toEqual(
      statisticsBefore.panels.event?.map(({ count }) => 2 * count),
    )
    await packDays({ db: server.services.db, clock: systemClock })
    expect(await readStatistics(server, site, year)).toEqual(statisticsAfter)
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
    expect((await readStatistics(server, site, year)).overview.totals.visitors).toBe(0)
  })

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

  it('are exported with the same totals', async () => {
    const original = await importDemo('one.example.com')
    const copy = await registerWebsite('other.example.com', 'Europe/Berlin')

    const exportResult = await run('export', original.domain, getPath('written'), '--format', 'plausible')
    expect(exportResult.code).toBe(0)
    expect(readdirSync(getPath('written')).sort()).toEqual(
      Object.keys(exportedTables)
        .map((table) => `imported_${table}_20260327_20260331.csv`)
        .sort(),
    )
    for (const [table, text] of Object.entries(exportedTables)) {
      const written = readFileSync(join(getPath('written'), `imported_${table}_20260327_20260331.csv`), 'utf8')
      const header = text
        .split('\n', 1)[0]
        ?.replaceAll('"', '')
        .replace(/,total_.*/, '')
      expect(written.split('\n', 1)[0]).toBe(header)
      expect(written.split('\n').length).toBeGreaterThan(5)
    }
    const importResult = await run('import', copy.domain, getPath('written'))
    expect(importResult.code).toBe(0)
    const readRowCount = ({ stderr }: { stderr: string }) => /: ([\d,]+) rows/.exec(stderr)?.[1]
    expect(readRowCount(exportResult)).toMatch(/\d/)
    expect(readRowCount(importResult)).toBe(readRowCount(exportResult))
    const before = await readStatistics(server, original, year)
    const after = await readStatistics(server, copy, year)
    expect(after.overview).toEqual(before.overview)
    for (const name of exactPanels) expect({ [name]: after.panels[name] }).toEqual({ [name]: before.panels[name] })
    for (const name of ['visitors', 'pageviews']) expect(after.series[name]).toEqual(before.series[name])
    const sumCounts = (rows: { count: number }[] = []) => rows.reduce((sum, { count }) => sum + count, 0)
    expect(sumCounts(after.panels.referrer)).toBeGreaterThan(0.95 * sumCounts(before.panels.referrer))
  })

  it('are exported for days for which only totals are stored', async () => {
    const source = await importDemo('source.example.com')
    const copy = await registerWebsite('copy.example.com', 'Europe/Berlin')
    const third = await registerWebsite('third.example.com', 'UTC')
    const copyTraffic = async (from: string, to: string) => {
      const path = getPath(`from-${from}`)
      expect((await run('export', from, path, '--format', 'plausible')).code).toBe(0)
      expect((await run('import', to, path)).code).toBe(0)
    }
    await copyTraffic(source.domain, copy.domain)
    await copyTraffic(copy.domain, third.domain)
    const before = await readStatistics(server, copy, year)
    const after = await readStatistics(server, third, year)
    expect(after.overview).toEqual(before.overview)
    for (const name of exactPanels.filter((name) => name !== 'region'))
      expect(after.panels[name]).toEqual(before.panels[name])
    const eventExportResult = await belfryProcess(['traffic', 'export', copy.domain], { env })
    expect(eventExportResult.stdout.split('\n').length).toBe(2)
    expect(eventExportResult.stderr).toMatch(/[\d,]+ page views and events are stored only as totals/)
  })

  it('are never written into an existing folder', async () => {
    const { domain } = await importDemo('unwritten.example.com')
    mkdirSync(getPath('existing'))
    const existingFolderResult = await run('export', domain, getPath('existing'), '--format', 'plausible')
    expect(existingFolderResult.code).toBe(1)
    expect(existingFolderResult.stderr).toContain('exists. Choose another name.')
    const emptyRangeResult = await run('export', domain, getPath('none'), '--format', 'plausible', '--to', '2020-01-01')
    expect(emptyRangeResult.stderr).toContain(
      'unwritten.example.com has no traffic on these days. Nothing was exported.',
    )
    expect(readdirSync(folder.path).filter((name) => name.startsWith('.') || name === 'none')).toEqual([])
  })
})
