/** The content of a weekly report, gathered from a website's statistics and monitors. */
import { domainToUnicode } from 'node:url'
import { findWebsiteById } from '../impact/history/website-store.ts'
import { type OutageSum, sumOutages } from '../impact/outages.ts'
import type { TimeWindow } from '../incidents/window.ts'
import { addMs, type Clock } from '../lib/clock.ts'
import { listDays } from '../lib/local-day.ts'
import type { Database } from '../storage/database.ts'
import type { StatisticsOverview, StatisticsRow, StatisticsTotals } from '../traffic/stats/schema.ts'
import type { Statistics, StatisticsSite } from '../traffic/stats/statistics.ts'
import { hasTraffic } from './store.ts'
import { type MonitorUptime, readUptime } from './uptime.ts'
import { findSunday, toWeekWindow } from './week.ts'

const MAX_RANKED_ROWS = 5

export interface Report {
  websiteId: number
  /** The domain in ASCII (Punycode). */
  domain: string
  /** The domain in Unicode. */
  name: string
  /** The Monday on which the week begins. */
  week: string
  /** The week as part of a sentence: "last week". */
  when: string
  totals: StatisticsTotals
  previousTotals: StatisticsTotals
  /** From Monday to Sunday. */
  days: { day: string; visitors: number }[]
  pages: StatisticsRow[]
  sources: StatisticsRow[]
  /** Whether the website has never had a visit. */
  isNew: boolean
  monitors: MonitorUptime[]
  /** The outages of all monitors of the website. Those that overlap count once. */
  outages: ReportOutages
}

export type ReportOutages = Pick<OutageSum, 'outages' | 'downtimeSeconds' | 'impact'>

export interface ReportDeps {
  clock: Clock
  db: Database
  statistics: Pick<Statistics, 'overview'>
}

export async function gatherReport(
  { clock, db, statistics }: ReportDeps,
  site: StatisticsSite,
  week: string,
): Promise<Report> {
  const range = { from: week, to: findSunday(week) }
  const overview = await statistics.overview({ kind: 'server' }, site, {
    ...range,
    interval: 'day',
    comparison: { period: 'previous', matchesWeekdays: false },
    filters: [],
  })
  const window = toUptimeWindow(toWeekWindow(site.timeZone, week), clock.now())
  const monitors = await readUptime(db, site, window)
  // Reading the overview has rolled up the events of the website, which `sumOutages` requires.
  const noSettings = { unicode: domainToUnicode(site.domain) || site.domain, quietDays: [], holidays: null }
  const website = (await findWebsiteById(db, site.teamId, site.id)) ?? { ...site, ...noSettings }
  const outages = await sumOutages(db, website, window)
  const isNew = overview.totals.visits === 0 && !(await hasTraffic(db, site.id))
  return createReport(site, week, { overview, monitors, outages, isNew })
}

/** Returns the period of the week, which ends now if the week is not over yet. */
function toUptimeWindow({ from, to }: TimeWindow, now: Date): TimeWindow {
  const end = addMs(to, 1)
  return { from, to: end < now ? end : now }
}

interface ReportContent {
  overview: StatisticsOverview
  monitors: MonitorUptime[]
  outages: ReportOutages
  isNew: boolean
}

export function createReport(
  { id, domain }: StatisticsSite,
  week: string,
  { overview, monitors, outages, isNew }: ReportContent,
): Report {
  const { totals, previous, series, panels } = overview
  const visitorsByDay = new Map(series.visitors.map(({ value, count }) => [value, count]))
  return {
    websiteId: id,
    domain,
    name: domainToUnicode(domain) || domain,
    week,
    when: 'last week',
    totals,
    previousTotals: previous?.totals ?? noTraffic,
    days: listDays(week, findSunday(week)).map((day) => ({ day, visitors: visitorsByDay.get(day) ?? 0 })),
    pages: panels.page.slice(0, MAX_RANKED_ROWS),
    sources: panels.source.slice(0, MAX_RANKED_ROWS),
    isNew,
    monitors,
    outages,
  }
}

const noTraffic: StatisticsTotals = {
  visitors: 0,
  pageviews: 0,
  visits: 0,
  events: 0,
  bounce_rate: null,
  visit_duration: null,
  views_per_visit: null,
}
