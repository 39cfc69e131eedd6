/** The badges of a status page and of its monitors. */
import { formatCount } from '../../lib/format.ts'
import { invalid, notFound, Problem } from '../../lib/problem.ts'
import { formatUptime } from '../../shared/format-uptime.ts'
import { type OverallState, type PublicMonitorState, STATUS_PAGE_DAYS } from '../../shared/status-pages.ts'
import { DAY_MS } from '../../shared/time.ts'
import { dayOf, formatDayText } from '../render/times.ts'
import { hasUptimePercent, type SnapshotMonitor, type StatusPageSnapshot } from '../snapshot.ts'
import { type BadgeColor, drawBadge } from './draw-badge.ts'
import type { BadgePeriod, BadgeQuery } from './schema.ts'

export const BADGE_CONTENT_TYPE = 'image/svg+xml; charset=utf-8'
/** Browsers and proxies cache a badge for this long, because other websites embed badges and may load them often. */
export const BADGE_MAX_AGE_SECONDS = 60

/** Without `monitorId`, the badge is about the whole page. Throws a problem if the badge can't be shown. */
export function renderBadge(snapshot: StatusPageSnapshot, query: BadgeQuery, monitorId?: number): string {
  const allMonitors = snapshot.groups.flatMap(({ monitors }) => monitors)
  const monitor = allMonitors.find(({ id }) => id === monitorId)
  // The response must not tell whether the monitor doesn't exist or is on another page.
  if (monitorId !== undefined && monitor === undefined) throw notFound()
  const { label, value, color } = describeBadge(snapshot, query, monitor, monitor ? [monitor] : allMonitors)
  return drawBadge({
    label: query.label ?? label,
    value,
    color,
    style: query.style ?? 'flat',
    theme: query.theme ?? 'dark',
  })
}

interface BadgeText {
  label: string
  value: string
  color: BadgeColor
}

function describeBadge(
  snapshot: StatusPageSnapshot,
  { type = 'state', period }: BadgeQuery,
  monitor: SnapshotMonitor | undefined,
  monitors: readonly SnapshotMonitor[],
): BadgeText {
  const { page, overall } = snapshot
  if (type === 'uptime') return describeUptime(snapshot, monitors, period ?? '30d')
  if (type === 'response_time') {
    if (!page.showResponseTimes) throw new Problem('not_found', "This status page doesn't show response times.")
    if (period !== undefined && period !== '24h')
      throw invalid({ period: ['`period` must be 24h if `type` is response_time.'] })
    return describeResponseTime(monitors)
  }
  return monitor === undefined
    ? { label: page.title, ...overallBadges[overall] }
    : { label: monitor.label, ...monitorBadges[monitor.state] }
}

type BadgeState = Omit<BadgeText, 'label'>

const overallBadges: Record<OverallState, BadgeState> = {
  up: { value: 'operational', color: 'green' },
  partly_down: { value: 'partly down', color: 'orange' },
  down: { value: 'down', color: 'red' },
  incident: { value: 'incident', color: 'amber' },
  maintenance: { value: 'maintenance', color: 'blue' },
  unknown: { value: 'no data', color: 'gray' },
}

const monitorBadges: Record<PublicMonitorState, BadgeState> = {
  up: { value: 'operational', color: 'green' },
  down: { value: 'down', color: 'red' },
  maintenance: { value: 'maintenance', color: 'blue' },
  pending: { value: 'no data', color: 'gray' },
  paused: { value: 'paused', color: 'gray' },
}

const uptimeFields = { '24h': 'last24Hours', '30d': 'last30Days', '90d': 'last90Days' } as const
const periodDays = { '24h': 1, '30d': 30, '90d': STATUS_PAGE_DAYS } as const

/** Monitors without a day of data have no percentage yet, and no part in the mean of the page. */
function describeUptime(
  { page, readAt }: StatusPageSnapshot,
  monitors: readonly SnapshotMonitor[],
  period: BadgePeriod,
): BadgeText {
  const label = `uptime ${period}`
  const knownMonitors = monitors.filter(({ uptime }) => uptime[uptimeFields[period]] !== null)
  const describeSince = (since: number) => `since ${formatDayText(dayOf(since, page.timeZone))}`
  const shownMonitors = knownMonitors.filter(hasUptimePercent)
  const percent = computeMean(shownMonitors.map(({ uptime }) => uptime[uptimeFields[period]]))
  if (percent === null) {
    const value = knownMonitors.length === 0 ? 'no data' : describeSince(findFirstTime(knownMonitors))
    return { label, value, color: 'gray' }
  }
  const since = findFirstTime(shownMonitors)
  const isYoung = since > readAt - periodDays[period] * DAY_MS
  return {
    label: isYoung ? `uptime ${describeSince(since)}` : label,
    value: formatUptime(percent),
    color: chooseUptimeColor(percent),
  }
}

/** When monitoring of the first monitor began. A monitor that is older than the bars counts as one from 1970. */
const findFirstTime = (monitors: readonly SnapshotMonitor[]) =>
  Math.min(...monitors.map(({ monitored }) => monitored?.since ?? 0))

function chooseUptimeColor(percent: number): BadgeColor {
  if (percent >= 99.9) return 'green'
  if (percent >= 99) return 'amber'
  return percent >= 95 ? 'orange' : 'red'
}

function describeResponseTime(monitors: readonly SnapshotMonitor[]): BadgeText {
  const label = 'response time 24h'
  const ms = computeMean(monitors.map(({ responseMs }) => responseMs))
  return ms === null
    ? { label, value: 'no data', color: 'gray' }
    : { label, value: `${formatCount(Math.round(ms))} ms`, color: 'blue' }
}

function computeMean(values: readonly (number | null)[]): number | null {
  const knownValues = values.filter((value) => value !== null)
  return knownValues.length === 0 ? null : knownValues.reduce((sum, value) => sum + value, 0) / knownValues.length
}
