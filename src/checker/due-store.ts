/** SQL for finding and claiming the checks that are due. */
import { numbersLiteral } from '../storage/array-literal.ts'
import type { Queries } from '../storage/client.ts'
import type { UserClaimCounts } from './claim-rate-limiter.ts'
import { type ClaimedCheckRow, type ClaimRow, readClaimed } from './claim-store.ts'

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
  return rows.map(({ user_id, overdue, on_time }) => ({ userId: user_id, overdue, onTime: on_time }))
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

export interface DueChecksQuery extends DueWindow {
  node: number
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
  { node, shares, overdueUntil, onTimeUntil }: DueChecksQuery,
): Promise<ClaimedDueChecks> {
  const createStatements = (kind: 'overdue' | 'onTime', from: Date | '-infinity', until: Date) => {
    const users = shares.filter((share) => share[kind] > 0)
    if (users.length === 0) return []
    const userIds = numbersLiteral(users.map(({ userId }) => userId))
    const maxChecks = numbersLiteral(users.map((share) => share[kind]))
    return [{ text: claimDueSql, values: [node, userIds, maxChecks, from, until] }]
  }
  const statements = [
    ...createStatements('overdue', '-infinity', overdueUntil),
    ...createStatements('onTime', overdueUntil, onTimeUntil),
  ]
  const results = statements.length === 0 ? [] : await q.batch(...statements)
  const claims = results.flatMap((result) => result.rows as ClaimRow[])
  const rows = await readClaimed(q, node, claims)
  return {
    overdue: rows.filter(({ due_at }) => due_at <= overdueUntil),
    onTime: rows.filter(({ due_at }) => due_at > overdueUntil),
  }
}
