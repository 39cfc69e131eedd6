/** SQL that finds alerts which no node has begun to send in time, across users. */
import { buildNodeHasExpiredSql } from '../nodes/store.ts'
import { preferIndexOrderStatement } from '../outbox/store.ts'
import type { Statement } from '../storage/batch.ts'
import type { Queries } from '../storage/transaction.ts'

export interface OverdueAlerts {
  /** The number of notification channels whose oldest due alert no node has begun to send. */
  channelCount: number
  /** When the first of these alerts was due. */
  firstDueAt: Date | null
}

/**
 * Skips channels that a live node is sending to, however slowly the receiver responds. Also skips channels whose last
 * message failed, because these have a problem of their own.
 */
export function buildOverdueAlertsStatement(dueBefore: Date): Statement {
  return {
    text: `with recursive queues as (
        (select user_id, provider_id from alerts where state = 'waiting' order by user_id, provider_id limit 1)
        union all
        select next.user_id, next.provider_id from queues q, lateral (
          select user_id, provider_id from alerts
           where state = 'waiting' and (user_id, provider_id) > (q.user_id, q.provider_id)
           order by user_id, provider_id limit 1
        ) next
      )
      select count(*)::integer as "channelCount", min(first.next_attempt_at) as "firstDueAt"
        from queues q
       cross join lateral (
         -- "offset 0" makes PostgreSQL look up the channel of each queue instead of comparing each queue with each channel.
         select failed_in_a_row, claimed_by from providers where user_id = q.user_id and id = q.provider_id offset 0
       ) p
       cross join lateral (
         select next_attempt_at from alerts
          where user_id = q.user_id and provider_id = q.provider_id and state = 'waiting'
          order by next_attempt_at limit 1
       ) first
       where first.next_attempt_at <= $1 and p.failed_in_a_row = 0
         and (p.claimed_by is null or ${buildNodeHasExpiredSql('p.claimed_by')})`,
    values: [dueBefore],
  }
}

export async function findOverdueAlerts(q: Queries, dueBefore: Date): Promise<OverdueAlerts> {
  const [, overdue] = await q.batch(preferIndexOrderStatement, buildOverdueAlertsStatement(dueBefore))
  return overdue?.rows[0] as OverdueAlerts
}
