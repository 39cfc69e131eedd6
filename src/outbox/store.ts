/** SQL that outboxes share. */
import type { Statement } from '../storage/batch.ts'

/**
 * Makes PostgreSQL read queues in index order for the rest of the transaction. Otherwise it would sort up to 100,000
 * messages again for each queue: the planner assumes that row level security leaves a single row, which is cheap to sort.
 */
export const preferIndexOrderStatement: Statement = {
  text: `select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
                set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
                set_config('enable_mergejoin', 'off', true)`,
}
