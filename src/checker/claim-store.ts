/** SQL of who checks what. A monitor that is claimed is due at infinity; whoever claims it again outdates what was before. */
import type { HttpSettings } from '../monitors/http-schema.ts'
import type { MonitorColumns } from '../monitors/store.ts'
import { isAbandoned } from '../nodes/store.ts'
import { own } from '../storage/ask.ts'
import type { Queries } from '../storage/client.ts'

export interface ClaimedRow extends MonitorColumns {
  http: Omit<HttpSettings, 'headers'> | null
  user_id: number
  id: number
  claim: number
  claimed_by: number
  due_at: Date
  status: 'pending' | 'up' | 'down'
  failures: number
  failing_since: Date | null
  last_error: string | null
  tls_expires_at: Date | null
  tls_warned_days: number | null
  incident_started_at: Date | null
}

/** `chosen` names rows of monitor_states and when they were due. */
const take = (chosen: string, node: string) => `with chosen as materialized (${chosen}), taken as (
    update monitor_states s set due_at = 'infinity', claimed_by = ${node}, claim = s.claim + 1
      from chosen c where s.user_id = c.user_id and s.monitor_id = c.monitor_id
    returning s.user_id, s.monitor_id, s.claim, s.claimed_by, c.due_at, s.failures, s.failing_since, s.last_error,
              s.tls_expires_at, s.tls_warned_days
  )
  select m.user_id, m.id, t.claim, t.claimed_by, t.due_at, m.status, t.failures, t.failing_since, t.last_error,
         t.tls_expires_at, t.tls_warned_days, m.friendly_name, m.url, m.type, m.interval_seconds, m.timeout_seconds,
         m.retries, m.retry_interval_seconds, m.remind_every_minutes, m.http, m.http_headers,
         case when m.status = 'down' then (
           select i.started_at from incidents i
            where i.user_id = m.user_id and i.monitor_id = m.id and i.resolved_at is null
         ) end as incident_started_at
    from taken t join monitors m on m.user_id = t.user_id and m.id = t.monitor_id
   order by t.due_at`

const dueBetween = take(
  `select user_id, monitor_id, due_at from monitor_states where due_at > $2 and due_at <= $3
    order by due_at limit $4 for update skip locked`,
  '$1',
)

export interface Due {
  node: number
  /** Those due at this time or before have been waiting: they are taken a few at a time. */
  late: Date
  /** Nobody has been waiting for longer than since then; null where that is not known. */
  lateFrom: Date | null
  lateMost: number
  until: Date
  most: number
}

/** Those that are due. Each is taken by one node, however many ask. */
export async function claimDue(q: Queries, due: Due): Promise<{ waiting: ClaimedRow[]; punctual: ClaimedRow[] }> {
  const { node, late, lateFrom, lateMost, until, most } = due
  const [waiting, punctual] = await q.flight(
    { text: dueBetween, values: [node, lateFrom ?? '-infinity', late, lateMost] },
    { text: dueBetween, values: [node, late, until, most] },
  )
  return { waiting: (waiting?.rows ?? []) as ClaimedRow[], punctual: (punctual?.rows ?? []) as ClaimedRow[] }
}

export async function countWaiting(q: Queries, late: Date): Promise<number> {
  return (await q.query('select count(*) as total from monitor_states where due_at <= $1', [late]))[0]?.['total']
}

/** One of the caller's, also from another node: that one's result will not count. Not where it is paused. */
export async function claimOne(
  q: Queries,
  node: number,
  monitorId: number,
  now: Date,
): Promise<ClaimedRow | undefined> {
  const text = take(
    `select user_id, monitor_id, $3::timestamptz as due_at from monitor_states
      where ${own} and monitor_id = $2 and due_at is not null for update`,
    '$1',
  )
  return (await q.query<ClaimedRow>(text, [node, monitorId, now]))[0]
}

export interface Released {
  userId: number
  monitorId: number
  claim: number
  due: Date
}

/** Gives back what was claimed and came to nothing. */
export async function releaseClaims(q: Queries, node: number, released: readonly Released[]): Promise<void> {
  await q.query(
    `update monitor_states s set due_at = g.due_at, claimed_by = null
       from unnest($2::bigint[], $3::bigint[], $4::integer[], $5::timestamptz[]) as g (user_id, monitor_id, claim, due_at)
      where s.user_id = g.user_id and s.monitor_id = g.monitor_id and s.claim = g.claim and s.claimed_by = $1`,
    [
      node,
      released.map(({ userId }) => userId),
      released.map(({ monitorId }) => monitorId),
      released.map(({ claim }) => claim),
      released.map(({ due }) => due),
    ],
  )
}

/** All that a node holds. */
export async function releaseAll(q: Queries, node: number, now: Date): Promise<void> {
  await q.query(
    `update monitor_states set due_at = $2, claimed_by = null, claim = claim + 1
      where due_at = 'infinity' and claimed_by = $1`,
    [node, now],
  )
}

/** What nodes hold that are no more. Answers with how many monitors that was. */
export async function takeFromDead(q: Queries, now: Date): Promise<number> {
  const [result] = await q.flight({
    text: `update monitor_states s set due_at = $1, claimed_by = null, claim = claim + 1
            where due_at = 'infinity' and ${isAbandoned('s.claimed_by')}`,
    values: [now],
  })
  return result?.count ?? 0
}
