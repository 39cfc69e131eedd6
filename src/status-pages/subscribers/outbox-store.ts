/** SQL for messages to subscribers that wait to be sent, across users. */
import { buildNodeHasExpiredSql } from '../../nodes/store.ts'
import type { DeliveryResult, OutboxMessage } from '../../outbox/outbox.ts'
import { preferIndexOrderStatement } from '../../outbox/store.ts'
import type { Row, Statement } from '../../storage/batch.ts'
import type { Queries } from '../../storage/transaction.ts'

export type StatusMessageKind = 'confirmation' | 'post_update' | 'maintenance'

/** The messages of one kind to the subscribers of one page. */
export interface MessageLane {
  teamId: number
  pageId: number
  kind: StatusMessageKind
}

export interface StatusMessage extends OutboxMessage, MessageLane {
  id: number
  subscriberId: number
  /** The id of the update or the maintenance. 0 for a confirmation. */
  subjectId: number
  /** Whether the mail server has rejected the recipient for good. */
  isRejected: boolean
}

/** A subscriber gets nothing more after this many messages in a row were rejected for good. */
const MAX_REJECTIONS = 3

/** Releases the claims of expired nodes, and all claims of this node if it sends nothing. */
export async function releaseAbandonedMessages(q: Queries, nodeId: number, isIdle: boolean): Promise<void> {
  await q.query(
    `update status_messages m set claimed_by = null
      where state = 'waiting' and claimed_by is not null
        and ($2 and claimed_by = $1 or ${buildNodeHasExpiredSql('m.claimed_by')})`,
    [nodeId, isIdle],
  )
}

/** The recursive query jumps through the index from one lane to the next, so long lanes don't slow it down. */
export async function listDueLanes(q: Queries, now: Date): Promise<MessageLane[]> {
  const [, lanes] = await q.batch(preferIndexOrderStatement, {
    text: `with recursive lanes as (
        (select user_id, page_id, kind, next_attempt_at
           from status_messages
          where state = 'waiting' and claimed_by is null
          order by user_id, page_id, kind, next_attempt_at
          limit 1)
        union all
        select next.user_id, next.page_id, next.kind, next.next_attempt_at
          from lanes l
         cross join lateral (
           select user_id, page_id, kind, next_attempt_at
             from status_messages
            where state = 'waiting' and claimed_by is null and (user_id, page_id, kind) > (l.user_id, l.page_id, l.kind)
            order by user_id, page_id, kind, next_attempt_at
            limit 1
         ) next
      )
      select user_id as "teamId", page_id as "pageId", kind from lanes where next_attempt_at <= $1`,
    values: [now],
  })
  return lanes?.rows as MessageLane[]
}

export function claimNextMessage(nodeId: number, { teamId, pageId, kind }: MessageLane, now: Date): Statement {
  return {
    text: `with free as materialized (
        select user_id, id
          from status_messages
         where state = 'waiting' and claimed_by is null and user_id = $2 and page_id = $3 and kind = $4
           and next_attempt_at <= $5
         order by next_attempt_at
         limit 1
           for no key update skip locked
      )
      update status_messages m set claimed_by = $1
        from free
       where m.user_id = free.user_id and m.id = free.id
      returning m.id, m.subscriber_id, m.subject_id, m.message_id, m.attempts, m.created_at`,
    values: [nodeId, teamId, pageId, kind, now],
  }
}

/** `row` comes from `claimNextMessage`. */
export function toStatusMessage(lane: MessageLane, row: Row): StatusMessage {
  return {
    ...lane,
    id: row['id'],
    subscriberId: row['subscriber_id'],
    subjectId: row['subject_id'],
    messageId: row['message_id'],
    attempts: row['attempts'],
    createdAt: row['created_at'],
    failuresInARow: 0,
    isRejected: false,
  }
}

/** Stores the result of an attempt, and counts rejections of the subscriber. Repeating the statement counts no rejection twice. */
export function settleMessage(nodeId: number, message: StatusMessage, result: DeliveryResult): Statement {
  const { teamId, id, isRejected } = message
  if (result.status === 'sent') {
    // Stores the success even if another node has claimed the message in the meantime or given it up.
    return {
      text: `with settled as (
          update status_messages
             set state = 'sent', attempts = attempts + 1, next_attempt_at = null, claimed_by = null, answer = $3
           where user_id = $1 and id = $2 and state <> 'sent'
          returning user_id, subscriber_id
        )
        update status_subscribers s set rejections = 0
          from settled
         where s.user_id = settled.user_id and s.id = settled.subscriber_id and s.rejections > 0`,
      values: [teamId, id, result.response],
    }
  }
  const nextAttemptAt = result.status === 'retry' ? result.nextAttemptAt : null
  return {
    text: `with settled as (
        update status_messages
           set state = case when $5::timestamptz is null then 'failed' else 'waiting' end,
               attempts = attempts + 1, next_attempt_at = $5, claimed_by = null, answer = $4
         where user_id = $1 and id = $2 and state = 'waiting' and claimed_by = $3
        returning user_id, subscriber_id
      )
      update status_subscribers s
         set rejections = s.rejections + 1,
             state = case when s.state = 'confirmed' and s.rejections + 1 >= $7 then 'bounced' else s.state end
        from settled
       where $6 and s.user_id = settled.user_id and s.id = settled.subscriber_id`,
    values: [teamId, id, nodeId, result.response, nextAttemptAt, isRejected, MAX_REJECTIONS],
  }
}

export async function releaseMessage(
  q: Queries,
  nodeId: number,
  { teamId, id }: StatusMessage,
  notBefore: Date | null,
): Promise<void> {
  await q.query(
    `update status_messages set claimed_by = null, next_attempt_at = coalesce($4, next_attempt_at)
      where user_id = $1 and id = $2 and state = 'waiting' and claimed_by = $3`,
    [teamId, id, nodeId, notBefore],
  )
}

export async function cancelMessage(
  q: Queries,
  nodeId: number,
  { teamId, id }: StatusMessage,
  reason: string,
): Promise<void> {
  await q.query(
    `update status_messages set state = 'cancelled', next_attempt_at = null, claimed_by = null, answer = $4
      where user_id = $1 and id = $2 and state = 'waiting' and claimed_by = $3`,
    [teamId, id, nodeId, reason],
  )
}
