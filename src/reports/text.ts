/** A report as plain text. */
import { formatCount } from '../lib/format.ts'
import { toVisibleLine } from '../lib/text.ts'
import type { StatisticsRow } from '../traffic/stats/schema.ts'
import { formatTrackingSnippet } from '../websites/domain.ts'
import { formatChange, formatWeek, formatWeekday } from './format.ts'
import type { ReportLinks } from './links.ts'
import type { Report } from './report.ts'
import {
  describeOtherMonitors,
  describeOutages,
  describeQuietWeek,
  describeUptime,
  explainTurningOff,
  explainWhySent,
  isQuietWeek,
  listMetrics,
  listReportLinks,
  MAX_MONITORS_LISTED,
} from './sentences.ts'

const MAX_BAR_LENGTH = 24
const MAX_ROW_NAME_LENGTH = 100

export function formatReportText(report: Report, links: ReportLinks | undefined): string {
  const sections = [
    `${report.name}\n${formatWeek(report.week)}`,
    ...(isQuietWeek(report) ? formatQuietWeek(report, links) : formatTraffic(report)),
    formatUptimeSection(report),
    links &&
      listReportLinks(report, links)
        .map(({ label, url }) => `${label}: ${url}`)
        .join('\n'),
    `-- \n${explainWhySent(report)}\n${formatFooter(report, links)}`,
  ]
  return `${sections.filter(Boolean).join('\n\n')}\n`
}

function formatFooter(report: Report, links: ReportLinks | undefined): string {
  return links ? `Unsubscribe: ${links.unsubscribe}\nSettings: ${links.settings}` : explainTurningOff(report)
}

function formatQuietWeek(report: Report, links: ReportLinks | undefined): string[] {
  const snippet = report.isNew ? [links?.snippet ?? formatTrackingSnippet('…', report.domain)] : []
  return [...describeQuietWeek(report), ...snippet]
}

function formatTraffic(report: Report): string[] {
  const metrics = listMetrics(report).map(({ label, value, change, previous }) => {
    const comparison = change === undefined ? previous : formatChange(change)
    return `${label}: ${value} (${comparison})`
  })
  return [
    metrics.join('\n'),
    `Visitors by day\n${formatDays(report)}`,
    formatRows('Top pages by page views', report.pages),
    formatRows('Top sources by visitors', report.sources),
  ]
}

function formatDays({ days }: Report): string {
  const max = Math.max(...days.map(({ visitors }) => visitors))
  return days
    .map(({ day, visitors }) => {
      const bar = '█'.repeat(visitors === 0 ? 0 : Math.max(1, Math.round((visitors / max) * MAX_BAR_LENGTH)))
      return `  ${formatWeekday(day).slice(0, 3)}  ${bar}${bar && ' '}${formatCount(visitors)}`
    })
    .join('\n')
}

function formatRows(title: string, rows: readonly StatisticsRow[]): string {
  if (rows.length === 0) return ''
  const counts = rows.map(({ count }) => formatCount(count))
  const width = Math.max(...counts.map(({ length }) => length))
  const lines = rows.map(
    ({ value }, n) => `  ${counts[n]?.padStart(width)}  ${toVisibleLine(value, MAX_ROW_NAME_LENGTH)}`,
  )
  return [title, ...lines].join('\n')
}

function formatUptimeSection(report: Report): string {
  const { monitors } = report
  const outages = describeOutages(report)
  if (monitors.length === 0 && outages === '') return ''
  const lines = monitors.slice(0, MAX_MONITORS_LISTED).map((monitor) => {
    const { percent, detail } = describeUptime(monitor)
    return `  ${toVisibleLine(monitor.name, MAX_ROW_NAME_LENGTH)}: ${percent}, ${detail}`
  })
  const otherCount = monitors.length - MAX_MONITORS_LISTED
  if (otherCount > 0) lines.push(`  ${describeOtherMonitors(otherCount)}`)
  return ['Uptime', ...(outages === '' ? [] : [`  ${outages}`]), ...lines].join('\n')
}
