/** A report as plain text. */

import { formatCount } from '../../lib/numbers.ts'
import { snippetOf } from '../../websites/snippet.ts'
import type { StatisticsRow } from '../stats/schema.ts'
import type { Links } from './links.ts'
import type { Report } from './report.ts'
import {
  figuresOf,
  isQuiet,
  MONITORS_SHOWN,
  quietSentences,
  reasonOf,
  switchOffOf,
  uptimeInWords,
} from './sentences.ts'
import type { MonitorWeek } from './uptime.ts'
import { formatChange, formatWeek, oneLine, weekdayOf } from './words.ts'

const BAR_MOST = 24
const NAME_MOST = 100

export function textOf(report: Report, links: Links | undefined): string {
  const parts = [
    `${report.name}\n${formatWeek(report.week)}`,
    ...(isQuiet(report) ? quietText(report, links) : trafficText(report)),
    uptimeText(report.monitors),
    links && `All of it: ${links.statistics}`,
    `-- \n${reasonOf(report)}\n${footerText(report, links)}`,
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

function footerText(report: Report, links: Links | undefined): string {
  return links ? `Switch it off: ${links.unsubscribe}\nSettings: ${links.settings}` : switchOffOf(report)
}

function quietText(report: Report, links: Links | undefined): string[] {
  const snippet = report.isNew ? [links?.snippet ?? snippetOf('…', report.domain)] : []
  return [...quietSentences(report), ...snippet]
}

function trafficText(report: Report): string[] {
  const figures = figuresOf(report).map(({ label, value, change, before }) => {
    const aside = change === undefined ? before : formatChange(change)
    return `${label}: ${value} (${aside})`
  })
  return [
    figures.join('\n'),
    `Visitors by day\n${daysText(report)}`,
    rowsText('Top pages, by page views', report.pages),
    rowsText('Where they came from, by visitors', report.sources),
  ]
}

function daysText({ days }: Report): string {
  const most = Math.max(...days.map(({ visitors }) => visitors))
  return days
    .map(({ day, visitors }) => {
      const bar = '█'.repeat(visitors === 0 ? 0 : Math.max(1, Math.round((visitors / most) * BAR_MOST)))
      return `  ${weekdayOf(day).slice(0, 3)}  ${bar}${bar && ' '}${formatCount(visitors)}`
    })
    .join('\n')
}

function rowsText(title: string, rows: readonly StatisticsRow[]): string {
  if (rows.length === 0) return ''
  const counts = rows.map(({ count }) => formatCount(count))
  const width = Math.max(...counts.map(({ length }) => length))
  return [title, ...rows.map(({ value }, n) => `  ${counts[n]?.padStart(width)}  ${oneLine(value, NAME_MOST)}`)].join(
    '\n',
  )
}

function uptimeText(monitors: readonly MonitorWeek[]): string {
  if (monitors.length === 0) return ''
  const lines = monitors.slice(0, MONITORS_SHOWN).map((monitor) => {
    const { percent, detail } = uptimeInWords(monitor)
    return `  ${oneLine(monitor.name, NAME_MOST)}: ${percent}, ${detail}`
  })
  return ['Uptime', ...lines, ...othersText(monitors)].join('\n')
}

function othersText({ length }: readonly MonitorWeek[]): string[] {
  return length > MONITORS_SHOWN ? [`  and ${length - MONITORS_SHOWN} more that did no worse`] : []
}
