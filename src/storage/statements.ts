/** SQL fragments and helpers that many stores use. */

import type { Statement, StatementResult } from './batch.ts'
import type { Queries } from './transaction.ts'

/**
 * Limits a statement to the rows of the caller's team. Row level security does that too. But if requests run as the
 * table owner, the policy `across_users` also applies, and PostgreSQL combines the two with OR. It can then use an index only if
 * the statement itself has the condition.
 */
export const OWN_ROWS = 'user_id = own_team()'

/** The same for tables with rows that a team can share with guests, who have no team of their own here. */
export const SHARED_ROWS = 'user_id = acting_team()'

/** Locks the caller's team until the end of the transaction, so that a count of its rows stays valid until then. */
export async function lockOwnTeam(q: Queries): Promise<void> {
  await q.query('select lock_team(acting_team())')
}

/**
 * Makes the audit log name this user in the rest of the transaction. They have no key or session, but proved with the token of a link
 * who they are. It gives the transaction no further rights, because it already works across users.
 */
export async function actAsUser(q: Queries, userId: number): Promise<void> {
  await q.query(`select set_config('belfry.user_id', $1, true)`, [String(userId)])
}

/**
 * A request that deletes many rows may take long, so it uses the connections of the background work, which wait long
 * for locks. This limits the wait of the request.
 */
export async function limitLockWaits(q: Queries): Promise<void> {
  await q.query(`select set_config('lock_timeout', '2s', true)`)
}

/**
 * Plans the statements at each call. PostgreSQL otherwise caches one plan per statement, so a user with 40,000 rows would get
 * the plan of a user with ten (read all, then sort), which took 30 ms.
 */
export async function queryWithFreshPlan(q: Queries, ...statements: Statement[]): Promise<StatementResult[]> {
  const forceCustomPlan = { text: `select set_config('plan_cache_mode', 'force_custom_plan', true)` }
  const [, ...results] = await q.batch(forceCustomPlan, ...statements)
  return results
}
