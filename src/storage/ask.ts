/** What statements of stores have in common. */
import type { Queries } from './client.ts'
import type { Statement, StatementResult } from './flight.ts'

/** The policy says the same. But where requests run as the owner it is one of several, and no index helps with those. */
export const own = 'user_id = caller_id()'

/** Has everybody else with the same user wait for the end of the transaction: what is counted stays so until then. */
export async function takeTurn(q: Queries): Promise<void> {
  await q.query('select from users where id = caller_id() for no key update')
}

/**
 * Has PostgreSQL plan for the caller of now. A plan that it keeps was made for whoever asked first, and what is best for
 * ten rows (read all, then sort) took 30 ms with 40,000.
 */
export async function askAnew(q: Queries, ...statements: Statement[]): Promise<StatementResult[]> {
  const planning = { text: `select set_config('plan_cache_mode', 'force_custom_plan', true)` }
  const [, ...results] = await q.flight(planning, ...statements)
  return results
}
