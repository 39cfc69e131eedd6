/** SQL that picks the next message of a queue: an alert, or several alerts that were combined, with the data for the message. */

import type { AlertedIncident, AlertSubject } from '../channels/common/channel.ts'
import type { ChannelRow } from '../channels/store.ts'
import type { OutboxMessage } from '../outbox/source.ts'
import type { MonitorType } from '../shared/monitors.ts'
import type { SpikeDetails } from '../shared/spike.ts'
import type { Statement } from '../storage/batch.ts'
import { STORM_WINDOW_SECONDS } from './group-store.ts'
import type { AlertQueue } from './outbox-store.ts'
import type { AlertEvent } from './schema.ts'

export interface AlertMessage extends OutboxMessage {
  alertId: number
  event: AlertEvent
  title: string
  /** Distinguishes alerts of the same event, such as two reminders of one incident. */
  occurrence: string
  monitor: AlertSubject['monitor']
  /** null for alerts about a certificate or a traffic spike. */
  incident: AlertedIncident | null
  /** Only for traffic spikes. */
  details: SpikeDetails | null
  /** Id of the message that told this channel about the incident. null for that message itself, or if it was not sent. */
  downMessageId: string | null
  channel: ChannelRow
}

/** One message: a single alert, or the alerts of a group. */
export interface AlertDelivery extends OutboxMessage {
  /** In the order of their ids. */
  alerts: readonly [AlertMessage, ...AlertMessage[]]
}

/**
 * Selects the next due alert and the other alerts of its group, if the queue is still claimed by this node. Alerts about one monitor
 * are sent in the order of their ids, except that they don't wait for a warning that waits for the end of a maintenance. During a
 * storm, it skips alerts that were stored after `groupAlerts` ran: the next run combines them. `offset 0` makes PostgreSQL look up the
 * alerts by their ids. It would otherwise read all alerts of the user, because the planner assumes that row level security leaves a
 * single one.
 *
 * The result has no order, and neither has the search for `down`, which finds one alert at most. With `preferIndexOrderStatement`,
 * PostgreSQL would read all alerts of the user in the order of their ids rather than sort the few rows.
 */
export function pickNextAlerts(
  { userId, channelId }: AlertQueue,
  { nodeId, now, isGrouped }: { nodeId: number; now: Date; isGrouped: boolean },
): Statement {
  return {
    text: `with first as materialized (
        select a.id, a.group_id
          from providers p
          join users u on u.id = p.user_id
         cross join lateral (
            select a.id, a.group_id
              from alerts a
             where a.user_id = p.user_id and a.provider_id = p.id and a.state = 'waiting' and a.next_attempt_at <= $4
               and ($5 and u.group_alerts and p.last_sent_at > $4::timestamptz - $6 * interval '1 second'
                        and a.event in ('down', 'recovered') and a.attempts = 0 and a.group_id is null
                        and a.monitor_id is distinct from p.last_sent_monitor_id) is not true
               and a.id = (select e.id from alerts e where e.user_id = a.user_id and e.monitor_id = a.monitor_id
                              and e.provider_id = a.provider_id and e.state = 'waiting'
                              and (e.event <> 'certificate' or e.delayed_until is null) order by e.id limit 1)
             order by a.next_attempt_at, a.id limit 1
          ) a
         where p.user_id = $1 and p.id = $2 and p.claimed_by = $3
      ), members as materialized (
        select id from first where group_id is null
        union all
        select g.id from first
          join alerts g on g.user_id = $1 and g.group_id = first.group_id and g.state = 'waiting'
      )
      select a.id as alert_id, a.message_id, a.group_id, a.event, a.occurrence, a.title, a.attempts,
             a.created_at as alert_created_at, a.details,
             (select coalesce(down.group_id, down.message_id) from alerts down
               where down.user_id = a.user_id and down.monitor_id = a.monitor_id and down.event = 'down'
                 and down.incident_id = a.incident_id and down.provider_id = a.provider_id and down.state = 'sent'
               limit 1) as down_message_id,
             m.id as monitor_id, m.friendly_name, m.url, m.type, m.tags,
             i.id as incident_id, i.cause, i.detail, i.started_at, i.resolved_at, i.impact, i.visitors, i.diagnosis,
             p.failed_in_a_row, p.id, p.user_id, p.provider_type, p.name, p.assign_by_default, p.settings, p.secrets,
             p.failure, p.failed_at, p.created_at, p.updated_at
        from members
        cross join lateral (select * from alerts where user_id = $1 and id = members.id offset 0) a
        join providers p on p.user_id = $1 and p.id = $2
        join monitors m on m.user_id = a.user_id and m.id = a.monitor_id
        left join incidents i on i.user_id = a.user_id and i.monitor_id = a.monitor_id and i.id = a.incident_id`,
    values: [userId, channelId, nodeId, now, isGrouped, STORM_WINDOW_SECONDS],
  }
}

export interface PickedAlertRow extends ChannelRow {
  alert_id: number
  message_id: string
  group_id: string | null
  event: AlertEvent
  occurrence: string
  title: string
  attempts: number
  alert_created_at: Date
  details: SpikeDetails | null
  down_message_id: string | null
  monitor_id: number
  friendly_name: string
  url: string
  type: MonitorType
  tags: string[]
  incident_id: number | null
  cause: string
  detail: string
  started_at: Date
  resolved_at: Date | null
  impact: AlertedIncident['impact']
  visitors: AlertedIncident['visitors']
  diagnosis: AlertedIncident['diagnosis']
  failed_in_a_row: number
}

/** Returns undefined if there are no rows. */
export function toAlertDelivery(rows: readonly PickedAlertRow[]): AlertDelivery | undefined {
  const [first, ...others] = rows.toSorted((a, b) => a.alert_id - b.alert_id)
  if (first === undefined) return undefined
  const alerts = [toAlertMessage(first), ...others.map(toAlertMessage)] as const
  return {
    alerts,
    messageId: first.group_id ?? first.message_id,
    createdAt: new Date(Math.min(...alerts.map(({ createdAt }) => createdAt.getTime()))),
    attempts: first.attempts,
    failuresInARow: first.failed_in_a_row,
  }
}

function toAlertMessage({ group_id: _, ...row }: PickedAlertRow): AlertMessage {
  const { alert_id, message_id, event, occurrence, title, attempts, alert_created_at, details, ...rest } = row
  const { down_message_id, monitor_id, friendly_name, url, type, tags, failed_in_a_row, ...incidentAndChannel } = rest
  const { incident_id, cause, detail, started_at, resolved_at, ...measuresAndChannel } = incidentAndChannel
  const { impact, visitors, diagnosis, ...channel } = measuresAndChannel
  const incident = { cause, detail, startedAt: started_at, resolvedAt: resolved_at, impact, visitors, diagnosis }
  return {
    alertId: alert_id,
    messageId: message_id,
    event,
    occurrence,
    title,
    attempts,
    createdAt: alert_created_at,
    failuresInARow: failed_in_a_row,
    monitor: { id: monitor_id, friendlyName: friendly_name, url, type, tags },
    incident: incident_id === null ? null : { id: incident_id, ...incident },
    details,
    downMessageId: down_message_id,
    channel,
  }
}
