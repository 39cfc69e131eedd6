/** SQL for dependencies between monitors. */
import type { Queries } from '../storage/client.ts'

/** Returns the monitor and all monitors that it depends on, directly or indirectly. Empty if it doesn't exist. */
export async function listDependencyIds(q: Queries, monitorId: number): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    `with recursive chain as (
       select id, depends_on
         from monitors
        where user_id = caller_id() and id = $1
       union
       select m.id, m.depends_on
         from chain
         join monitors m on m.user_id = caller_id() and m.id = chain.depends_on
     )
     select id from chain`,
    [monitorId],
  )
  return rows.map(({ id }) => id)
}
