/** What happened during an incident, as a list of events. This module is pure. */
import type { AlertRecord } from '../../../src/alerts/schema.ts'
import { MINUTE_MS } from '../../../src/shared/time.ts'
import type { AccountIncident, IncidentNote } from '../../lib/incidents.ts'

type TimelineAlert = Pick<AlertRecord, 'id' | 'event' | 'state' | 'created_at' | 'last_attempt_at' | 'next_attempt_at'>

/** Alerts of the same kind that were sent within this time are one event. */
const GROUP_MS = MINUTE_MS

export interface AlertGroup<T extends TimelineAlert> {
  kind: 'alerts'
  at: string
  event: T['event']
  state: T['state']
  alerts: T[]
}

export type TimelineEvent<T extends TimelineAlert> =
  | { kind: 'started' | 'detected' | 'acknowledged' | 'resolved'; at: string }
  | { kind: 'note'; at: string; note: IncidentNote }
  | AlertGroup<T>

type TimelineIncident = Pick<
  AccountIncident,
  'started_at' | 'detected_at' | 'acknowledged_at' | 'resolved_at' | 'notes'
>

/** When the alert was sent, failed, will be sent or was skipped. */
const toAlertTime = ({ state, created_at, last_attempt_at, next_attempt_at }: TimelineAlert) =>
  (state === 'waiting' ? next_attempt_at : last_attempt_at) ?? created_at

/** The order of events with the same time. */
const ranks: Record<TimelineEvent<TimelineAlert>['kind'], number> = {
  started: 0,
  detected: 1,
  acknowledged: 2,
  resolved: 3,
  alerts: 4,
  note: 5,
}

/** Returns the newest event first. */
export function listTimeline<T extends TimelineAlert>(
  incident: TimelineIncident,
  alerts: readonly T[],
): TimelineEvent<T>[] {
  const { started_at, detected_at, acknowledged_at, resolved_at, notes } = incident
  const events: TimelineEvent<T>[] = [
    { kind: 'started', at: started_at },
    // Without retries, the first failed check already confirms the failure.
    ...(detected_at === started_at ? [] : [{ kind: 'detected', at: detected_at } as const]),
    ...(acknowledged_at === null ? [] : [{ kind: 'acknowledged', at: acknowledged_at } as const]),
    ...(resolved_at === null ? [] : [{ kind: 'resolved', at: resolved_at } as const]),
    ...notes.map((note) => ({ kind: 'note', at: note.created_at, note }) as const),
    ...groupAlerts(alerts),
  ]
  return events.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || ranks[a.kind] - ranks[b.kind]).toReversed()
}

/** Each group has the time of its first alert. */
function groupAlerts<T extends TimelineAlert>(alerts: readonly T[]): AlertGroup<T>[] {
  const groups: AlertGroup<T>[] = []
  const sortedAlerts = alerts.toSorted(
    (a, b) => toAlertTime(a).localeCompare(toAlertTime(b)) || a.id.localeCompare(b.id),
  )
  for (const alert of sortedAlerts) {
    const { event, state } = alert
    const at = toAlertTime(alert)
    const group = groups.findLast((group) => group.event === event && group.state === state)
    if (group && Date.parse(at) - Date.parse(group.at) < GROUP_MS) group.alerts.push(alert)
    else groups.push({ kind: 'alerts', at, event, state, alerts: [alert] })
  }
  return groups
}
