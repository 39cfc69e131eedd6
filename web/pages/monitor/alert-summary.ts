import { pluralize } from '../../lib/format.ts'
import type { Alert } from './queries.ts'

/** Counts the alerts about an incident in one line. */
export function summarizeAlerts(alerts: readonly Alert[], hasAllAlerts: boolean): string {
  if (!hasAllAlerts) return 'Notifications'
  if (alerts.length === 0) return 'No notifications sent'
  const count = (state: Alert['state']) => alerts.filter((alert) => alert.state === state).length
  const parts = [
    { count: count('sent'), label: 'sent' },
    { count: count('waiting'), label: 'pending' },
    { count: count('failed'), label: 'failed' },
  ].filter((part) => part.count > 0)
  // Only the first part names the noun: "2 notifications sent, 1 failed".
  return parts
    .map(({ count, label }, index) => `${index === 0 ? pluralize(count, 'notification') : count} ${label}`)
    .join(', ')
}
