/** A report as HTML for mail programs: one column, tables, no pictures from elsewhere. */

import { escapeHtml } from '../../lib/escape-html.ts'
import { formatCount } from '../../lib/numbers.ts'
import { snippetOf } from '../../websites/snippet.ts'
import type { StatisticsRow } from '../stats/schema.ts'
import { chartHtml } from './html-chart.ts'
import { type Colour, fill, font, ink, rule, styleSheet, table } from './html-style.ts'
import type { Links } from './links.ts'
import type { Report } from './report.ts'
import {
  type Figure,
  figuresOf,
  isQuiet,
  MONITORS_SHOWN,
  quietSentences,
  reasonOf,
  subjectOf,
  switchOffOf,
  uptimeInWords,
} from './sentences.ts'
import type { MonitorWeek } from './uptime.ts'
import { type Change, formatChange, formatWeek, oneLine } from './words.ts'

const NAME_MOST = 120
const anywhere = 'word-break:break-word;overflow-wrap:anywhere'

export function htmlOf(report: Report, links: Links | undefined): string {
  const sections = [
    heading(report),
    ...(isQuiet(report) ? [quiet(report, links)] : traffic(report)),
    uptime(report.monitors),
    links && button(links.statistics),
  ]
  const card = sections.filter(Boolean).join('')
  return `<!doctype html>
<html lang="en" style="color-scheme:light dark"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${escapeHtml(subjectOf(report))}</title>
<style>${styleSheet}</style></head>
<body ${fill('page', `margin:0;padding:0;${font};-webkit-text-size-adjust:100%`)}>
${preheader(report)}<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" ${fill('page')}><tr><td align="center" style="padding:16px 8px 32px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;${font}">
<tr><td ${fill('card', 'border-radius:12px;padding:24px 20px')}><div ${ink('text', 'font-size:16px;line-height:1.5')}>
${card}</div></td></tr>
<tr><td ${ink('muted', 'padding:16px 20px 0;font-size:13px;line-height:1.5')}>${footer(report, links)}</td></tr>
</table></td></tr></table></body></html>
`
}

/** What lists of letters show beside the subject. */
function preheader(report: Report): string {
  const [visitors] = figuresOf(report)
  const text = isQuiet(report)
    ? (quietSentences(report)[0] ?? '')
    : `${visitors?.value} visitors, ${visitors?.change?.words}`
  return `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(text)}</div>\n`
}

function heading({ name, week }: Report): string {
  return `<h1 style="margin:0;font-size:24px;line-height:1.25;${anywhere}">${escapeHtml(name)}</h1>
<p ${ink('muted', 'margin:4px 0 0')}>${formatWeek(week)}</p>
`
}

function traffic(report: Report): string[] {
  const [visitors, views, bounces, duration] = figuresOf(report)
  return [
    pair(visitors as Figure, views as Figure, 30),
    title('Visitors by day'),
    chartHtml(report),
    pair(bounces as Figure, duration as Figure, 20),
    list('Top pages', 'page views', report.pages),
    list('Where they came from', 'visitors', report.sources),
  ]
}

const changeColours: Record<Change['direction'], Colour> = { up: 'up', down: 'down', same: 'muted', new: 'muted' }

/** Two side by side; numbers of hundreds of millions have to fit as well. */
function pair(left: Figure, right: Figure, most: number): string {
  const size = Math.max(left.value.length, right.value.length) > 9 ? 20 : most
  const cell = ({ label, value, change, before }: Figure, padding: string) => {
    const aside =
      change === undefined
        ? `<span ${ink('muted')}>${before}</span>`
        : `<span ${ink(changeColours[change.direction])}>${formatChange(change)}</span>`
    return `<td width="50%" valign="top" style="vertical-align:top;${padding}"><div ${ink('muted', 'font-size:14px')}>${label}</div>
<div style="font-size:${size}px;line-height:1.2;font-weight:700;white-space:nowrap">${value}</div>
<div style="font-size:13px;line-height:1.4">${aside.replaceAll(' %', '&nbsp;%')}</div></td>`
  }
  return table(`<tr>${cell(left, 'padding-right:8px')}${cell(right, 'padding-left:8px')}</tr>`, 'margin-top:20px')
}

const title = (text: string, aside = '') =>
  `<h2 style="margin:28px 0 8px;font-size:16px;line-height:1.4">${text}${aside && ` <span ${ink('muted', 'font-weight:400;font-size:14px')}>${aside}</span>`}</h2>
`

/** `name` and `value` are HTML. */
const row = (name: string, value: string) =>
  `<tr><td ${rule(`padding:8px 12px 8px 0;font-size:15px;line-height:1.4;${anywhere}`)}>${name}</td><td align="right" valign="top" ${rule('padding:8px 0;font-size:15px;line-height:1.4;white-space:nowrap;vertical-align:top')}>${value}</td></tr>`

function list(heading: string, unit: string, rows: readonly StatisticsRow[]): string {
  if (rows.length === 0) return ''
  const lines = rows.map(({ value, count }) => row(escapeHtml(oneLine(value, NAME_MOST)), formatCount(count)))
  return `${title(heading, `by ${unit}`)}${table(lines.join('\n'))}`
}

function uptime(monitors: readonly MonitorWeek[]): string {
  if (monitors.length === 0) return ''
  const lines = monitors.slice(0, MONITORS_SHOWN).map((monitor) => {
    const { percent, detail } = uptimeInWords(monitor)
    const colour = monitor.incidents === 0 ? 'muted' : 'down'
    const name = `${escapeHtml(oneLine(monitor.name, NAME_MOST))}<br><span ${ink(colour, 'font-size:13px')}>${detail}</span>`
    return row(name, percent.replace(' ', '&nbsp;'))
  })
  const more = monitors.length - MONITORS_SHOWN
  const others =
    more > 0 ? `<p ${ink('muted', 'margin:8px 0 0;font-size:13px')}>and ${more} more that did no worse</p>` : ''
  return `${title('Uptime')}${table(lines.join('\n'))}${others}`
}

function quiet(report: Report, links: Links | undefined): string {
  const sentences = quietSentences(report).map((text) => `<p style="margin:16px 0 0">${escapeHtml(text)}</p>\n`)
  if (!report.isNew) return sentences.join('')
  const snippet = escapeHtml(links?.snippet ?? snippetOf('…', report.domain))
  return `${sentences.join('')}<p ${fill('page', `margin:12px 0 0;padding:12px;border-radius:6px;font:13px/1.5 ui-monospace,Menlo,Consolas,monospace;${anywhere}`)}>${snippet}</p>\n`
}

function button(address: string): string {
  return `<p style="margin:28px 0 0"><a href="${escapeHtml(address)}" ${fill('bar', 'display:inline-block;padding:12px 20px;border-radius:6px;text-decoration:none')}><span class="button" style="color:#ffffff;font-weight:600">Open the statistics</span></a></p>\n`
}

function footer(report: Report, links: Links | undefined): string {
  const link = (address: string, text: string) =>
    `<a href="${escapeHtml(address)}" ${ink('muted', 'text-decoration:underline')}>${text}</a>`
  const ways =
    links === undefined
      ? escapeHtml(switchOffOf(report))
      : `${link(links.unsubscribe, 'Switch it off')} · ${link(links.settings, 'Settings')}`
  return `${escapeHtml(reasonOf(report))}<br>${ways}`
}
