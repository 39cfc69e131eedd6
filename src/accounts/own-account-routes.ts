/** The caller's own account: what the pages show about it, and its settings. */
import { sessionOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { notFound } from '../lib/problem.ts'
import { type AccountRow, findOwnAccount, updateAlertGrouping } from './own-account-store.ts'
import { AccountResponse, UpdateAccount } from './schema.ts'

function toAccountResponse(row: AccountRow | undefined) {
  if (row === undefined) throw notFound()
  const { created_at, email_confirmed_at, ...account } = row
  return {
    data: {
      ...account,
      email_confirmed_at: email_confirmed_at?.toISOString() ?? null,
      created_at: created_at.toISOString(),
    },
  }
}

export function ownAccountRoutes(app: App, { db }: RouteDeps): void {
  app.get(
    '/api/account',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags: ['Session'],
        operationId: 'getAccount',
        summary: 'Get your own account',
        response: { 200: AccountResponse },
      },
    },
    async (request) => toAccountResponse(await findOwnAccount(db.as(callerOf(request)))),
  )

  app.patch(
    '/api/account',
    {
      config: { access: sessionOnly },
      schema: {
        tags: ['Session'],
        operationId: 'updateAccount',
        summary: 'Update settings of your own account',
        description:
          'Fields that you do not send do not change. `group_alerts` is a setting of the team in which your session acts: viewers and guests can not change it.',
        body: UpdateAccount,
        response: { 200: AccountResponse },
      },
    },
    async (request) => {
      const { group_alerts: groupAlerts } = request.body
      const tenant = db.as(callerOf(request))
      if (groupAlerts !== undefined) await updateAlertGrouping(tenant, groupAlerts)
      return toAccountResponse(await findOwnAccount(tenant))
    },
  )
}
