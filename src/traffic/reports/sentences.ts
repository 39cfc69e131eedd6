/** What a report says, the same in text and HTML. */
import { formatCount } from '../../lib/numbers.ts'
import type { Report } from './report.ts'
import type { MonitorWeek } from './uptime.ts'
import { type Change, changeOf, counted, formatPercent, formatSeconds, formatUptime, weekdayOf } from './words.ts'

/** The others are counted. */
export const MONITORS_SHOWN = 5

export const isQuiet = ({ totals }: Report) => totals.visits === 0

export function subjectOf({ name, totals, when }: Report): string {
  const visitors = totals.visitors === 0 ? 'no visitors' : counted(totals.visitors, 'visitor', 'visitors')
  return `${name}: ${visitors} ${when}`
}

export interface Figure {
  label: string
  value: string
  change?: Change
  /** Where a change in percent of percents would confuse. */
  before?: string
}

export function figuresOf({ totals, previous }: Report): Figure[] {
  const counts = (label: string, count: number, before: number): Figure => ({
    label,
    value: formatCount(count),
    change: changeOf(count, before),
  })
  const shares = (label: string, format: (value: number) => string, value: number | null, before: number | null) => ({
    label,
    value: value === null ? '–' : format(value),
    before: before === null ? 'no visits the week before' : `${format(before)} the week before`,
  })
  return [
    counts('Visitors', totals.visitors, previous.visitors),
    counts('Page views', totals.pageviews, previous.pageviews),
    shares('Bounce rate', formatPercent, totals.bounce_rate, previous.bounce_rate),
    shares('Visit duration', formatSeconds, totals.visit_duration, previous.visit_duration),
  ]
}

/** For those who cannot see the chart. */
export function daysInWords({ days }: Report): string {
  return `Visitors by day: ${days.map(({ day, visitors }) => `${weekdayOf(day)} ${formatCount(visitors)}`).join(', ')}`
}

export function quietSentences(report: Report): string[] {
  const { name, previous, isNew } = report
  if (isNew) return [`Nobody has been counted on ${name} yet. The numbers begin as soon as its pages carry this line:`]
  const before = previous.visitors === 0 ? 'nobody' : counted(previous.visitors, 'visitor', 'visitors')
  return [
    `It was a quiet week: nobody came to ${name}. The week before it was ${before}.`,
    'If that surprises you, look whether the line that counts visitors is still in your pages.',
  ]
}

export function uptimeInWords({ uptimePercent, incidents, downtimeSeconds }: MonitorWeek): {
  percent: string
  detail: string
} {
  const percent = formatUptime(uptimePercent)
  if (incidents === 0) return { percent, detail: 'no incidents' }
  return { percent, detail: `${counted(incidents, 'incident', 'incidents')}, ${formatSeconds(downtimeSeconds)} down` }
}

export const reasonOf = ({ name }: Report) => `You get this every Monday because the weekly report of ${name} is on.`

/** Where there is nothing to click. */
export const switchOffOf = ({ websiteId }: Report) =>
  `To switch it off, set “email” of website ${websiteId} to 0: PATCH /api/v1/websites/${websiteId}.`
