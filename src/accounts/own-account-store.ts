/** SQL for the caller's own account, and the alert settings of the team in which they act. */
import type { Queries } from '../storage/transaction.ts'
import type { UserRow } from './store.ts'

export interface AccountRow extends UserRow {
  group_alerts: boolean
  email_confirmed_at: Date | null
}

export async function findOwnAccount(q: Queries): Promise<AccountRow | undefined> {
  const [row] = await q.query<AccountRow & Record<string, unknown>>(
    `select u.id, u.email, u.is_admin, coalesce(t.group_alerts, true) as group_alerts, u.email_confirmed_at, u.created_at
       from users u
       left join teams t on t.id = acting_team()
      where u.id = own_user()`,
  )
  return row
}

export async function updateAlertGrouping(q: Queries, groupAlerts: boolean): Promise<void> {
  await q.query('update teams set group_alerts = $1 where id = acting_team()', [groupAlerts])
}
