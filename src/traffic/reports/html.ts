/** A report as HTML for mail programs: one column, laid out with tables, without external images. */
import { formatCount } from '../../lib/format.ts'
import { escapeHtml } from '../../lib/text.ts'
import { formatTrackingSnippet } from '../../websites/domain.ts'
import type { StatisticsRow } from '../stats/schema.ts'
import { formatChange, formatName, formatWeek, type WeekChange } from './format.ts'
import { formatChart } from './html-chart.ts'
import {
  backgroundAttributes,
  font,
  layoutTable,
  type ReportColor,
  styleSheet,
  textColorAttributes,
  topBorderAttributes,
} from './html-style.ts'
import type { ReportLinks } from './links.ts'
import type { Report } from './report.ts'
import {
  describeOtherMonitors,
  describeQuietWeek,
  describeUptime,
  explainTurningOff,
  explainWhySent,
  formatSubject,
  isQuietWeek,
  listMetrics,
  MAX_MONITORS_LISTED,
  type ReportMetric,
} from './sentences.ts'
import type { MonitorUptime } from './uptime.ts'

const MAX_ROW_NAME_LENGTH = 120
const breakAnywhere = 'word-break:break-word;overflow-wrap:anywhere'

export function formatReportHtml(report: Report, links: ReportLinks | undefined): string {
  const sections = [
    formatHeading(report),
    ...(isQuietWeek(report) ? [formatQuietWeek(report, links)] : formatTraffic(report)),
    formatUptimeSection(report.monitors),
    links && formatButton(links.statistics),
  ]
  const card = sections.filter(Boolean).join('')
  return `<!doctype html>
<html lang="en" style="color-scheme:light dark"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${escapeHtml(formatSubject(report))}</title>
<style>${styleSheet}</style></head>
<body ${backgroundAttributes('page', `margin:0;padding:0;${font};-webkit-text-size-adjust:100%`)}>
${formatPreheader(report)}<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" ${backgroundAttributes('page')}><tr><td align="center" style="padding:16px 8px 32px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;${font}">
<tr><td ${backgroundAttributes('card', 'border-radius:12px;padding:24px 20px')}><div ${textColorAttributes('text', 'font-size:16px;line-height:1.5')}>
${card}</div></td></tr>
<tr><td ${textColorAttributes('muted', 'padding:16px 20px 0;font-size:13px;line-height:1.5')}>${formatFooter(report, links)}</td></tr>
</table></td></tr></table></body></html>
`
}

/** The preview that mail programs show next to the subject. */
function formatPreheader(report: Report): string {
  const [visitors] = listMetrics(report)
  const text = isQuietWeek(report)
    ? (describeQuietWeek(report)[0] ?? '')
    : `${visitors?.value} visitors, ${visitors?.change?.words}`
  return `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(text)}</div>\n`
}

function formatHeading({ name, week }: Report): string {
  return `<h1 style="margin:0;font-size:24px;line-height:1.25;${breakAnywhere}">${escapeHtml(name)}</h1>
<p ${textColorAttributes('muted', 'margin:4px 0 0')}>${formatWeek(week)}</p>
`
}

function formatTraffic(report: Report): string[] {
  const [visitors, pageViews, bounceRate, visitDuration] = listMetrics(report)
  return [
    formatMetricPair(visitors as ReportMetric, pageViews as ReportMetric, 30),
    formatTitle('Visitors by day'),
    formatChart(report),
    formatMetricPair(bounceRate as ReportMetric, visitDuration as ReportMetric, 20),
    formatRankedList('Top pages', 'page views', report.pages),
    formatRankedList('Top sources', 'visitors', report.sources),
  ]
}

const changeColors: Record<WeekChange['direction'], ReportColor> = {
  up: 'up',
  down: 'down',
  same: 'muted',
  new: 'muted',
}

/** Two metrics side by side. Long numbers get a smaller font, so that hundreds of millions fit. */
function formatMetricPair(left: ReportMetric, right: ReportMetric, maxFontSize: number): string {
  const fontSize = Math.max(left.value.length, right.value.length) > 9 ? 20 : maxFontSize
  const cell = ({ label, value, change, previous }: ReportMetric, padding: string) => {
    const comparison =
      change === undefined
        ? `<span ${textColorAttributes('muted')}>${previous}</span>`
        : `<span ${textColorAttributes(changeColors[change.direction])}>${formatChange(change)}</span>`
    return `<td width="50%" valign="top" style="vertical-align:top;${padding}"><div ${textColorAttributes('muted', 'font-size:14px')}>${label}</div>
<div style="font-size:${fontSize}px;line-height:1.2;font-weight:700;white-space:nowrap">${value}</div>
<div style="font-size:13px;line-height:1.4">${comparison}</div></td>`
  }
  const cells = `${cell(left, 'padding-right:8px')}${cell(right, 'padding-left:8px')}`
  return layoutTable(`<tr>${cells}</tr>`, 'margin-top:20px')
}

const formatTitle = (text: string, note = '') =>
  `<h2 style="margin:28px 0 8px;font-size:16px;line-height:1.4">${text}${note && ` <span ${textColorAttributes('muted', 'font-weight:400;font-size:14px')}>${note}</span>`}</h2>
`

/** `name` and `value` are HTML. */
const formatRow = (name: string, value: string) =>
  `<tr><td ${topBorderAttributes(`padding:8px 12px 8px 0;font-size:15px;line-height:1.4;${breakAnywhere}`)}>${name}</td><td align="right" valign="top" ${topBorderAttributes('padding:8px 0;font-size:15px;line-height:1.4;white-space:nowrap;vertical-align:top')}>${value}</td></tr>`

function formatRankedList(heading: string, unit: string, rows: readonly StatisticsRow[]): string {
  if (rows.length === 0) return ''
  const lines = rows.map(({ value, count }) =>
    formatRow(escapeHtml(formatName(value, MAX_ROW_NAME_LENGTH)), formatCount(count)),
  )
  return `${formatTitle(heading, `by ${unit}`)}${layoutTable(lines.join('\n'))}`
}

function formatUptimeSection(monitors: readonly MonitorUptime[]): string {
  if (monitors.length === 0) return ''
  const lines = monitors.slice(0, MAX_MONITORS_LISTED).map((monitor) => {
    const { percent, detail } = describeUptime(monitor)
    const color = monitor.incidentCount === 0 ? 'muted' : 'down'
    const name = escapeHtml(formatName(monitor.name, MAX_ROW_NAME_LENGTH))
    return formatRow(`${name}<br><span ${textColorAttributes(color, 'font-size:13px')}>${detail}</span>`, percent)
  })
  const unlistedCount = monitors.length - MAX_MONITORS_LISTED
  const note =
    unlistedCount > 0
      ? `<p ${textColorAttributes('muted', 'margin:8px 0 0;font-size:13px')}>${describeOtherMonitors(unlistedCount)}</p>`
      : ''
  return `${formatTitle('Uptime')}${layoutTable(lines.join('\n'))}${note}`
}

function formatQuietWeek(report: Report, links: ReportLinks | undefined): string {
  const sentences = describeQuietWeek(report).map((text) => `<p style="margin:16px 0 0">${escapeHtml(text)}</p>\n`)
  if (!report.isNew) return sentences.join('')
  const snippet = escapeHtml(links?.snippet ?? formatTrackingSnippet('…', report.domain))
  return `${sentences.join('')}<p ${backgroundAttributes('page', `margin:12px 0 0;padding:12px;border-radius:6px;font:13px/1.5 ui-monospace,Menlo,Consolas,monospace;${breakAnywhere}`)}>${snippet}</p>\n`
}

function formatButton(url: string): string {
  return `<p style="margin:28px 0 0"><a href="${escapeHtml(url)}" ${backgroundAttributes('bar', 'display:inline-block;padding:12px 20px;border-radius:6px;text-decoration:none')}><span class="button" style="color:#ffffff;font-weight:600">View statistics</span></a></p>\n`
}

function formatFooter(report: Report, links: ReportLinks | undefined): string {
  const link = (url: string, text: string) =>
    `<a href="${escapeHtml(url)}" ${textColorAttributes('muted', 'text-decoration:underline')}>${text}</a>`
  const instructions =
    links === undefined
      ? escapeHtml(explainTurningOff(report))
      : `${link(links.unsubscribe, 'Unsubscribe')} · ${link(links.settings, 'Settings')}`
  return `${escapeHtml(explainWhySent(report))}<br>${instructions}`
}
