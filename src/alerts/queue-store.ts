/**
 * SQL for alerts that wait to be sent, across users. The alerts of each channel form a queue. `announcement.ts` decides which of them
 * are sent, and in which messages; these statements read the facts and write the decisions.
 */
import { randomUUID } from 'node:crypto'
import type { AlertedIncident, AlertSubject } from '../channels/common/channel.ts'
import type { ChannelType } from '../channels/kinds.ts'
import type { ChannelRow } from '../channels/store.ts'
import { buildNodeHasExpiredSql } from '../nodes/store.ts'
import type { OutboxMessage } from '../outbox/outbox.ts'
import { preferIndexOrderStatement } from '../outbox/store.ts'
import type { MonitorType } from '../shared/monitors.ts'
import type { SpikeDetails } from '../shared/spike.ts'
import type { Statement } from '../storage/batch.ts'
import type { Queries } from '../storage/transaction.ts'
import {
  type DelayedAlertDecision,
  type DelayedAlertFacts,
  type Grouping,
  type QueueFacts,
  STORM_WINDOW_MS,
  SUMMARY_INTERVAL_MS,
} from './announcement.ts'
import type { AlertEvent } from './schema.ts'

export interface AlertQueue {
  teamId: number
  channelId: number
  type: ChannelType
  /** Whether the last attempt to send a message of this queue failed. */
  isFailing: boolean
}

/**
 * The recursive query jumps through the index from one channel to the next, so long queues do not slow it down. It
 * returns at most `limit` queues per kind of channel, separately for working and failing ones, so that no group crowds
 * out another. Within a group, each user's queue that has been due for longest comes first, then each user's second, and so
 * on, so that no user crowds out another.
 *
 * `offset 0` makes PostgreSQL look up the channel of each queue. Without statistics, it expects a single channel and would compare
 * each queue with each channel.
 */
export async function findReadyQueues(q: Queries, now: Date, limit: number): Promise<AlertQueue[]> {
  const [, readyQueues] = await q.batch(preferIndexOrderStatement, {
    text: `with recursive queues as (
        (select user_id, provider_id from alerts where state = 'waiting' order by user_id, provider_id limit 1)
        union all
        select next.user_id, next.provider_id from queues q, lateral (
          select user_id, provider_id from alerts
           where state = 'waiting' and (user_id, provider_id) > (q.user_id, q.provider_id)
           order by user_id, provider_id limit 1
        ) next
      ), ready as (
        select p.user_id, p.id as provider_id, p.provider_type as type, p.failed_in_a_row > 0 as is_failing,
               first.next_attempt_at,
               row_number() over (
                 partition by p.provider_type, p.failed_in_a_row > 0, p.user_id order by first.next_attempt_at
               ) as place_of_user
          from queues q
          cross join lateral (
            select user_id, id, provider_type, failed_in_a_row from providers
             where user_id = q.user_id and id = q.provider_id
               and claimed_by is null and (rests_until is null or rests_until <= $1)
            offset 0
          ) p
          cross join lateral (
            select next_attempt_at from alerts
             where user_id = q.user_id and provider_id = q.provider_id and state = 'waiting'
             order by next_attempt_at limit 1
          ) first
         where first.next_attempt_at <= $1
      )
      select user_id as "teamId", provider_id as "channelId", type, is_failing as "isFailing" from (
        select user_id, provider_id, type, is_failing,
               row_number() over (partition by type, is_failing order by place_of_user, next_attempt_at) as place
          from ready
         where place_of_user <= $2
      ) ranked
      where place <= $2 order by place`,
    values: [now, limit],
  })
  return readyQueues?.rows as AlertQueue[]
}

/**
 * Releases the claims of expired nodes, and claims of this node that are not in `runningQueues`: if the response to a
 * claim is lost, the node does not know that it has claimed the queue.
 */
export async function releaseAbandonedQueues(
  q: Queries,
  nodeId: number,
  runningQueues: readonly Pick<AlertQueue, 'channelId'>[],
): Promise<void> {
  await q.query(
    `update providers p set claimed_by = null
      where claimed_by is not null and not p.id = any ($2) and (claimed_by = $1 or ${buildNodeHasExpiredSql('p.claimed_by')})`,
    [nodeId, runningQueues.map(({ channelId }) => channelId)],
  )
}

/**
 * Returns the ids of the claimed channels. Other nodes may have claimed some of `queues` in the meantime. Because the inner query
 * locks rows, PostgreSQL doesn't merge it with the outer one, and looks up each channel. It could otherwise compare each queue with
 * each channel.
 */
export async function claimAlertQueues(
  q: Queries,
  nodeId: number,
  queues: readonly AlertQueue[],
  now: Date,
): Promise<Set<number>> {
  const [, claimed] = await q.batch(preferIndexOrderStatement, {
    text: `with free as materialized (
        select p.user_id, p.id
          from unnest($2::bigint[], $3::bigint[]) as requested (user_id, id)
         cross join lateral (
           select user_id, id from providers
            where user_id = requested.user_id and id = requested.id
              and claimed_by is null and (rests_until is null or rests_until <= $4)
              for no key update skip locked
         ) p
      )
      update providers p set claimed_by = $1 from free
       where p.user_id = free.user_id and p.id = free.id
      returning p.id`,
    values: [nodeId, queues.map(({ teamId }) => teamId), queues.map(({ channelId }) => channelId), now],
  })
  return new Set(claimed?.rows.map(({ id }) => id as number))
}

export interface DelayedAlert extends DelayedAlertFacts {
  teamId: number
  alertId: number
}

/** Limits how much one statement reads. The caller repeats it until it has decided about all delayed alerts. */
const MAX_DELAYED_ALERTS = 1_000

/** Returns the delayed alerts of a queue, or of all queues, whose delay or incident has ended, or whose incident was acknowledged. */
export function selectDelayedAlerts(now: Date, queue?: Pick<AlertQueue, 'teamId' | 'channelId'>): Statement {
  const inQueue = queue === undefined ? '' : 'a.user_id = $3 and a.provider_id = $4 and'
  return {
    text: `select a.user_id as "teamId", a.id as "alertId", a.delayed_until as "delayedUntil", i.resolved_at as "resolvedAt",
                  i.acknowledged_at as "acknowledgedAt",
                  exists (
                    select from assignments s
                     where s.user_id = a.user_id and s.monitor_id = a.monitor_id and s.provider_id = a.provider_id and s.enabled
                  ) as "isAssigned",
                  is_in_maintenance(a.user_id, a.monitor_id, $1) as "isInMaintenance", m.maintenance_until as "maintenanceUntil"
             from alerts a
             join monitors m on m.user_id = a.user_id and m.id = a.monitor_id
             left join incidents i on i.user_id = a.user_id and i.monitor_id = a.monitor_id and i.id = a.incident_id
            where ${inQueue} a.state = 'waiting' and a.delayed_until is not null
              and (a.delayed_until <= $1 or i.resolved_at is not null or i.acknowledged_at is not null)
            limit $2`,
    values: [now, MAX_DELAYED_ALERTS, ...(queue === undefined ? [] : [queue.teamId, queue.channelId])],
  }
}

export async function findDelayedAlerts(q: Queries, now: Date): Promise<DelayedAlert[]> {
  const [delayed] = await q.batch(selectDelayedAlerts(now))
  return delayed?.rows as DelayedAlert[]
}

/**
 * If two nodes decide about an alert at the same time, the first decision counts: after it, the alert no longer waits, is no longer
 * delayed, or is locked. Returns the number of changed alerts.
 */
export async function writeDelayedAlerts(
  q: Queries,
  decisions: readonly (Pick<DelayedAlert, 'teamId' | 'alertId'> & DelayedAlertDecision)[],
): Promise<number> {
  const [changed] = await q.batch({
    text: `with decided as materialized (
             select a.user_id, a.id, a.provider_id, a.monitor_id, a.incident_id, n.action, n.until
               from json_to_recordset($1) as n ("teamId" bigint, "alertId" bigint, action text, until timestamptz)
               join alerts a on a.user_id = n."teamId" and a.id = n."alertId"
              where a.next_attempt_at is not null and a.delayed_until is not null
                for no key update of a skip locked
           ), skipped_recoveries as (
             update alerts a
                set state = 'skipped', next_attempt_at = null
               from decided d
              where a.user_id = d.user_id and a.provider_id = d.provider_id and a.monitor_id = d.monitor_id
                and a.incident_id = d.incident_id and a.event = 'recovered' and a.state = 'waiting' and d.action = 'skip'
           )
           update alerts a
              set state = case d.action when 'skip' then 'skipped' else a.state end,
                  delayed_until = case d.action when 'skip' then a.delayed_until when 'delay' then d.until end,
                  next_attempt_at = case d.action when 'delay' then d.until when 'send' then a.next_attempt_at end
             from decided d
            where a.user_id = d.user_id and a.id = d.id`,
    values: [JSON.stringify(decisions)],
  })
  return changed?.count ?? 0
}

/**
 * Returns the `QueueFacts` of a queue, if it is still claimed by this node. An alert can be combined only if no earlier
 * alert about its monitor has to be sent alone, which keeps the alerts about one monitor in order. Outside of storms,
 * the query reads no alerts.
 *
 * `readQueueFacts` sorts the alerts. If the query sorted these few rows, PostgreSQL would read all alerts of the user
 * in the order of their ids, because of `preferIndexOrderStatement`.
 */
export function selectQueueFacts({ teamId, channelId }: AlertQueue, nodeId: number, now: Date): Statement {
  return {
    text: `select t.group_alerts as "groupsAlerts", p.last_sent_at as "lastSentAt", p.last_sent_monitor_id as "lastSentMonitorId",
             coalesce(combinable.due_alerts, '[]') as "dueAlerts",
             coalesce(combinable.is_about_other_monitors, false) as "isAboutOtherMonitors"
        from providers p
        join teams t on t.id = p.user_id
       cross join lateral (
         select json_agg(json_build_object('id', a.id, 'monitorId', a.monitor_id)) filter (where a.next_attempt_at <= $4) as due_alerts,
                bool_or(a.monitor_id is distinct from p.last_sent_monitor_id) as is_about_other_monitors
           from alerts a
          where t.group_alerts and p.last_sent_at > $4::timestamptz - $5 * interval '1 millisecond'
            and a.user_id = $1 and a.provider_id = $2 and a.state = 'waiting'
            and a.next_attempt_at <= greatest($4, p.last_sent_at + $6 * interval '1 millisecond')
            and a.event in ('down', 'recovered') and a.attempts = 0 and a.group_id is null and a.delayed_until is null
            and coalesce(a.id < (
              select other.id from alerts other
               where other.user_id = $1 and other.monitor_id = a.monitor_id and other.provider_id = $2
                 and other.state = 'waiting' and (other.event <> 'certificate' or other.delayed_until is null)
                 and (other.event not in ('down', 'recovered') or other.attempts > 0 or other.group_id is not null
                      or other.delayed_until is not null)
               order by other.id limit 1
            ), true)
       ) combinable
       where p.user_id = $1 and p.id = $2 and p.claimed_by = $3`,
    values: [teamId, channelId, nodeId, now, STORM_WINDOW_MS, SUMMARY_INTERVAL_MS],
  }
}

interface ClaimedQueueFacts {
  delayedAlerts: DelayedAlert[]
  /** undefined if the channel needs one message per alert, or if the queue is no longer claimed by this node. */
  queue: QueueFacts | undefined
}

/** Runs `statements` first, in the same round trip and transaction. */
export async function readQueueFacts(
  q: Queries,
  { queue, nodeId, now, isGrouped }: { queue: AlertQueue; nodeId: number; now: Date; isGrouped: boolean },
  statements: readonly Statement[] = [],
): Promise<ClaimedQueueFacts> {
  const results = await q.batch(
    preferIndexOrderStatement,
    ...statements,
    selectDelayedAlerts(now, queue),
    ...(isGrouped ? [selectQueueFacts(queue, nodeId, now)] : []),
  )
  const [delayed, grouped] = results.slice(1 + statements.length)
  const facts = grouped?.rows[0] as QueueFacts | undefined
  const dueAlerts = facts?.dueAlerts.toSorted((a, b) => a.id - b.id) ?? []
  return { delayedAlerts: delayed?.rows as DelayedAlert[], queue: facts && { ...facts, dueAlerts } }
}

/** The ids of messages are stored before the messages are sent, so that a message that is repeated after a crash has the same id. */
function writeGrouping(
  { teamId, channelId }: AlertQueue,
  { nodeId, now, grouping }: { nodeId: number; now: Date; grouping: Grouping },
): Statement[] {
  const postponed = grouping.postponed?.alertIds.map((alertId) => ({ alertId, dueAt: grouping.postponed?.until })) ?? []
  const combined = grouping.messages.flatMap((alertIds) => {
    const messageId = randomUUID()
    return alertIds.map((alertId) => ({ alertId, dueAt: now, messageId }))
  })
  if (postponed.length + combined.length === 0) return []
  return [
    {
      text: `update alerts a
                set group_id = n."messageId", next_attempt_at = n."dueAt"
               from json_to_recordset($4) as n ("alertId" bigint, "dueAt" timestamptz, "messageId" uuid)
              where a.user_id = $1 and a.id = n."alertId" and a.next_attempt_at is not null and a.attempts = 0 and a.group_id is null
                and exists (select from providers where user_id = $1 and id = $2 and claimed_by = $3)`,
      values: [teamId, channelId, nodeId, JSON.stringify([...postponed, ...combined])],
    },
  ]
}

export interface AlertMessage extends OutboxMessage {
  alertId: number
  event: AlertEvent
  title: string
  /** Distinguishes alerts of the same event, such as two reminders of one incident. */
  occurrence: string
  monitor: AlertSubject['monitor']
  /** null for expiry warnings and traffic spikes. */
  incident: AlertedIncident | null
  /** Set only for traffic spikes. */
  details: SpikeDetails | null
  /** Id of the message that announced the incident to this channel. null for that message itself, or if it was not sent. */
  downMessageId: string | null
  /** How the receiver responded to that message. */
  downResponse: string | null
  channel: ChannelRow
}

/** One message: a single alert, or the alerts of a group. */
export interface AlertDelivery extends OutboxMessage {
  /** The alerts in the order of their ids. */
  alerts: readonly [AlertMessage, ...AlertMessage[]]
}

/** Writes the decision about a queue, and picks its next message in the same round trip. Returns undefined if none is due. */
export async function groupAndPickNext(
  q: Queries,
  queue: AlertQueue,
  decision: { nodeId: number; now: Date; grouping: Grouping },
): Promise<AlertDelivery | undefined> {
  const results = await q.batch(
    preferIndexOrderStatement,
    ...writeGrouping(queue, decision),
    selectNextAlerts(queue, { ...decision, singleMonitorId: decision.grouping.singleMonitorId }),
  )
  return toAlertDelivery(results.at(-1)?.rows as PickedAlertRow[])
}

/**
 * Selects the next due alert and the other alerts of its group, if the queue is still claimed by this node. Alerts
 * about one monitor are sent in the order of their ids, except that they don't wait for a warning that waits for the
 * end of a maintenance. `offset 0` makes PostgreSQL look up the alerts by their ids. It would otherwise read all alerts
 * of the user, because the planner assumes that row level security leaves a single row.
 *
 * The query doesn't sort its result, and neither does the search for `down`, which finds at most one alert. If they
 * sorted these few rows, PostgreSQL would read all alerts of the user in the order of their ids, because of
 * `preferIndexOrderStatement`.
 */
export function selectNextAlerts(
  { teamId, channelId }: AlertQueue,
  { nodeId, now, singleMonitorId }: { nodeId: number; now: Date } & Pick<Grouping, 'singleMonitorId'>,
): Statement {
  return {
    text: `with first as materialized (
        select a.id, a.group_id
          from providers p
         cross join lateral (
            select a.id, a.group_id
              from alerts a
             where a.user_id = p.user_id and a.provider_id = p.id and a.state = 'waiting' and a.next_attempt_at <= $4
               and a.delayed_until is null
               and not ($5 and a.event in ('down', 'recovered') and a.attempts = 0 and a.group_id is null
                           and a.monitor_id is distinct from $6::bigint)
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
             (select json_build_array(coalesce(down.group_id, down.message_id), down.answer) from alerts down
               where down.user_id = a.user_id and down.monitor_id = a.monitor_id and down.event = 'down'
                 and down.incident_id = a.incident_id and down.provider_id = a.provider_id and down.state = 'sent'
               limit 1) as down_message,
             m.id as monitor_id, m.friendly_name, m.url, m.type, m.tags,
             i.id as incident_id, i.cause, i.detail, i.started_at, i.resolved_at, i.impact, i.visitors, i.diagnosis,
             i.acknowledged_by, p.failed_in_a_row, p.id, p.user_id, p.provider_type, p.name, p.assign_by_default, p.settings, p.secrets,
             p.failure, p.failed_at, p.created_at, p.updated_at
        from members
        cross join lateral (select * from alerts where user_id = $1 and id = members.id offset 0) a
        join providers p on p.user_id = $1 and p.id = $2
        join monitors m on m.user_id = a.user_id and m.id = a.monitor_id
        left join incidents i on i.user_id = a.user_id and i.monitor_id = a.monitor_id and i.id = a.incident_id`,
    values: [teamId, channelId, nodeId, now, singleMonitorId !== undefined, singleMonitorId ?? null],
  }
}

interface PickedAlertRow extends ChannelRow {
  alert_id: number
  message_id: string
  group_id: string | null
  event: AlertEvent
  occurrence: string
  title: string
  attempts: number
  alert_created_at: Date
  details: SpikeDetails | null
  /** Its id, and how the receiver responded. */
  down_message: [string, string | null] | null
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
  acknowledged_by: string | null
  failed_in_a_row: number
}

/** Returns undefined if there are no rows. */
function toAlertDelivery(rows: readonly PickedAlertRow[]): AlertDelivery | undefined {
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
  const { down_message, monitor_id, friendly_name, url, type, tags, failed_in_a_row, ...incidentAndChannel } = rest
  const { incident_id, cause, detail, started_at, resolved_at, ...measuresAndChannel } = incidentAndChannel
  const { impact, visitors, diagnosis, acknowledged_by, ...channel } = measuresAndChannel
  const times = { startedAt: started_at, resolvedAt: resolved_at }
  const incident = { cause, detail, ...times, impact, visitors, diagnosis, acknowledgedBy: acknowledged_by }
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
    downMessageId: down_message?.[0] ?? null,
    downResponse: down_message?.[1] ?? null,
    channel,
  }
}
