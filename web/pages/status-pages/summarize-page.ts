import { pluralize } from '../../lib/format.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { listPageMonitors, type StatusPage } from '../../lib/status-pages.ts'

export interface PageSummary {
  tone: 'up' | 'down' | 'maintenance' | 'unknown'
  text: string
}

type MonitorState = Pick<OverviewMonitor, 'id' | 'status' | 'maintenance_until'>

/** Summarizes the status of a page's monitors. As on the page itself, paused and pending monitors don't count. */
export function summarizePage(
  page: Pick<StatusPage, 'groups'>,
  monitors: readonly MonitorState[] | undefined,
): PageSummary {
  const ids = new Set(listPageMonitors(page).map(({ monitor_id }) => monitor_id))
  if (ids.size === 0) return { tone: 'unknown', text: 'No monitors' }
  if (monitors === undefined) return { tone: 'unknown', text: '…' }
  const ownMonitors = monitors.filter(({ id }) => ids.has(id))
  const countedMonitors = ownMonitors.filter(
    ({ status, maintenance_until }) => maintenance_until !== null || isUpOrDown(status),
  )
  const downCount = ownMonitors.filter(
    ({ status, maintenance_until }) => status === 'down' && maintenance_until === null,
  ).length
  if (downCount > 0)
    return { tone: 'down', text: `${downCount} of ${pluralize(countedMonitors.length, 'monitor')} down` }
  if (ownMonitors.some(({ maintenance_until }) => maintenance_until !== null)) {
    return { tone: 'maintenance', text: 'Maintenance in progress' }
  }
  return countedMonitors.length > 0
    ? { tone: 'up', text: 'All systems operational' }
    : { tone: 'unknown', text: 'No data yet' }
}

const isUpOrDown = (status: MonitorState['status']) => status === 'up' || status === 'down'
