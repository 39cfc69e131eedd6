/** Counts and status changes of all monitors, for the summary line and the live region. */
import type { MonitorStatus } from '../../../src/shared/monitors.ts'
import { formatNumber } from '../../lib/format.ts'
import type { OverviewMonitor, OverviewWebsite } from '../../lib/queries.ts'

export interface OverviewCounts extends Record<MonitorStatus, number> {
  visitors: number
}

export function countStatusesAndVisitors(
  websites: readonly OverviewWebsite[],
  monitors: readonly OverviewMonitor[],
): OverviewCounts {
  const counts = { up: 0, down: 0, pending: 0, paused: 0, visitors: 0 }
  for (const { status } of monitors) counts[status] += 1
  for (const { visitors_now } of websites) counts.visitors += visitors_now
  return counts
}

/** Up to this many monitors are announced by name, more than that as a number. */
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

/** A new monitor has no previous status, so its first one is not a change. */
const wasNotDown = (previousStatus: MonitorStatus | undefined) =>
  previousStatus !== undefined && previousStatus !== 'down'

function describeMonitors(monitors: readonly MonitorState[], singularText: string, pluralText: string): string {
  if (monitors.length > MAX_NAMED_MONITORS) return `${formatNumber(monitors.length)} ${pluralText}.`
  return monitors.map(({ friendly_name }) => `${friendly_name} ${singularText}.`).join(' ')
}
