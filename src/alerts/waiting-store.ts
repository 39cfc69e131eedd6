/** SQL for the metrics about alerts that wait to be sent, across users. */
import { preferIndexOrderStatement } from '../outbox/store.ts'
import type { Queries } from '../storage/transaction.ts'

/** Counts at most `limit` alerts. `oldestAt` covers only the counted ones. */
export async function countWaitingAlerts(q: Queries, limit: number): Promise<{ count: number; oldestAt: Date | null }> {
  const [, waiting] = await q.batch(preferIndexOrderStatement, {
    text: `select count(*) as count, min(created_at) as "oldestAt"
             from (select created_at from alerts where state = 'waiting' limit $1) waiting`,
    values: [limit],
  })
  return waiting?.rows[0] as { count: number; oldestAt: Date | null }
}
