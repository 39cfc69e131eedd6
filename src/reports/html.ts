/** A report as HTML for mail programs. */
import { formatCount } from '../lib/format.ts'
import { escapeHtml, toVisibleLine } from '../lib/text.ts'
import { backgroundAttributes, type MailColor, textColorAttributes } from '../mail/colors.ts'
import { formatEmailHtml } from '../mail/email-html.ts'
import {
  breakAnywhere,
  formatButtons,
  formatHeading,
  formatListRow,
  formatMutedLink,
  formatNameLink,
  formatParagraph,
  formatSubheading,
  layoutTable,
} from '../mail/parts.ts'
import type { ChangeVerdict } from '../shared/judge-change.ts'
import type { StatisticsRow } from '../traffic/stats/schema.ts'
import { formatTrackingSnippet } from '../websites/domain.ts'
import { formatChange, formatShortCount, formatWeek, formatWeekday } from './format.ts'
import type { ReportLinks } from './links.ts'
import type { Report } from './report.ts'
import {
  describeDays,
  describeOtherMonitors,
  describeOutages,
  describeQuietWeek,
  describeUptime,
  explainTurningOff,
  explainWhySent,
  formatSubject,
  isQuietWeek,
  listMetrics,
  listReportLinks,
  MAX_MONITORS_LISTED,
  type ReportMetric,
} from './sentences.ts'

const MAX_ROW_NAME_LENGTH = 120

export function formatReportHtml(report: Report, links: ReportLinks | undefined): string {
  const { name, week } = report
  const sections = [
    formatHeading(name),
    `<p ${textColorAttributes('muted', 'margin:4px 0 16px')}>${formatWeek(week)}</p>\n`,
    ...(isQuietWeek(report) ? [formatQuietWeek(report, links)] : formatTraffic(report)),
    formatUptimeSection(report, links),
    links && formatButtons(listReportLinks(report, links)),
  ]
  return formatEmailHtml({
    title: formatSubject(report),
    preview: formatPreview(report),
    category: 'Weekly report',
    contentHtml: sections.filter(Boolean).join(''),
    footerHtml: formatFooter(report, links),
  })
}

function formatPreview(report: Report): string {
  if (isQuietWeek(report)) return describeQuietWeek(report)[0] ?? ''
  const [visitors] = listMetrics(report)
  return `${visitors?.value} visitors, ${visitors?.change?.words}`
}

function formatTraffic(report: Report): string[] {
  const [visitors, pageViews, bounceRate, visitDuration] = listMetrics(report)
  return [
    formatMetricPair(visitors as ReportMetric, pageViews as ReportMetric, 30),
    formatSubheading('Visitors by day'),
    formatChart(report),
    formatMetricPair(bounceRate as ReportMetric, visitDuration as ReportMetric, 20),
    formatRankedList('Top pages', 'page views', report.pages),
    formatRankedList('Top sources', 'visitors', report.sources),
  ]
}

const changeColors: Record<ChangeVerdict, MailColor> = { good: 'up', bad: 'down', neutral: 'muted' }

/** Two metrics side by side. Long numbers get a smaller font, so that hundreds of millions fit. */
function formatMetricPair(left: ReportMetric, right: ReportMetric, maxFontSize: number): string {
  const fontSize = Math.max(left.value.length, right.value.length) > 9 ? 20 : maxFontSize
  const cell = ({ label, value, change, previous }: ReportMetric, padding: string) => {
    const comparison =
      change === undefined
        ? `<span ${textColorAttributes('muted')}>${previous}</span>`
        : `<span ${textColorAttributes(changeColors[change.verdict])}>${formatChange(change)}</span>`
    return `<td width="50%" valign="top" style="vertical-align:top;${padding}"><div ${textColorAttributes('muted', 'font-size:13px')}>${label}</div>
<div style="font-size:${fontSize}px;line-height:1.25;font-weight:700;letter-spacing:-0.01em;white-space:nowrap">${value}</div>
<div style="font-size:13px;line-height:1.4">${comparison}</div></td>`
  }
  const cells = `${cell(left, 'padding-right:8px')}${cell(right, 'padding-left:8px')}`
  return layoutTable(`<tr>${cells}</tr>`, 'margin-top:24px')
}

function formatRankedList(heading: string, unit: string, rows: readonly StatisticsRow[]): string {
  if (rows.length === 0) return ''
  const lines = rows.map(({ value, count }) =>
    formatListRow(escapeHtml(toVisibleLine(value, MAX_ROW_NAME_LENGTH)), formatCount(count)),
  )
  return `${formatSubheading(heading, `by ${unit}`)}${layoutTable(lines.join(''))}`
}

function formatUptimeSection(report: Report, links: ReportLinks | undefined): string {
  const { monitors } = report
  const outages = describeOutages(report)
  if (monitors.length === 0 && outages === '') return ''
  const lines = monitors.slice(0, MAX_MONITORS_LISTED).map((monitor) => {
    const { percent, detail, isAlarming } = describeUptime(monitor)
    const color = isAlarming ? 'down' : 'muted'
    const label = toVisibleLine(monitor.name, MAX_ROW_NAME_LENGTH)
    const nameHtml =
      links === undefined ? escapeHtml(label) : formatNameLink({ label, url: `${links.monitors}/${monitor.monitorId}` })
    return formatListRow(
      `${nameHtml}<br><span ${textColorAttributes(color, 'font-size:13px')}>${detail}</span>`,
      percent,
    )
  })
  const unlistedCount = monitors.length - MAX_MONITORS_LISTED
  const note =
    unlistedCount > 0
      ? `<p ${textColorAttributes('muted', 'margin:8px 0 0;font-size:13px')}>${describeOtherMonitors(unlistedCount)}</p>`
      : ''
  const list = lines.length === 0 ? '' : layoutTable(lines.join(''))
  return `${formatSubheading('Uptime')}${outages && formatParagraph(outages)}${list}${note}`
}

function formatQuietWeek(report: Report, links: ReportLinks | undefined): string {
  const sentences = describeQuietWeek(report).map((text) => formatParagraph(text))
  if (!report.isNew) return sentences.join('')
  const snippet = escapeHtml(links?.snippet ?? formatTrackingSnippet('…', report.domain))
  const style = `padding:12px;border-radius:8px;font:13px/1.5 ui-monospace,Menlo,Consolas,monospace;${breakAnywhere}`
  return `${sentences.join('')}${layoutTable(`<tr><td ${backgroundAttributes('raised', style)}>${snippet}</td></tr>`, 'border-collapse:separate')}\n`
}

function formatFooter(report: Report, links: ReportLinks | undefined): string {
  const instructions =
    links === undefined
      ? escapeHtml(explainTurningOff(report))
      : [
          { label: 'Unsubscribe', url: links.unsubscribe },
          { label: 'Settings', url: links.settings },
        ]
          .map(formatMutedLink)
          .join(' · ')
  return `${escapeHtml(explainWhySent(report))}<br>${instructions}`
}

const MAX_BAR_HEIGHT_PX = 88
const LABEL_HEIGHT_PX = 18

/** The chart of visitors by day, drawn with table cells, because some mail programs show no images. */
function formatChart(report: Report): string {
  const max = Math.max(...report.days.map(({ visitors }) => visitors), 1)
  const columnCells = report.days.map(({ visitors }) => formatColumn(visitors, max)).join('')
  const weekdayCells = report.days
    .map(
      ({ day }) =>
        `<td align="center" ${textColorAttributes('muted', 'padding-top:6px;font-size:12px')}>${formatWeekday(day).slice(0, 3)}</td>`,
    )
    .join('')
  const body = `<tr>${columnCells}</tr><tr>${weekdayCells}</tr>`
  // A screen reader would read all numbers first and then all days, so it gets a description instead.
  return `<div role="img" aria-label="${describeDays(report)}">${layoutTable(body, 'table-layout:fixed')}</div>`
}

function formatColumn(visitors: number, max: number): string {
  const height = visitors === 0 ? 2 : Math.max(4, Math.round((visitors / max) * MAX_BAR_HEIGHT_PX))
  const totalHeight = MAX_BAR_HEIGHT_PX + LABEL_HEIGHT_PX
  const barCell = `<td height="${height}" ${backgroundAttributes(visitors === 0 ? 'line' : 'chart', `height:${height}px;font-size:0;line-height:0;border-radius:4px 4px 0 0`)}>&nbsp;</td>`
  const label = `<div ${textColorAttributes('text', 'padding-bottom:4px;font-size:12px;line-height:14px')}>${formatShortCount(visitors)}</div>`
  return `<td valign="bottom" align="center" height="${totalHeight}" style="height:${totalHeight}px;vertical-align:bottom;padding:0 4px">${label}${layoutTable(`<tr>${barCell}</tr>`)}</td>`
}
