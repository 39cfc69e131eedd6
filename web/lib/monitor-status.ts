/** How the pages name the status of a monitor. */
import type { MonitorStatus, MonitorType } from '../../src/shared/monitors.ts'

export const statusLabels: Record<MonitorStatus, string> = {
  up: 'Up',
  down: 'Down',
  pending: 'Pending',
  paused: 'Paused',
}

/** The fields of a monitor that decide how its status is named. */
export interface MonitorWithStatus {
  status: MonitorStatus
  type: MonitorType
  last_checked_at: string | null
  is_sample: boolean
}

/**
 * Whether the monitor is a heartbeat that never came. A heartbeat that was paused and resumed is pending, too, but has
 * the time of its last beat.
 */
export const isWaitingForSignal = ({ type, status, last_checked_at }: MonitorWithStatus): boolean =>
  type === 'heartbeat' && status === 'pending' && last_checked_at === null

export const NO_SIGNAL_LABEL = 'No signal yet'
/** A sample monitor checks nothing, so it is neither up nor paused. */
export const SAMPLE_LABEL = 'Sample'

/** “Pending” would not say what a heartbeat waits for that never came. */
export function getStatusLabel(monitor: MonitorWithStatus): string {
  if (monitor.is_sample) return SAMPLE_LABEL
  return isWaitingForSignal(monitor) ? NO_SIGNAL_LABEL : statusLabels[monitor.status]
}
