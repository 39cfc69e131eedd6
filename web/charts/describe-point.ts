/** The texts of the tooltips on the small charts of lists. */
import { UPTIME_DAYS } from '../../src/shared/monitors.ts'
import { HOUR_MS } from '../../src/shared/time.ts'
import { parseUptimeDays } from '../../src/shared/uptime-days.ts'
import { formatDateTime, formatDay, formatMs, pluralize } from '../lib/format.ts'
import type { Overview, OverviewWebsite } from '../lib/overview.ts'
import { getCachedResponseTrend } from '../lib/response-times.ts'
import { hasUptimePercent } from '../lib/uptime-text.ts'
import type { TooltipDetails } from './tooltips.tsx'
import type { MonitorWithDays } from './uptime-bars.tsx'
import { describeDay, getDayAt } from './uptime-day.ts'

/** `dayCount` is the number of bars; the last one is today. */
export function describeUptimePoint(
  monitor: MonitorWithDays,
  days: Pick<Overview['days'], 'from'>,
  dayCount: number,
  point: number,
): TooltipDetails {
  const day = UPTIME_DAYS - dayCount + point
  const { kind, title, uptime, note } = describeDay(parseUptimeDays(monitor.days), days.from, day)
  const isDownNow = monitor.status === 'down' && day === UPTIME_DAYS - 1
  const fullNote = isDownNow ? `Down now. ${note}` : note
  const tone = isDownNow ? 'down' : kind
  // Before the monitor has a day of data, the percentage of a day is as alarming as that of the whole period.
  return kind === 'idle' || hasUptimePercent(monitor)
    ? { title, value: uptime, note: fullNote, tone }
    : { title, value: fullNote, tone }
}

/** The days of a website follow its own time zone, in which today can be another date than in the browser. */
export function describeVisitorsPoint(website: OverviewWebsite, point: number, now = new Date()): TooltipDetails {
  const today = now.toLocaleDateString('en-CA', { timeZone: website.time_zone })
  const daysBefore = website.visitors.length - 1 - point
  const date = formatDay(getDayAt(today, -daysBefore))
  const title = daysBefore === 0 ? `${date}, today so far` : date
  return { title, value: pluralize(website.visitors[point] ?? 0, 'visitor'), tone: 'visitors' }
}

export function describeResponsePoint(monitorId: number, point: number): TooltipDetails | undefined {
  const trend = getCachedResponseTrend(monitorId)
  if (trend == null) return undefined
  const { values, startsAt, stepMs } = trend
  const value = values[point]
  return {
    title: formatDateTime(new Date(startsAt + point * stepMs)),
    value: value == null ? 'No responses' : formatMs(value),
    note: value == null ? '' : stepMs === HOUR_MS ? 'Hourly average' : 'Average of 5 minutes',
    tone: 'response',
  }
}
