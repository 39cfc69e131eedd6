/** SQL that combines alerts about several monitors into one message. */
import type { Statement } from '../storage/batch.ts'
import type { AlertQueue } from './outbox-store.ts'

/** An alert is part of a storm if the channel got a message about a different monitor within this time before it. */
export const STORM_WINDOW_SECONDS = 60
/** The time between two summaries. */
const SUMMARY_INTERVAL_SECONDS = 30
/** A summary that is too long for one message becomes several, but never more than this. */
const MAX_MESSAGES_PER_SUMMARY = 4

/**
 * During a storm, moves the due alerts of the queue to the time of the next summary, or, at that time, gives them the id of a common
 * message. It must run before each selection of the queue's next alert. Alerts that it doesn't change are sent one by one:
 * - the first one: the channel's last message was more than a minute ago,
 * - those about the same monitor as the channel's last message, unless alerts about other monitors wait,
 * - those that were attempted: a retry must have the same content, because the message may have arrived,
 * - reminders and warnings about certificates.
 *
 * The condition on `other` keeps alerts about one monitor in order. All alerts about a monitor get into the same message. The ids of
 * messages are stored before the messages are sent, so that a message that is repeated after a crash has the same id.
 */
export function groupAlerts(queue: AlertQueue, nodeId: number, now: Date, maxMonitors: number): Statement {
  return {
    text: `with queue as (
        select p.last_sent_monitor_id, p.last_sent_at + $6 * interval '1 second' as summary_at
          from providers p
          join users u on u.id = p.user_id
         where p.user_id = $1 and p.id = $2 and p.claimed_by = $3 and u.group_alerts
           and p.last_sent_at > $4::timestamptz - $5 * interval '1 second'
      ), candidates as materialized (
        select a.id, a.monitor_id, a.next_attempt_at, q.last_sent_monitor_id, q.summary_at
          from queue q
          join alerts a on a.user_id = $1 and a.provider_id = $2 and a.state = 'waiting'
                       and a.next_attempt_at <= greatest($4, q.summary_at)
         where a.event in ('down', 'recovered') and a.attempts = 0 and a.group_id is null and a.delayed_until is null
           and coalesce(a.id < (
             select other.id from alerts other
              where other.user_id = $1 and other.monitor_id = a.monitor_id and other.provider_id = $2
                and other.state = 'waiting' and (other.event <> 'certificate' or other.delayed_until is null)
                and (other.event not in ('down', 'recovered') or other.attempts > 0 or other.group_id is not null
                     or other.delayed_until is not null)
              order by other.id limit 1
           ), true)
      ), storm as (
        select * from candidates
         where exists (select from candidates where monitor_id is distinct from last_sent_monitor_id)
      ), held as (
        update alerts
           set next_attempt_at = (select summary_at from queue)
         where user_id = $1 and next_attempt_at is not null
           and id = any (array(select id from storm where next_attempt_at <= $4 and summary_at > $4))
      ), due as (
        select id, monitor_id, min(id) over (partition by monitor_id) as first_id
          from storm
         where summary_at <= $4
      ), monitor_count as materialized (
        select count(distinct monitor_id) as total from due
      ), parts as materialized (
        select id,
               (dense_rank() over (order by first_id) - 1) * least($8, ceil(total::float8 / $7)::bigint) / total as part
          from due, monitor_count
      ), messages as materialized (
        select part, gen_random_uuid() as message_id
          from (select distinct part from parts) distinct_parts
      )
      update alerts a
         set group_id = m.message_id, next_attempt_at = $4
        from parts p
        join messages m on m.part = p.part
       where a.user_id = $1 and a.id = p.id`,
    values: [
      queue.userId,
      queue.channelId,
      nodeId,
      now,
      STORM_WINDOW_SECONDS,
      SUMMARY_INTERVAL_SECONDS,
      maxMonitors,
      MAX_MESSAGES_PER_SUMMARY,
    ],
  }
}
