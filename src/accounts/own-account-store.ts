/** SQL for the caller's own account. */
import type { Queries } from '../storage/transaction.ts'
import type { UserRow } from './store.ts'

export interface AccountRow extends UserRow {
  group_alerts: boolean
}

const accountColumns = 'id, email, is_admin, group_alerts, created_at'

export async function findOwnAccount(q: Queries): Promise<AccountRow | undefined> {
  const [row] = await q.query<AccountRow & Record<string, unknown>>(
    `select ${accountColumns} from users where id = caller_id()`,
  )
  return row
}

/** Settings that are undefined do not change. */
export async function updateOwnAccount(
  q: Queries,
  { groupAlerts }: { groupAlerts: boolean | undefined },
): Promise<AccountRow | undefined> {
  const [row] = await q.query<AccountRow & Record<string, unknown>>(
    `update users set group_alerts = coalesce($1, group_alerts) where id = caller_id() returning ${accountColumns}`,
    [groupAlerts],
  )
  return row
}
