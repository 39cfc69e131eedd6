/** The sentences and metrics of a report, shared by its text and HTML versions. */
import { formatCount } from '../lib/format.ts'
import type { MailLink } from '../mail/parts.ts'
import { formatUptime } from '../shared/format-uptime.ts'
import { describeMissedVisits } from '../shared/impact-text.ts'
import { hasEnoughUptimeData } from '../shared/uptime.ts'
import {
  compareWeeks,
  formatDay,
  formatLongDuration,
  formatPercent,
  formatQuantity,
  formatSeconds,
  formatWeekday,
  type WeekChange,
} from './format.ts'
import type { ReportLinks } from './links.ts'
import type { Report } from './report.ts'
import type { MonitorUptime } from './uptime.ts'

/** For further monitors, the report only gives their number. */
export const MAX_MONITORS_LISTED = 5

export const isQuietWeek = ({ totals }: Report) => totals.visits === 0

export function formatSubject({ name, totals, when }: Report): string {
  const visitors = totals.visitors === 0 ? 'no visitors' : formatQuantity(totals.visitors, 'visitor', 'visitors')
  return `${name}: ${visitors} ${when}`
}

export interface ReportMetric {
  label: string
  value: string
  change?: WeekChange
  /** The value of the previous week. Averages show it instead of `change`: "10% more" would be unclear for a bounce rate. */
  previous?: string
}

export function listMetrics({ totals, previousTotals }: Report): ReportMetric[] {
  const countMetric = (label: string, count: number, previousCount: number): ReportMetric => ({
    label,
    value: formatCount(count),
    change: compareWeeks(count, previousCount),
  })
  const averageMetric = (
    label: string,
    format: (value: number) => string,
    value: number | null,
    previousValue: number | null,
  ): ReportMetric => ({
    label,
    value: value === null ? '–' : format(value),
    previous:
      previousValue === null ? 'no visits in the previous week' : `${format(previousValue)} in the previous week`,
  })
  return [
    countMetric('Visitors', totals.visitors, previousTotals.visitors),
    countMetric('Page views', totals.pageviews, previousTotals.pageviews),
    averageMetric('Bounce rate', formatPercent, totals.bounce_rate, previousTotals.bounce_rate),
    averageMetric('Visit duration', formatSeconds, totals.visit_duration, previousTotals.visit_duration),
  ]
}

/** Describes the chart for screen readers. */
export function describeDays({ days }: Report): string {
  return `Visitors by day: ${days.map(({ day, visitors }) => `${formatWeekday(day)} ${formatCount(visitors)}`).join(', ')}`
}

export function describeQuietWeek({ name, previousTotals, isNew }: Report): string[] {
  if (isNew) return [`No visits to ${name} have been counted yet. To start, add this snippet to its pages:`]
  const comparison =
    previousTotals.visitors === 0
      ? 'and none in the previous week'
      : `after ${formatQuantity(previousTotals.visitors, 'visitor', 'visitors')} in the previous week`
  return [
    `${name} had no visitors this week, ${comparison}.`,
    'If you expected visitors, check that the tracking snippet is still on your pages.',
  ]
}

/** A monitor without a day of data has no percentage, so it is never alarming. */
export function describeUptime(monitor: MonitorUptime): { percent: string; detail: string; isAlarming: boolean } {
  const { uptimePercent, incidentCount, downtimeSeconds, monitoredSince } = monitor
  const hasPercent = hasEnoughUptimeData(monitor)
  const incidents = incidentCount === 0 ? 'no incidents' : formatQuantity(incidentCount, 'incident', 'incidents')
  return {
    percent: hasPercent ? formatUptime(uptimePercent) : 'New',
    detail: [
      `${incidents}${monitoredSince === null ? '' : ` since ${formatDay(monitoredSince)}`}`,
      ...(incidentCount === 0 ? [] : [`${formatSeconds(downtimeSeconds)} of downtime`]),
    ].join(', '),
    isAlarming: hasPercent && incidentCount > 0,
  }
}

/** "2 outages, 14 minutes, about 140 visits missed (95 to 190)". Empty if there were no outages. */
export function describeOutages({ outages }: Pick<Report, 'outages'>): string {
  if (outages.outages === 0) return ''
  const missedVisits = describeMissedVisits(outages.impact, formatCount)
  return [
    formatQuantity(outages.outages, 'outage', 'outages'),
    formatLongDuration(outages.downtimeSeconds),
    ...(missedVisits === undefined ? [] : [missedVisits]),
  ].join(', ')
}

export function describeOtherMonitors(count: number): string {
  return `and ${formatQuantity(count, 'more monitor', 'more monitors')} with equal or better uptime`
}

/** The pages that show what the report is about. */
export function listReportLinks({ outages }: Pick<Report, 'outages'>, links: ReportLinks): MailLink[] {
  const incidentLinks = outages.outages === 0 ? [] : [{ label: 'View incidents', url: links.incidents }]
  return [{ label: 'View statistics', url: links.statistics }, ...incidentLinks]
}

export const explainWhySent = ({ name }: Report) =>
  `You're receiving this because weekly reports are turned on for ${name}. They arrive every Monday.`

/** Reports of servers without a public URL have no links, so they contain this text instead. */
export const explainTurningOff = ({ name }: Report) =>
  `To stop these emails, sign in to Belfry, open the settings of ${name}, and turn off the weekly report.`
