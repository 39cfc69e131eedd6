/** SQL of the outbox, across users: which providers have something waiting, and who sends it. */
import { isAbandoned } from '../nodes/store.ts'
import type { ProviderType } from '../providers/kinds.ts'
import { type ProviderRow, providerColumns } from '../providers/store.ts'
import type { Queries } from '../storage/client.ts'
import type { Statement } from '../storage/flight.ts'

/**
 * Has PostgreSQL read queues in the order of their indexes for the rest of the transaction. It takes the policies of row
 * level security for so choosy that it expects a single row everywhere, and would rather sort 100,000 of them, for each
 * provider anew.
 */
export const keepOrder: Statement = {
  text: ['enable_sort', 'enable_bitmapscan', 'enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']
    .map((setting) => `select set_config('${setting}', 'off', true)`)
    .join(' union all '),
}

/** The queue of one provider. */
export interface Queue {
  userId: number
  providerId: number
}

export interface ReadyQueue extends Queue {
  type: ProviderType
  /** Its last message was not taken. */
  isAiling: boolean
}

/**
 * Steps from one provider that has something waiting to the next, whatever the length of their queues. Those whose messages
 * have been due longest come first, and so many of each sort, so that none hides the others.
 */
const findReady = `with recursive queues as (
    (select user_id, provider_id from alerts where state = 'waiting' order by user_id, provider_id limit 1)
    union all
    select next.user_id, next.provider_id from queues q, lateral (
      select user_id, provider_id from alerts
       where state = 'waiting' and (user_id, provider_id) > (q.user_id, q.provider_id)
       order by user_id, provider_id limit 1
    ) next
  )
  select "userId", "providerId", type, "isAiling" from (
    select p.user_id as "userId", p.id as "providerId", p.provider_type as type, p.failed_in_a_row > 0 as "isAiling",
           row_number() over (partition by p.provider_type, p.failed_in_a_row > 0 order by first.next_attempt_at) as place
      from queues q
      join providers p on p.user_id = q.user_id and p.id = q.provider_id
      cross join lateral (
        select next_attempt_at from alerts
         where user_id = q.user_id and provider_id = q.provider_id and state = 'waiting'
         order by next_attempt_at limit 1
      ) first
     where p.claimed_by is null and (p.rests_until is null or p.rests_until <= $1) and first.next_attempt_at <= $1
  ) ready
  where place <= $2 order by place`

export async function findReadyQueues(q: Queries, now: Date, ofEach: number): Promise<ReadyQueue[]> {
  const [, found] = await q.flight(keepOrder, { text: findReady, values: [now, ofEach] })
  return found?.rows as ReadyQueue[]
}

/**
 * Gives back what nodes held that are gone, and what this one is said to hold but does not: an answer of the database was
 * lost.
 */
export async function freeAbandoned(q: Queries, node: number, held: readonly number[]): Promise<void> {
  await q.query(
    `update providers p set claimed_by = null
      where claimed_by is not null and not p.id = any ($2) and (claimed_by = $1 or ${isAbandoned('p.claimed_by')})`,
    [node, held],
  )
}

/** Answers with the ids of providers that nobody else took meanwhile. */
export async function claimQueues(q: Queries, node: number, queues: readonly Queue[], now: Date): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    `with free as materialized (
       select p.user_id, p.id from providers p
         join unnest($2::bigint[], $3::bigint[]) as w (user_id, id) on p.user_id = w.user_id and p.id = w.id
        where p.claimed_by is null and (p.rests_until is null or p.rests_until <= $4)
          for no key update of p skip locked
     )
     update providers p set claimed_by = $1 from free
      where p.user_id = free.user_id and p.id = free.id
     returning p.id`,
    [node, queues.map(({ userId }) => userId), queues.map(({ providerId }) => providerId), now],
  )
  return rows.map(({ id }) => id)
}

export interface Alert {
  id: number
  monitorId: number
  messageId: string
  title: string
  body: string
  attempts: number
  createdAt: Date
}

export interface Next {
  alert: Alert
  provider: ProviderRow
  /** Of the provider, in a row. */
  failures: number
}

/** None of a monitor before what was written earlier about it. */
const pick = `select a.*, p.failed_in_a_row as failures, ${providerColumns('p')}
    from providers p cross join lateral (
      select a.id as alert_id, a.monitor_id, a.message_id, a.title, a.body, a.attempts, a.created_at as alert_created_at
        from alerts a
       where a.user_id = p.user_id and a.provider_id = p.id and a.state = 'waiting' and a.next_attempt_at <= $4
         and a.id = (select e.id from alerts e where e.user_id = a.user_id and e.monitor_id = a.monitor_id
                        and e.provider_id = a.provider_id and e.state = 'waiting' order by e.id limit 1)
       order by a.next_attempt_at, a.id limit 1
    ) a
   where p.user_id = $1 and p.id = $2 and p.claimed_by = $3`

interface PickedRow extends ProviderRow {
  alert_id: number
  monitor_id: number
  message_id: string
  title: string
  body: string
  attempts: number
  alert_created_at: Date
  failures: number
}

/** The next that is due, if the queue is still this node's. */
export function pickNext({ userId, providerId }: Queue, node: number, now: Date): Statement {
  return { text: pick, values: [userId, providerId, node, now] }
}

export function nextOf(row: PickedRow | undefined): Next | undefined {
  if (row === undefined) return undefined
  const { alert_id, monitor_id, message_id, title, body, attempts, alert_created_at, failures, ...provider } = row
  return {
    alert: {
      id: alert_id,
      monitorId: monitor_id,
      messageId: message_id,
      title,
      body,
      attempts,
      createdAt: alert_created_at,
    },
    provider,
    failures,
  }
}
