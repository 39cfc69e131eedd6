/** Counts and status changes of all monitors, for the figures above the list and the live region. */
import type { MonitorStatus } from '../../../src/shared/monitors.ts'
import { formatNumber } from '../../lib/format.ts'
import { getResponseMs } from '../../lib/monitor-types.ts'
import { formatTime } from '../../lib/overview.ts'
import type { Overview, OverviewMonitor } from '../../lib/queries.ts'
import { hasUptimePercent } from '../../lib/uptime-text.ts'

export interface OverviewFigures extends Record<MonitorStatus, number> {
  visitorsNow: number
  visitorsToday: number
  visitorsYesterday: number
  /** Undefined until all monitors have arrived; null if none was ever active. */
  uptimePercent: number | null | undefined
  /** null if the first monitor is older than the days of the overview. */
  monitoredSince: string | null
  hasUptimePercent: boolean
  /** Average of the latest checks; undefined until all monitors have arrived; null if no monitor that is up has a response time. */
  responseMs: number | null | undefined
}

/** Uses the server's counts until all records have arrived. Then counts the records, because live updates change them. */
export function computeFigures({ websites, monitors, summary, is_complete }: Overview): OverviewFigures {
  const { visitors_today: visitorsToday, visitors_yesterday: visitorsYesterday } = summary
  const monitoredSince = summary.monitored_since === null ? null : formatTime(summary.monitored_since)
  const shared = {
    visitorsToday,
    visitorsYesterday,
    monitoredSince,
    hasUptimePercent: hasUptimePercent({ ...summary, monitored_since: monitoredSince }),
  }
  if (!is_complete) {
    const { up, down, pending, paused, visitors_now: visitorsNow } = summary
    return { ...shared, up, down, pending, paused, visitorsNow, uptimePercent: undefined, responseMs: undefined }
  }
  const counts = { up: 0, down: 0, pending: 0, paused: 0 }
  let [responseCount, responseSum, visitorsNow] = [0, 0, 0]
  for (const monitor of monitors) {
    if (monitor.is_sample) continue
    counts[monitor.status] += 1
    // The run of a job can last for hours. In the average, it would hide how fast all other monitors respond.
    const monitorResponseMs = monitor.type === 'heartbeat' ? null : getResponseMs(monitor)
    if (monitorResponseMs === null) continue
    responseCount += 1
    responseSum += monitorResponseMs
  }
  for (const { is_sample, visitors_now } of websites) if (!is_sample) visitorsNow += visitors_now
  const responseMs = responseCount === 0 ? null : Math.round(responseSum / responseCount)
  return { ...shared, ...counts, visitorsNow, uptimePercent: summary.uptime_percent, responseMs }
}

/** Up to this many monitors are announced by name. If there are more, only their number is announced. */
const MAX_NAMED_MONITORS = 3

type MonitorState = Pick<OverviewMonitor, 'id' | 'friendly_name' | 'status'>

/** Says which monitors went down or recovered since `previousStatuses`. Empty if none did. */
export function describeStatusChanges(
  previousStatuses: ReadonlyMap<number, MonitorStatus>,
  monitors: readonly MonitorState[],
): string {
  const downMonitors = monitors.filter(({ id, status }) => status === 'down' && wasNotDown(previousStatuses.get(id)))
  const recoveredMonitors = monitors.filter(({ id, status }) => status === 'up' && previousStatuses.get(id) === 'down')
  return [
    describeMonitors(downMonitors, 'went down', 'monitors went down'),
    describeMonitors(recoveredMonitors, 'is back up', 'monitors are back up'),
  ]
    .filter(Boolean)
    .join(' ')
}

/** A new monitor has no previous status, so its first status is not a change. */
const wasNotDown = (previousStatus: MonitorStatus | undefined) =>
  previousStatus !== undefined && previousStatus !== 'down'

function describeMonitors(monitors: readonly MonitorState[], singularText: string, pluralText: string): string {
  if (monitors.length > MAX_NAMED_MONITORS) return `${formatNumber(monitors.length)} ${pluralText}.`
  return monitors.map(({ friendly_name }) => `${friendly_name} ${singularText}.`).join(' ')
}
