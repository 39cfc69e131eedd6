/**
 * SQL that stores the results of attempts, across users. To avoid deadlocks, every statement locks a channel before its
 * alerts, in the same order as deleting a channel does.
 */
import {
  type DeliveryAttempt,
  type DeliveryResult,
  type FailedResult,
  formatGaveUpSentence,
  getGiveUpCutoff,
  type RetryResult,
  type SentResult,
} from '../outbox/outbox.ts'
import type { Statement } from '../storage/batch.ts'
import type { AlertDelivery, AlertQueue } from './queue-store.ts'

/** An alert that could not be sent for this long is no longer useful. */
export const GIVE_UP_AFTER_HOURS = 24
/** Limits how long a single statement takes. Further old alerts are given up after the next attempt. */
const MAX_GIVEN_UP_PER_STATEMENT = 1_000

type AlertAttempt = DeliveryAttempt<AlertQueue, AlertDelivery>

const listAlertIds = ({ alerts }: AlertDelivery) => alerts.map(({ alertId }) => alertId)

/** Returns what `decideGrouping` needs to recognize a storm, or null for a message that can't be part of one. */
function findLastSent({ alerts }: AlertDelivery, attemptedAt: Date) {
  const [{ event, monitor }] = alerts
  if (event !== 'down' && event !== 'recovered') return null
  const isAboutOneMonitor = alerts.every((alert) => alert.monitor.id === monitor.id)
  return { at: attemptedAt, monitorId: isAboutOneMonitor ? monitor.id : null }
}

export function settleAlert(attempt: AlertAttempt, result: DeliveryResult): Statement[] {
  if (result.status === 'sent') return settleSent(attempt, result)
  const statement = result.status === 'failed' ? settleFailed(attempt, result) : settleRetry(attempt, result)
  return [statement, giveUpOldAlerts(attempt.queue, result)]
}

// Updates of single alerts test `next_attempt_at is not null` instead of `state = 'waiting'`: otherwise PostgreSQL
// would prefer the partial indexes of waiting alerts to the primary key.

/**
 * Stores the success even if another node has claimed the queue in the meantime. If the channel was failing, it works
 * again, so the alerts that waited for a retry become due now.
 */
function settleSent({ queue, message }: AlertAttempt, { response, attemptedAt }: SentResult): Statement[] {
  const { teamId, channelId } = queue
  const lastSent = findLastSent(message, attemptedAt)
  return [
    {
      text: `with channel as materialized (
          select user_id, id, failed_in_a_row > 0 or failure is not null as was_failing
            from providers
           where user_id = $1 and id = $2
             for no key update
        ), updated as (
          update providers p
             set failed_in_a_row = 0, rests_until = null, failure = null, failed_at = null,
                 last_sent_at = coalesce($4::timestamptz, p.last_sent_at),
                 last_sent_monitor_id = case when $4::timestamptz is null then p.last_sent_monitor_id else $5::bigint end
            from channel
           where p.user_id = channel.user_id and p.id = channel.id and (channel.was_failing or $4::timestamptz is not null)
          returning channel.was_failing
        ), retries as (
          select id from alerts
           where user_id = $1 and provider_id = $2 and state = 'waiting' and next_attempt_at > $3 and delayed_until is null
             and (select was_failing from updated)
           order by next_attempt_at, id
        )
        update alerts set next_attempt_at = $3
         where user_id = $1 and id = any (array(select id from retries)) and next_attempt_at is not null`,
      values: [teamId, channelId, attemptedAt, lastSent?.at ?? null, lastSent?.monitorId ?? null],
    },
    {
      text: `update alerts set state = 'sent', attempts = attempts + 1, next_attempt_at = null, last_attempt_at = $3,
                answer = $4
              where user_id = $1 and id = any ($2) and next_attempt_at is not null`,
      values: [teamId, listAlertIds(message), attemptedAt, response],
    },
  ]
}

/** Stores that the alert will not be attempted again. Releases and pauses the queue. */
function settleFailed({ queue, nodeId, message }: AlertAttempt, result: FailedResult): Statement {
  const { response, attemptedAt, failure, queuePausedUntil } = result
  return {
    text: `with released as (
        update providers set failed_in_a_row = failed_in_a_row + 1, rests_until = $5, claimed_by = null, failure = $8,
          failed_at = $6
         where user_id = $1 and id = $2 and claimed_by = $3
        returning id
      )
      update alerts set state = 'failed', attempts = attempts + 1, next_attempt_at = null, last_attempt_at = $6,
        answer = $7
       where user_id = $1 and id = any ($4) and next_attempt_at is not null and exists (select from released)`,
    values: [
      queue.teamId,
      queue.channelId,
      nodeId,
      listAlertIds(message),
      queuePausedUntil,
      attemptedAt,
      response,
      failure,
    ],
  }
}

/**
 * Stores when the alerts will be attempted again. Newer alerts about their monitors wait for them. Releases and pauses
 * the queue.
 */
function settleRetry({ queue, nodeId, message }: AlertAttempt, result: RetryResult): Statement {
  const { response, attemptedAt, nextAttemptAt, queuePausedUntil } = result
  return {
    text: `with released as (
        update providers set failed_in_a_row = failed_in_a_row + 1, rests_until = $5, claimed_by = null
         where user_id = $1 and id = $2 and claimed_by = $3
        returning id
      ), later as (
        update alerts set next_attempt_at = $8
         where user_id = $1 and provider_id = $2 and monitor_id = any ($9) and state = 'waiting' and id <> all ($4)
           and next_attempt_at < $8 and exists (select from released)
      )
      update alerts set attempts = attempts + 1, next_attempt_at = $8, last_attempt_at = $6, answer = $7
       where user_id = $1 and id = any ($4) and next_attempt_at is not null and exists (select from released)`,
    values: [
      queue.teamId,
      queue.channelId,
      nodeId,
      listAlertIds(message),
      queuePausedUntil,
      attemptedAt,
      response,
      nextAttemptAt,
      message.alerts.map(({ monitor }) => monitor.id),
    ],
  }
}

/**
 * Gives up all alerts of a failing channel that are too old. Only one of its alerts is attempted at a time, so the others
 * might wait far longer than `GIVE_UP_AFTER_HOURS` for an attempt of their own.
 */
function giveUpOldAlerts({ teamId, channelId }: AlertQueue, result: FailedResult | RetryResult): Statement {
  const { response, attemptedAt } = result
  return {
    text: `with oldest as (
        select id, created_at from alerts
         where user_id = $1 and provider_id = $2 and state = 'waiting' order by next_attempt_at, id limit $7
      ), given_up as (
        update alerts set state = 'failed', next_attempt_at = null, answer = $4
         where user_id = $1 and id = any (array(select id from oldest where created_at <= $3))
           and next_attempt_at is not null
        returning id
      )
      update providers set failure = $5, failed_at = $6
       where user_id = $1 and id = $2 and exists (select from given_up)`,
    values: [
      teamId,
      channelId,
      getGiveUpCutoff(attemptedAt, GIVE_UP_AFTER_HOURS),
      response,
      formatGaveUpSentence(GIVE_UP_AFTER_HOURS, response),
      attemptedAt,
      MAX_GIVEN_UP_PER_STATEMENT,
    ],
  }
}

export function releaseAlertQueue(
  { teamId, channelId }: AlertQueue,
  nodeId: number,
  pausedUntil: Date | null = null,
): Statement {
  return {
    text: `update providers set claimed_by = null, rests_until = coalesce($4, rests_until)
            where user_id = $1 and id = $2 and claimed_by = $3`,
    values: [teamId, channelId, nodeId, pausedUntil],
  }
}
