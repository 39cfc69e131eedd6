import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { formatDurationSeconds } from '../../lib/format.ts'
import type { Alert, ChartWindow, Incident } from './queries.ts'

/** These labels also follow the words "the last", so a year is "12 months" rather than "1 year". */
export const windowLabels: Record<ChartWindow, string> = {
  '1h': 'hour',
  '24h': '24 hours',
  '30d': '30 days',
  '6mo': '6 months',
  '1y': '12 months',
}

export const alertEventLabels: Record<Alert['event'], string> = {
  down: 'Down alert',
  recovered: 'Recovery alert',
  reminder: 'Reminder',
  certificate: 'Certificate warning',
  spike: 'Traffic spike',
}

type PendingMonitor = Pick<MonitorRecord, 'type' | 'status_changed_at' | 'last_checked_at' | 'last_error'>

/** A pending monitor is new, was just resumed, or has failed and is being checked again. */
export function describePending({ type, status_changed_at, last_checked_at, last_error }: PendingMonitor): string {
  if (type === 'heartbeat') return `Waiting for the ${last_checked_at === null ? 'first' : 'next'} beat`
  if (type === 'traffic') return 'Waiting for enough traffic to know what is usual'
  if (last_checked_at === null) return 'Waiting for the first check'
  const hasFailed = last_error !== null && last_checked_at >= status_changed_at
  return hasFailed ? 'Check failed, retrying' : 'Waiting for the next check'
}

export function describeIncident({ status, resolution }: Pick<Incident, 'status' | 'resolution'>, seconds: number) {
  const duration = formatDurationSeconds(seconds)
  if (status === 'open') return `Ongoing for ${duration}`
  return resolution === 'paused' ? `Closed after ${duration}` : `Resolved after ${duration}`
}
