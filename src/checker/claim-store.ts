/**
 * SQL for claiming checks. `monitor_states.due_at` is the time when a monitor's next check is due, or infinity while a
 * node has claimed that check. Every claim increments `claim`, which makes earlier claims outdated.
 */
import type { Secret } from '../lib/secret.ts'
import { defaultHttpSettings, type HttpSettings } from '../monitors/http-schema.ts'
import { defaultOptions } from '../monitors/option-schemas.ts'
import { toMonitorSettings } from '../monitors/record.ts'
import { type MonitorSettings, resolveTimeoutSeconds } from '../monitors/settings.ts'
import type { MonitorColumns } from '../monitors/store.ts'
import { buildNodeHasExpiredSql } from '../nodes/store.ts'
import { defaultIntervals } from '../shared/monitors.ts'
import { numbersLiteral, textsLiteral } from '../storage/array-literal.ts'
import type { Queries } from '../storage/transaction.ts'
import type { UserClaimCounts } from './claim-rate-limiter.ts'
import type { MonitorKey } from './fallback-targets.ts'
import type { Target } from './probes/probe.ts'
import type { CheckClaim, ClaimedCheck } from './verdict.ts'

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

interface ClaimRow {
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
async function readClaimed(q: Queries, nodeId: number, claims: readonly ClaimRow[]): Promise<ClaimedCheckRow[]> {
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
      nodeId,
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
  nodeId: number,
  monitorId: number,
  now: Date,
): Promise<ClaimedCheckRow | undefined> {
  const claims = await q.query<ClaimRow>(
    `with due as materialized (
       select user_id, monitor_id, case when due_at = 'infinity' then $3::timestamptz else due_at end as due_at
         from monitor_states
        where user_id = own_team() and monitor_id = $2 and due_at is not null
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
    [nodeId, monitorId, now],
  )
  return (await readClaimed(q, nodeId, claims))[0]
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
      numbersLiteral(targets.map(({ monitor }) => monitor.teamId)),
      numbersLiteral(targets.map(({ monitor }) => monitor.monitorId)),
      textsLiteral(targets.map(({ target }) => target.url)),
    ],
  )
  const activeIds = new Set(rows.map(({ id }) => id))
  return targets.filter(({ monitor }) => activeIds.has(monitor.monitorId))
}

export interface ClaimRelease {
  claim: CheckClaim
  nextDueAt: Date
  /** If it is set, it becomes the last error of the monitor. */
  reason: string | null
}

/** Releases the claims of checks that have no result. The state of their monitors does not change, except for the last error. */
export async function releaseClaims(q: Queries, releases: readonly ClaimRelease[]): Promise<void> {
  await q.query(
    `update monitor_states s
        set due_at = least(r.next_due_at, s.recheck_at), recheck_at = null, claimed_by = null,
            last_error = coalesce(r.reason, s.last_error)
       from (select unnest($1::bigint[]) as user_id,
                    unnest($2::bigint[]) as monitor_id,
                    unnest($3::integer[]) as claim,
                    unnest($4::bigint[]) as node_id,
                    to_timestamp(unnest($5::float8[]) * 0.001) as next_due_at,
                    unnest($6::text[]) as reason) r
      where s.user_id = r.user_id and s.monitor_id = r.monitor_id and s.claim = r.claim and s.claimed_by = r.node_id`,
    [
      /* $1 user_id */ numbersLiteral(releases.map(({ claim }) => claim.teamId)),
      /* $2 monitor_id */ numbersLiteral(releases.map(({ claim }) => claim.monitorId)),
      /* $3 claim */ numbersLiteral(releases.map(({ claim }) => claim.claimNumber)),
      /* $4 node_id */ numbersLiteral(releases.map(({ claim }) => claim.nodeId)),
      /* $5 next_due_at */ numbersLiteral(releases.map(({ nextDueAt }) => nextDueAt.getTime())),
      /* $6 reason */ textsLiteral(releases.map(({ reason }) => reason)),
    ],
  )
}

export async function releaseNodeClaims(q: Queries, nodeId: number, now: Date): Promise<void> {
  await q.query(
    `update monitor_states
        set due_at = $2, claimed_by = null, claim = claim + 1
      where due_at = 'infinity' and claimed_by = $1`,
    [nodeId, now],
  )
}

/** Releases the claims of all expired nodes. Returns the number of released claims. */
export async function releaseExpiredClaims(q: Queries, now: Date): Promise<number> {
  const [released] = await q.batch({
    text: `update monitor_states s
              set due_at = $1, claimed_by = null, claim = claim + 1
            where due_at = 'infinity' and ${buildNodeHasExpiredSql('s.claimed_by')}`,
    values: [now],
  })
  return released?.count ?? 0
}

export interface DueWindow {
  overdueUntil: Date
  /** On-time checks are due between `overdueUntil` and this time. */
  onTimeUntil: Date
}

/**
 * Counts the due checks of each user. Users whose checks have waited longest come first. Checks that were due at `from` or
 * earlier are not counted.
 */
export async function countDueChecks(
  q: Queries,
  { from, overdueUntil, onTimeUntil }: DueWindow & { from: Date | null },
): Promise<UserClaimCounts[]> {
  const rows = await q.query<{ user_id: number; overdue: number; on_time: number }>(
    `select user_id,
            count(*) filter (where due_at <= $2) as overdue,
            count(*) filter (where due_at > $2) as on_time
       from monitor_states
      where due_at > $1 and due_at <= $3
      group by user_id
      order by min(due_at)`,
    [from ?? '-infinity', overdueUntil, onTimeUntil],
  )
  return rows.map(({ user_id, overdue, on_time }) => ({ teamId: user_id, overdue, onTime: on_time }))
}

/**
 * Claims, for each user, the checks that have waited longest. `due_at < 'infinity'` repeats the condition of the partial index
 * `monitor_states_user_due_idx`, so that PostgreSQL can use it. Then PostgreSQL reads only the checks that it claims, however
 * many checks of other users are due.
 */
const claimDueSql = `
  with shares as (
    select unnest($2::bigint[]) as user_id, unnest($3::integer[]) as max_checks
  ), due as materialized (
    select users_due.user_id, users_due.monitor_id, users_due.due_at
      from shares
     cross join lateral (
       select user_id, monitor_id, due_at
         from monitor_states
        where user_id = shares.user_id and due_at > $4 and due_at <= $5 and due_at < 'infinity'
        order by due_at
        limit shares.max_checks
          for update skip locked
     ) users_due
  )
  update monitor_states s
     set due_at = 'infinity',
         claimed_by = $1,
         claim = s.claim + 1,
         waiting_since = coalesce(s.waiting_since, due.due_at)
    from due
   where s.user_id = due.user_id and s.monitor_id = due.monitor_id
  returning s.user_id, s.monitor_id, s.claim, due.due_at`

interface DueChecksQuery extends DueWindow {
  nodeId: number
  /** The maximum number of checks to claim for each user. */
  shares: readonly UserClaimCounts[]
}

export interface ClaimedDueChecks {
  overdue: ClaimedCheckRow[]
  onTime: ClaimedCheckRow[]
}

/** Claims due checks. Only one node gets each check, even if several nodes call this at the same time. */
export async function claimDueChecks(
  q: Queries,
  { nodeId, shares, overdueUntil, onTimeUntil }: DueChecksQuery,
): Promise<ClaimedDueChecks> {
  const createStatements = (kind: 'overdue' | 'onTime', from: Date | '-infinity', until: Date) => {
    const users = shares.filter((share) => share[kind] > 0)
    if (users.length === 0) return []
    const teamIds = numbersLiteral(users.map(({ teamId }) => teamId))
    const maxChecks = numbersLiteral(users.map((share) => share[kind]))
    return [{ text: claimDueSql, values: [nodeId, teamIds, maxChecks, from, until] }]
  }
  const statements = [
    ...createStatements('overdue', '-infinity', overdueUntil),
    ...createStatements('onTime', overdueUntil, onTimeUntil),
  ]
  const results = statements.length === 0 ? [] : await q.batch(...statements)
  const claims = results.flatMap((result) => result.rows as ClaimRow[])
  const rows = await readClaimed(q, nodeId, claims)
  return {
    overdue: rows.filter(({ due_at }) => due_at <= overdueUntil),
    onTime: rows.filter(({ due_at }) => due_at > overdueUntil),
  }
}

export function toClaimedCheck(row: ClaimedCheckRow, secret: Secret): ClaimedCheck {
  const settings = toMonitorSettings(row, secret)
  const isPassive = settings.type === 'heartbeat' || settings.type === 'traffic'
  return {
    teamId: row.user_id,
    monitorId: row.id,
    claimNumber: row.claim,
    nodeId: row.claimed_by,
    dueAt: row.due_at,
    target: toTarget(settings, row.user_id, row.id),
    // Heartbeats and traffic monitors need no retries: checking again brings back neither a missing beat nor visitors. The schedule
    // of a heartbeat decides when it is due, and the job 'watch for silence and spikes' makes traffic monitors due.
    intervalMs: (isPassive ? defaultIntervals[settings.type] : settings.interval) * 1000,
    retries: isPassive ? 0 : settings.retries,
    retryIntervalMs: settings.retryInterval * 1000,
    priorState: {
      status: row.status,
      waitingSince: row.waiting_since,
      failures: row.failures,
      failingSince: row.failing_since,
      lastCheckedAt: row.last_checked_at,
      expiresAt: row.tls_expires_at,
      warnedDays: row.tls_warned_days,
    },
  }
}

/** `monitorId` is null for a trial check of a monitor that isn't stored. */
export function toTarget(settings: MonitorSettings, teamId: number, monitorId: number | null): Target {
  const { type, url, http, options } = settings
  const common = { url, timeoutMs: resolveTimeoutSeconds(settings) * 1000 }
  switch (type) {
    case 'http':
      return { type, ...common, teamId, http: http ?? defaultHttpSettings }
    case 'ping':
      return { type, ...common, teamId }
    case 'tcp':
      return { type, ...common, tcp: options.tcp ?? defaultOptions.tcp }
    case 'dns':
      return { type, ...common, dns: options.dns ?? defaultOptions.dns }
    case 'tls':
      return { type, ...common, tls: options.tls ?? defaultOptions.tls }
    case 'domain':
      return { type, ...common, teamId, domain: options.domain ?? defaultOptions.domain }
    case 'heartbeat':
    case 'traffic':
      return { type, ...common, teamId, monitorId }
  }
}
