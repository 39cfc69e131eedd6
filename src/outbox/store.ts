/** SQL that outboxes share. */
import type { Statement } from '../storage/batch.ts'

/**
 * Makes PostgreSQL read queues in index order for the rest of the transaction. The planner assumes that row level security
 * leaves a single row, so it would otherwise sort up to 100,000 messages again for each queue.
 */
export const preferIndexOrder: Statement = {
  text: `select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
                set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
                set_config('enable_mergejoin', 'off', true)`,
}
