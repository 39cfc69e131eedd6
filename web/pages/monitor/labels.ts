/** Closed sets of the API in words for people. */
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import type { Alert, Incident, WindowName } from './queries.ts'

export const windowWords: Record<WindowName, string> = {
  '24h': '24 hours',
  '30d': '30 days',
  '6mo': '6 months',
  '1y': '1 year',
}

export const eventWords: Record<Alert['event'], string> = {
  down: 'Down',
  recovered: 'Up again',
  reminder: 'Reminder',
  certificate: 'Certificate',
}

type Pending = Pick<MonitorRecord, 'status_changed_at' | 'last_checked_at' | 'last_error'>

/** What one without a verdict waits for: it may be new, may have been paused, or its failure is to be confirmed. */
export function pendingWords({ status_changed_at, last_checked_at, last_error }: Pending): string {
  if (last_checked_at === null) return 'The first check is on its way.'
  const hasFailed = last_error !== null && last_checked_at >= status_changed_at
  return hasFailed ? 'It failed, and is checked again.' : 'Waiting for the next check.'
}

export function endWords({ status, resolution }: Pick<Incident, 'status' | 'resolution'>): string {
  if (status === 'open') return 'Goes on'
  return resolution === 'paused' ? 'The monitor was paused' : 'It came back'
}
