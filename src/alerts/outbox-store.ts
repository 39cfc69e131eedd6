/** SQL for alerts that wait to be sent, across users. The alerts of each channel form a queue. */

import type { ChannelType } from '../channels/kinds.ts'
import { buildHasExpiredSql } from '../nodes/store.ts'
import { preferIndexOrderStatement } from '../outbox/store.ts'
import type { Queries } from '../storage/client.ts'

export interface AlertQueue {
  userId: number
  channelId: number
  type: ChannelType
  /** The last attempt failed. */
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
      select user_id as "userId", provider_id as "channelId", type, is_failing as "isFailing" from (
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
      where claimed_by is not null and not p.id = any ($2) and (claimed_by = $1 or ${buildHasExpiredSql('p.claimed_by')})`,
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
    values: [nodeId, queues.map(({ userId }) => userId), queues.map(({ channelId }) => channelId), now],
  })
  return new Set(claimed?.rows.map(({ id }) => id as number))
}
