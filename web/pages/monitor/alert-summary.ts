import { pluralize } from '../../lib/format.ts'
import type { Alert } from './queries.ts'

/** Counts the alerts about an incident in one line. */
export function summarizeAlerts(alerts: readonly Alert[], hasAllAlerts: boolean): string {
  if (!hasAllAlerts) return 'Notifications'
  if (alerts.length === 0) return 'No notifications sent'
  const countInState = (state: Alert['state']) => alerts.filter((alert) => alert.state === state).length
  const parts = [
    { count: countInState('sent'), label: 'sent' },
    { count: countInState('waiting'), label: 'pending' },
    { count: countInState('failed'), label: 'failed' },
  ].filter((part) => part.count > 0)
  // Only the first part names the noun: "2 notifications sent, 1 failed".
  return parts
    .map(({ count, label }, index) => `${index === 0 ? pluralize(count, 'notification') : count} ${label}`)
    .join(', ')
}
