/** SQL for the metrics about checks that no node has started in time, across users. */
import type { Queries } from '../storage/transaction.ts'
import { OVERDUE_AFTER_MS } from './schedule.ts'

/** Counts at most `limit` overdue checks, those that were due first. */
export async function countOverdueForMetrics(
  q: Queries,
  now: Date,
  limit: number,
): Promise<{ count: number; firstDueAt: Date | null }> {
  const [row] = await q.query<{ count: number; firstDueAt: Date | null }>(
    `select count(*) as count, min(due_at) as "firstDueAt"
       from (select due_at from monitor_states where due_at <= $1 order by due_at limit $2) overdue`,
    [new Date(now.getTime() - OVERDUE_AFTER_MS), limit],
  )
  return row ?? { count: 0, firstDueAt: null }
}
