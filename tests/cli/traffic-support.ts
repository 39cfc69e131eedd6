/** Runs traffic commands, registers websites, reads their statistics, and has an example of an export by Plausible. */
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { DateRange } from '../../src/traffic/stats/figures.ts'
import { type PanelName, panelNames, type StatisticsRow, seriesNames } from '../../src/traffic/stats/schema.ts'
import type { StatisticsSite } from '../../src/traffic/stats/statistics.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { belfry, belfryProcess, createTempFolder, type Env, type TempFolder, toConnectionUrl } from './support.ts'

export const year = { from: '2026-01-01', to: '2026-12-31' }
export const february = { from: '2026-02-01', to: '2026-02-28' }

/** The tables of an export by Plausible, for two days of a small website. Texts are quoted, numbers are not. */
export const exportedTables = {
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

/** Starts a server and creates a folder for the tests of a group, which run traffic commands on the server's database. */
export function useTrafficCommands() {
  let server: TestServer
  let folder: TempFolder
  let registerWebsite: RegisterWebsite
  beforeAll(async () => {
    server = await startTestServer()
    folder = createTempFolder()
    registerWebsite = await createWebsiteRegistrar(server)
  })
  afterAll(async () => {
    await server?.close()
    await folder?.remove()
  })
  const getEnv = (): Env => ({ DATABASE_URL: toConnectionUrl(server.database.connection) })
  return {
    getServer: () => server,
    getEnv,
    /** Returns the path of a file in the folder. */
    getPath: (name: string) => join(folder.path, name),
    registerWebsite: (domain: string, timeZone: string) => registerWebsite(domain, timeZone),
    /** `words` follow `traffic` on the command line. */
    run: (...words: string[]) => belfry(['traffic', ...words], { env: getEnv() }),
    runProcess: (...words: string[]) => belfryProcess(['traffic', ...words], { env: getEnv() }),
  }
}

type RegisterWebsite = (domain: string, timeZone: string) => Promise<StatisticsSite>

/** Returns a function that registers a website, or returns the website if it is registered already. */
async function createWebsiteRegistrar(server: TestServer): Promise<RegisterWebsite> {
  const owner = await server.createUser('owner')
  const sites = new Map<string, StatisticsSite>()
  return async (domain, timeZone) => {
    const existingSite = sites.get(domain)
    if (existingSite !== undefined) return existingSite
    const { body } = await owner.session.post('/api/v1/websites', { domain, time_zone: timeZone })
    const site = { id: body.data.id, teamId: owner.id, domain, timeZone }
    sites.set(domain, site)
    return site
  }
}

const reader = { kind: 'server' as const }

export async function readTotals({ services: { statistics } }: TestServer, site: StatisticsSite, range: DateRange) {
  return (await statistics.overview(reader, site, { ...range, interval: 'day', filters: [] })).totals
}

/** Reads all panels, series and totals of a website. */
export async function readStatistics(server: TestServer, site: StatisticsSite, range: DateRange) {
  const { statistics } = server.services
  const totals = await readTotals(server, site, range)
  const panels: Partial<Record<PanelName, StatisticsRow[]>> = {}
  const allRows = {
    search: '',
    hasDetails: false,
    sortBy: 'value' as const,
    direction: 'asc' as const,
    limit: 1_000_000,
    offset: 0,
  }
  for (const name of panelNames) {
    panels[name] = (await statistics.panel(reader, site, { ...range, ...allRows, name, filters: [] })).rows
  }
  const series: Record<string, StatisticsRow[]> = {}
  for (const name of seriesNames) series[name] = await statistics.series(reader, site, { ...range, name, filters: [] })
  return { overview: { totals }, panels, series }
}
