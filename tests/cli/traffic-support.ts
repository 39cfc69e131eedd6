/** Registers websites and reads their statistics. */
import { type PanelName, panelNames, type StatisticsRow, seriesNames } from '../../src/traffic/stats/schema.ts'
import type { DateRange, StatisticsSite } from '../../src/traffic/stats/statistics.ts'
import type { TestServer } from '../support/server.ts'

export type RegisterWebsite = (domain: string, timeZone: string) => Promise<StatisticsSite>

/** Returns a function that registers a website, or returns the website if it is registered already. */
export async function createWebsiteRegistrar(server: TestServer): Promise<RegisterWebsite> {
  const owner = await server.createUser('owner')
  const sites = new Map<string, StatisticsSite>()
  return async (domain, timeZone) => {
    const existing = sites.get(domain)
    if (existing !== undefined) return existing
    const { body } = await owner.session.post('/api/v1/websites', { domain, time_zone: timeZone })
    const site = { id: body.data.id, userId: owner.id, domain, timeZone }
    sites.set(domain, site)
    return site
  }
}

/** Reads all panels, series and totals of a website. */
export async function readStatistics({ services: { statistics } }: TestServer, site: StatisticsSite, range: DateRange) {
  const reader = { kind: 'server' as const }
  const { totals } = await statistics.overview(reader, site, { ...range, interval: 'day', filters: [] })
  const panels: Partial<Record<PanelName, StatisticsRow[]>> = {}
  const allRows = { search: '', sortBy: 'value' as const, direction: 'asc' as const, limit: 1_000_000, offset: 0 }
  for (const name of panelNames) {
    panels[name] = (await statistics.panel(reader, site, { ...range, ...allRows, name, filters: [] })).rows
  }
  const series: Record<string, StatisticsRow[]> = {}
  for (const name of seriesNames) series[name] = await statistics.series(reader, site, { ...range, name, filters: [] })
  return { overview: { totals }, panels, series }
}
