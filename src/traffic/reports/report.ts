/** What a weekly report tells, gathered from the statistics and the monitors of a website. */
import { domainToUnicode } from 'node:url'
import { listDays } from '../../lib/local-day.ts'
import type { Database } from '../../storage/database.ts'
import type { Overview, StatisticsRow, Totals } from '../stats/schema.ts'
import type { Site, Statistics } from '../stats/statistics.ts'
import { hasTraffic } from './store.ts'
import { type MonitorWeek, readUptime } from './uptime.ts'
import { sundayOf, windowOfWeek } from './week.ts'

const ROWS_SHOWN = 5

export interface Report {
  websiteId: number
  /** As the network knows it, and as people do. */
  domain: string
  name: string
  /** Its Monday. */
  week: string
  /** As somebody says it who reads the report now. */
  when: string
  totals: Totals
  previous: Totals
  /** From Monday to Sunday. */
  days: { day: string; visitors: number }[]
  pages: StatisticsRow[]
  sources: StatisticsRow[]
  /** Nothing was ever counted. */
  isNew: boolean
  monitors: MonitorWeek[]
}

export interface ReportNeeds {
  db: Database
  statistics: Pick<Statistics, 'overview'>
}

export async function gatherReport({ db, statistics }: ReportNeeds, site: Site, week: string): Promise<Report> {
  const range = { from: week, to: sundayOf(week) }
  const overview = await statistics.overview({ kind: 'server' }, site, { ...range, compare: true, filters: [] })
  const monitors = await readUptime(db, site, windowOfWeek(site.timeZone, week))
  const isNew = overview.totals.visits === 0 && !(await hasTraffic(db, site.id))
  return reportOf(site, week, { overview, monitors, isNew })
}

interface Facts {
  overview: Overview
  monitors: MonitorWeek[]
  isNew: boolean
}

export function reportOf({ id, domain }: Site, week: string, { overview, monitors, isNew }: Facts): Report {
  const { totals, previous, series, panels } = overview
  const visitors = new Map(series.visitors.map(({ value, count }) => [value, count]))
  return {
    websiteId: id,
    domain,
    name: domainToUnicode(domain) || domain,
    week,
    when: 'last week',
    totals,
    previous: previous?.totals ?? nothing,
    days: listDays(week, sundayOf(week)).map((day) => ({ day, visitors: visitors.get(day) ?? 0 })),
    pages: panels.page.slice(0, ROWS_SHOWN),
    sources: panels.source.slice(0, ROWS_SHOWN),
    isNew,
    monitors,
  }
}

const nothing: Totals = { visitors: 0, pageviews: 0, visits: 0, events: 0, bounce_rate: null, visit_duration: null }
