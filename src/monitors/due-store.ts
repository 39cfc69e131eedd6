/** SQL that makes checks due early. */
import { numbersLiteral } from '../storage/array-literal.ts'
import type { Queries } from '../storage/transaction.ts'

/** Makes the next check of the monitors due now. Checks that are running or due already are left alone. */
export async function requestChecks(
  q: Queries,
  monitors: readonly { teamId: number; monitorId: number }[],
  now: Date,
): Promise<void> {
  await q.query(
    `with requested as materialized (
       select s.user_id, s.monitor_id
         from monitor_states s
         join unnest($1::bigint[], $2::bigint[]) as n (user_id, monitor_id)
           on s.user_id = n.user_id and s.monitor_id = n.monitor_id
        where s.due_at > $3 and s.due_at < 'infinity'
          for no key update of s skip locked
     )
     update monitor_states s
        set due_at = $3
       from requested r
      where s.user_id = r.user_id and s.monitor_id = r.monitor_id`,
    [
      numbersLiteral(monitors.map(({ teamId }) => teamId)),
      numbersLiteral(monitors.map(({ monitorId }) => monitorId)),
      now,
    ],
  )
}
