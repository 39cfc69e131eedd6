/** SQL of who checks what. A monitor that is claimed is due at infinity; whoever claims it again outdates what was before. */
import type { HttpSettings } from '../monitors/http-schema.ts'
import type { MonitorColumns } from '../monitors/store.ts'
import { isAbandoned } from '../nodes/store.ts'
import { numbersLiteral, textsLiteral } from '../storage/array-literal.ts'
import { own } from '../storage/ask.ts'
import type { Queries } from '../storage/client.ts'
import type { Target } from './probes/probe.ts'
import type { MonitorKey } from './witnesses.ts'

/** Which check of a monitor this is, and whose: its result counts only as long as both are true. */
export interface Holding {
  userId: number
  monitorId: number
  claim: number
  node: number
}

export interface ClaimedRow extends MonitorColumns {
  http: Omit<HttpSettings, 'headers'> | null
  user_id: number
  id: number
  claim: number
  claimed_by: number
  due_at: Date
  waiting_since: Date
  status: 'pending' | 'up' | 'down'
  failures: number
  failing_since: Date | null
  last_checked_at: Date | null
  last_error: string | null
  tls_expires_at: Date | null
  tls_warned_days: number | null
  incident_started_at: Date | null
}

/** `chosen` names rows of monitor_states and when they were due. */
const take = (chosen: string, since = 'c.due_at') => `with chosen as materialized (${chosen})
  update monitor_states s set due_at = 'infinity', claimed_by = $1, claim = s.claim + 1,
    waiting_since = case when s.waiting_since is null then ${since} else s.waiting_since end
    from chosen c where s.user_id = c.user_id and s.monitor_id = c.monitor_id
  returning s.user_id, s.monitor_id, s.claim, c.due_at`

interface Taken {
  user_id: number
  monitor_id: number
  claim: number
  due_at: Date
}

/**
 * Read after they were taken: a statement sees monitors as they were when it began, and with the claim of now that would be a
 * check of what was. Whatever changes later outdates the claim.
 */
async function readTaken(q: Queries, node: number, taken: readonly Taken[]): Promise<ClaimedRow[]> {
  if (taken.length === 0) return []
  return q.query<ClaimedRow>(
    `select m.user_id, m.id, t.claim, $1::bigint as claimed_by, to_timestamp(t.due * 0.001) as due_at, s.waiting_since, m.status,
            s.failures, s.failing_since, s.last_checked_at, s.last_error, s.tls_expires_at, s.tls_warned_days,
            m.friendly_name, m.url, m.type, m.interval_seconds, m.timeout_seconds, m.retries, m.retry_interval_seconds, m.remind_every_minutes, m.http,
            m.http_headers,
            case when m.status = 'down' then (
              select i.started_at from incidents i
               where i.user_id = m.user_id and i.monitor_id = m.id and i.resolved_at is null
            ) end as incident_started_at
       from unnest($2::bigint[], $3::bigint[], $4::integer[], $5::float8[]) as t (user_id, monitor_id, claim, due)
       join monitors m on m.user_id = t.user_id and m.id = t.monitor_id
       join monitor_states s on s.user_id = t.user_id and s.monitor_id = t.monitor_id and s.claim = t.claim
      where m.status <> 'paused'`,
    [
      node,
      numbersLiteral(taken.map(({ user_id }) => user_id)),
      numbersLiteral(taken.map(({ monitor_id }) => monitor_id)),
      numbersLiteral(taken.map(({ claim }) => claim)),
      numbersLiteral(taken.map(({ due_at }) => due_at.getTime())),
    ],
  )
}

const dueBetween = take(
  `select user_id, monitor_id, due_at from monitor_states where due_at > $2 and due_at <= $3
    order by due_at limit $4 for update skip locked`,
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
  const rows = await readTaken(q, node, [...(waiting?.rows ?? []), ...(punctual?.rows ?? [])] as Taken[])
  return { waiting: rows.filter(({ due_at }) => due_at <= late), punctual: rows.filter(({ due_at }) => due_at > late) }
}

export async function countWaiting(q: Queries, late: Date): Promise<number> {
  return (await q.query('select count(*) as total from monitor_states where due_at <= $1', [late]))[0]?.['total']
}

const takeOne = take(
  `select user_id, monitor_id, case when due_at = 'infinity' then $3::timestamptz else due_at end as due_at
     from monitor_states where ${own} and monitor_id = $2 and due_at is not null for update`,
  'least(c.due_at, $3::timestamptz)',
)

/** One of the caller's, also from another node: that one's result will not count. Not where it is paused. */
export async function claimOne(
  q: Queries,
  node: number,
  monitorId: number,
  now: Date,
): Promise<ClaimedRow | undefined> {
  const taken = await q.query<Taken>(takeOne, [node, monitorId, now])
  return (await readTaken(q, node, taken))[0]
}

/** Those whose monitors are there, active, and at the same address. */
export async function keepActive<T extends { monitor: MonitorKey; target: Target }>(
  q: Queries,
  all: T[],
): Promise<T[]> {
  if (all.length === 0) return []
  const rows = await q.query<{ id: number }>(
    `select m.id from unnest($1::bigint[], $2::bigint[], $3::text[]) as g (user_id, id, url)
       join monitors m on m.user_id = g.user_id and m.id = g.id and m.url = g.url where m.status <> 'paused'`,
    [
      numbersLiteral(all.map(({ monitor }) => monitor.userId)),
      numbersLiteral(all.map(({ monitor }) => monitor.monitorId)),
      textsLiteral(all.map(({ target }) => target.url)),
    ],
  )
  const active = new Set(rows.map(({ id }) => id))
  return all.filter(({ monitor }) => active.has(monitor.monitorId))
}

/**
 * Gives back what was claimed and came to nothing: what was known of it stays, and it is still waited for. `reason`: what the
 * monitor says of it, where this machine cannot check it at all.
 */
export async function releaseClaim(
  q: Queries,
  { userId, monitorId, claim, node }: Holding,
  due: Date,
  reason: string | null = null,
): Promise<void> {
  await q.query(
    `update monitor_states set due_at = $5, claimed_by = null, last_error = coalesce($6, last_error)
      where user_id = $2 and monitor_id = $3 and claim = $4 and claimed_by = $1`,
    [node, userId, monitorId, claim, due, reason],
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
