/** SQL of assignments: which providers are told about a monitor. */
import pg from 'pg'
import { invalid, notFound } from '../lib/problem.ts'
import type { ProviderType } from '../providers/kinds.ts'
import type { Queries } from '../storage/client.ts'
import { OWN_ROWS } from '../storage/statements.ts'

export interface AssignmentRow {
  monitor_id: number
  provider_id: number
  provider_type: ProviderType
  enabled: boolean
  created_at: Date
}

const columns = 'a.monitor_id, a.provider_id, p.provider_type, a.enabled, a.created_at'
const joined = 'assignments a join providers p on p.user_id = a.user_id and p.id = a.provider_id'

/** As JSON. undefined: there is no such monitor. */
export async function listAssignments(q: Queries, monitorId: number) {
  const [found, rows] = await q.batch(
    { text: `select from monitors where ${OWN_ROWS} and id = $1`, values: [monitorId] },
    {
      text: `select ${columns} from ${joined} where a.${OWN_ROWS} and a.monitor_id = $1 order by a.provider_id`,
      values: [monitorId],
      asJson: true,
    },
  )
  return found?.count === 1 && rows !== undefined ? { json: rows.json, count: rows.count } : undefined
}

/** Needs a transaction of the user's. Says whether it is new. */
export async function putAssignment(
  q: Queries,
  assignment: { userId: number; monitorId: number; providerId: number; enabled: boolean; now: Date },
): Promise<{ isNew: boolean; row: AssignmentRow }> {
  const { userId, monitorId, providerId, enabled, now } = assignment
  const [put] = await q
    .query<{ is_new: boolean }>(
      // A row that this statement inserted was never deleted or locked: its xmax is 0.
      `insert into assignments as a (user_id, monitor_id, provider_id, enabled, created_at) values ($1, $2, $3, $4, $5)
       on conflict (user_id, monitor_id, provider_id) do update set enabled = excluded.enabled
       returning xmax = 0 as is_new`,
      [userId, monitorId, providerId, enabled, now],
    )
    .catch(explain)
  const [row] = await q.query<AssignmentRow>(
    `select ${columns} from ${joined} where a.${OWN_ROWS} and a.monitor_id = $1 and a.provider_id = $2`,
    [monitorId, providerId],
  )
  return { isNew: put?.is_new === true, row: row as AssignmentRow }
}

export async function deleteAssignment(q: Queries, monitorId: number, providerId: number): Promise<boolean> {
  const rows = await q.query(
    `delete from assignments where ${OWN_ROWS} and monitor_id = $1 and provider_id = $2 returning provider_id`,
    [monitorId, providerId],
  )
  return rows.length > 0
}

/** Those that want to hear of every new monitor, kept from being deleted until the transaction ends. */
export async function lockDefaultProviders(q: Queries): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    `select id from providers where ${OWN_ROWS} and assign_by_default order by id for key share`,
  )
  return rows.map(({ id }) => id)
}

/** Needs a transaction of the user's. */
export async function assignProviders(
  q: Queries,
  { userId, monitorId, providerIds, now }: { userId: number; monitorId: number; providerIds: number[]; now: Date },
): Promise<void> {
  if (providerIds.length === 0) return
  await q.query(
    `insert into assignments (user_id, monitor_id, provider_id, enabled, created_at)
     select $1, $2, unnest($3::bigint[]), true, $4`,
    [userId, monitorId, providerIds, now],
  )
}

function explain(error: unknown): never {
  if (error instanceof pg.DatabaseError && error.constraint === 'assignments_monitor_fkey') throw notFound()
  if (error instanceof pg.DatabaseError && error.constraint === 'assignments_provider_fkey') {
    throw invalid({ provider_id: ['`provider_id` is not one of your providers.'] })
  }
  throw error
}
