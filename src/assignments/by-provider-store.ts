/** SQL of the assignments of one provider, many at once. */

import type { Queries } from '../storage/client.ts'
import { OWN_ROWS, queryWithFreshPlan } from '../storage/statements.ts'

const theProvider = (id: number) => ({ text: `select from providers where ${OWN_ROWS} and id = $1`, values: [id] })

/** As JSON, newest monitor first. undefined: there is no such provider. */
export async function readAssignedMonitors(
  q: Queries,
  providerId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ json: string; total: number } | undefined> {
  const [found, count, rows] = await queryWithFreshPlan(
    q,
    theProvider(providerId),
    { text: `select count(*) as total from assignments where ${OWN_ROWS} and provider_id = $1`, values: [providerId] },
    {
      text: `with page as materialized (
          select monitor_id, enabled, created_at from assignments
           where ${OWN_ROWS} and provider_id = $1 order by monitor_id desc limit $2 offset $3
        )
        select p.monitor_id, m.friendly_name, m.url, m.status, p.enabled, p.created_at
          from page p join monitors m on m.${OWN_ROWS} and m.id = p.monitor_id order by p.monitor_id desc`,
      values: [providerId, limit, offset],
      asJson: true,
    },
  )
  if (found?.count !== 1) return undefined
  return { json: rows?.json ?? '', total: count?.rows[0]?.['total'] }
}

/** Whether it is there. It is then not deleted until the transaction ends. */
export async function lockProvider(q: Queries, id: number): Promise<boolean> {
  return (await q.query(`select id from providers where ${OWN_ROWS} and id = $1 for key share`, [id])).length > 0
}

/** Those that are there, and are not deleted until the transaction ends; in the same order as others lock them. */
export async function lockExistingMonitors(q: Queries, ids: readonly number[]): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    `select id from monitors where ${OWN_ROWS} and id = any ($1) order by id for key share`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

/** Needs a transaction of the user's that holds both sides. Answers with how many are new. */
export async function assignMonitors(
  q: Queries,
  assignment: { userId: number; providerId: number; monitorIds: readonly number[]; enabled: boolean; now: Date },
): Promise<number> {
  const { userId, providerId, monitorIds, enabled, now } = assignment
  const rows = await q.query<{ is_new: boolean }>(
    // A row that this statement inserted was never deleted or locked: its xmax is 0.
    `insert into assignments as a (user_id, monitor_id, provider_id, enabled, created_at)
     select $1, monitor_id, $2, $4, $5 from unnest($3::bigint[]) as monitor_id order by monitor_id
     on conflict (user_id, monitor_id, provider_id) do update set enabled = excluded.enabled
     returning xmax = 0 as is_new`,
    [userId, providerId, monitorIds, enabled, now],
  )
  return rows.filter(({ is_new: isNew }) => isNew).length
}

/** Answers with how many were there. undefined: there is no such provider. */
export async function removeAssignments(
  q: Queries,
  providerId: number,
  monitorIds: readonly number[],
): Promise<number | undefined> {
  const [found, removed] = await q.batch(theProvider(providerId), {
    text: `with gone as materialized (
        select monitor_id from assignments
         where ${OWN_ROWS} and provider_id = $1 and monitor_id = any ($2) order by monitor_id for update
      )
      delete from assignments where ${OWN_ROWS} and provider_id = $1 and monitor_id in (select monitor_id from gone)`,
    values: [providerId, monitorIds],
  })
  return found?.count === 1 ? removed?.count : undefined
}
