/**
 * SQL for claiming checks. `monitor_states.due_at` is the time when a monitor's next check is due, or infinity while a
 * node has claimed that check. Every claim increments `claim`, which makes earlier claims outdated.
 */
import type { HttpSettings } from '../monitors/http-schema.ts'
import type { MonitorColumns } from '../monitors/store.ts'
import { buildHasExpiredSql } from '../nodes/store.ts'
import { numbersLiteral, textsLiteral } from '../storage/array-literal.ts'
import type { Queries } from '../storage/client.ts'
import type { MonitorKey } from './fallback-targets.ts'
import type { Target } from './probes/probe.ts'

/** A check's result counts only if the monitor still has this claim number and node when the result is recorded. */
export interface CheckClaim {
  userId: number
  monitorId: number
  claimNumber: number
  node: number
}

export interface ClaimedCheckRow extends MonitorColumns {
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
  tls_expires_at: Date | null
  tls_warned_days: number | null
}

export interface ClaimRow {
  user_id: number
  monitor_id: number
  claim: number
  due_at: Date
}

/**
 * Reads the monitors in a second statement, after they have been claimed. A single statement would claim the latest
 * version of a row but read the settings from its older snapshot, so the check could run with outdated settings under a
 * valid claim. Changing a monitor after it was claimed makes the claim outdated.
 */
export async function readClaimed(q: Queries, node: number, claims: readonly ClaimRow[]): Promise<ClaimedCheckRow[]> {
  if (claims.length === 0) return []
  return q.query<ClaimedCheckRow>(
    `with claimed as (
       select unnest($2::bigint[]) as user_id,
              unnest($3::bigint[]) as monitor_id,
              unnest($4::integer[]) as claim,
              to_timestamp(unnest($5::float8[]) * 0.001) as due_at
     )
     select m.user_id, m.id, c.claim, $1::bigint as claimed_by, c.due_at, s.waiting_since, m.status, s.failures,
            s.failing_since, s.last_checked_at, s.tls_expires_at, s.tls_warned_days, m.friendly_name, m.url,
            m.type, m.interval_seconds, m.timeout_seconds, m.retries, m.retry_interval_seconds, m.remind_every_minutes,
            m.http, m.http_headers, m.options, m.tags, m.tag_keys, m.depends_on
       from claimed c
       join monitors m on m.user_id = c.user_id and m.id = c.monitor_id
       join monitor_states s on s.user_id = c.user_id and s.monitor_id = c.monitor_id and s.claim = c.claim
      where m.status <> 'paused'`,
    [
      node,
      /* $2 user_id */ numbersLiteral(claims.map(({ user_id }) => user_id)),
      /* $3 monitor_id */ numbersLiteral(claims.map(({ monitor_id }) => monitor_id)),
      /* $4 claim */ numbersLiteral(claims.map(({ claim }) => claim)),
      /* $5 due_at */ numbersLiteral(claims.map(({ due_at }) => due_at.getTime())),
    ],
  )
}

/**
 * Claims one of the caller's monitors immediately. If another node has claimed it, that node's result will not count.
 * Returns undefined if the monitor is paused or does not exist.
 */
export async function claimMonitor(
  q: Queries,
  node: number,
  monitorId: number,
  now: Date,
): Promise<ClaimedCheckRow | undefined> {
  const claims = await q.query<ClaimRow>(
    `with due as materialized (
       select user_id, monitor_id, case when due_at = 'infinity' then $3::timestamptz else due_at end as due_at
         from monitor_states
        where user_id = caller_id() and monitor_id = $2 and due_at is not null
          for update
     )
     update monitor_states s
        set due_at = 'infinity',
            claimed_by = $1,
            claim = s.claim + 1,
            waiting_since = coalesce(s.waiting_since, least(due.due_at, $3::timestamptz))
       from due
      where s.user_id = due.user_id and s.monitor_id = due.monitor_id
     returning s.user_id, s.monitor_id, s.claim, due.due_at`,
    [node, monitorId, now],
  )
  return (await readClaimed(q, node, claims))[0]
}

/** Keeps only targets whose monitor still exists, is active and has the same URL. */
export async function filterActiveTargets<T extends { monitor: MonitorKey; target: Target }>(
  q: Queries,
  targets: T[],
): Promise<T[]> {
  if (targets.length === 0) return []
  const rows = await q.query<{ id: number }>(
    `with targets as (
       select unnest($1::bigint[]) as user_id,
              unnest($2::bigint[]) as monitor_id,
              unnest($3::text[]) as url
     )
     select m.id
       from targets t
       join monitors m on m.user_id = t.user_id and m.id = t.monitor_id and m.url = t.url
      where m.status <> 'paused'`,
    [
      numbersLiteral(targets.map(({ monitor }) => monitor.userId)),
      numbersLiteral(targets.map(({ monitor }) => monitor.monitorId)),
      textsLiteral(targets.map(({ target }) => target.url)),
    ],
  )
  const activeIds = new Set(rows.map(({ id }) => id))
  return targets.filter(({ monitor }) => activeIds.has(monitor.monitorId))
}

/**
 * Releases the claim of a check that has no result. The monitor's state does not change, except that `reason`, if
 * given, becomes its last error.
 */
export async function releaseClaim(
  q: Queries,
  { userId, monitorId, claimNumber, node }: CheckClaim,
  nextDueAt: Date,
  reason: string | null = null,
): Promise<void> {
  await q.query(
    `update monitor_states
        set due_at = least($5, recheck_at), recheck_at = null, claimed_by = null, last_error = coalesce($6, last_error)
      where user_id = $2 and monitor_id = $3 and claim = $4 and claimed_by = $1`,
    [node, userId, monitorId, claimNumber, nextDueAt, reason],
  )
}

export async function releaseNodeClaims(q: Queries, node: number, now: Date): Promise<void> {
  await q.query(
    `update monitor_states
        set due_at = $2, claimed_by = null, claim = claim + 1
      where due_at = 'infinity' and claimed_by = $1`,
    [node, now],
  )
}

/** Releases the claims of all expired nodes. Returns the number of released claims. */
export async function releaseExpiredClaims(q: Queries, now: Date): Promise<number> {
  const [released] = await q.batch({
    text: `update monitor_states s
              set due_at = $1, claimed_by = null, claim = claim + 1
            where due_at = 'infinity' and ${buildHasExpiredSql('s.claimed_by')}`,
    values: [now],
  })
  return released?.count ?? 0
}
