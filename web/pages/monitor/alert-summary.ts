import { pluralize } from '../../lib/format.ts'
import type { Alert, Incident } from './queries.ts'

/** Says in one line how many alerts about an incident were sent, are pending, failed or were skipped. */
export function summarizeAlerts(alerts: readonly Alert[], hasAllAlerts: boolean): string {
  if (!hasAllAlerts) return 'Notifications'
  if (alerts.length === 0) return 'No notifications sent'
  const countInState = (state: Alert['state']) => alerts.filter((alert) => alert.state === state).length
  const parts = [
    { count: countInState('sent'), label: 'sent' },
    { count: countInState('waiting'), label: 'pending' },
    { count: countInState('failed'), label: 'failed' },
    { count: countInState('skipped'), label: 'skipped' },
  ].filter((part) => part.count > 0)
  // Only the first part contains the word "notifications": "2 notifications sent, 1 failed".
  return parts
    .map(({ count, label }, index) => `${index === 0 ? pluralize(count, 'notification') : count} ${label}`)
    .join(', ')
}

type CombinedAlert = Pick<Alert, 'state' | 'message_alerts'>

/** During an outage, one message can contain the alerts of many monitors. */
export const isCombined = ({ state, message_alerts }: CombinedAlert) => message_alerts > 1 && state !== 'skipped'

/** "sent together with 4 others". */
export const describeCombination = ({ state, message_alerts }: CombinedAlert) =>
  `${state === 'sent' ? 'sent together' : 'in one message'} with ${pluralize(message_alerts - 1, 'other')}`

/**
 * Whether a response with the newest alerts of several incidents contains all alerts of the given incident. No alert is
 * older than its incident. So if the incident started after the oldest alert of the response, none of its alerts is
 * missing.
 */
export function hasAllAlertsOf(
  { started_at }: Pick<Incident, 'started_at'>,
  { data, meta }: { data: readonly Pick<Alert, 'created_at'>[]; meta: { total: number } },
): boolean {
  return meta.total <= data.length || started_at > (data.at(-1)?.created_at ?? '')
}
