/** Second factors of the caller's own account. */
import { sessionOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sessionOf } from '../http/authentication.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { notFound } from '../lib/problem.ts'
import { requireProof } from './confirm.ts'
import { toPasskeyRecord } from './passkey-record.ts'
import { listPasskeys } from './passkey-store.ts'
import {
  AccountSecurityResponse,
  ConfirmTotp,
  DisabledResponse,
  Proof,
  RecoveryCodesResponse,
  TotpSecretResponse,
} from './schema.ts'
import { beginTotp, confirmTotp, removeTotp, replaceOwnRecoveryCodes } from './second-factors.ts'
import { countSecondFactors, findAccountState } from './store.ts'

const tags = ['Session']
const config = { access: sessionOnly, right: 'account' } as const

export function securityRoutes(app: App, deps: RouteDeps): void {
  const { db } = deps

  app.get(
    '/api/account/security',
    {
      config,
      schema: {
        tags,
        operationId: 'getAccountSecurity',
        summary: 'Get how your own account signs in',
        response: { 200: AccountSecurityResponse },
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      const tenant = db.as(caller)
      const [state, factors, passkeys] = await Promise.all([
        findAccountState(tenant),
        countSecondFactors(tenant, caller.userId),
        listPasskeys(tenant),
      ])
      if (state === undefined) throw notFound()
      return {
        data: {
          has_password: state.has_password,
          totp_enabled: factors.has_totp,
          recovery_codes_left: factors.recovery_codes,
          passkeys: passkeys.map(toPasskeyRecord),
          email_confirmed: state.email_confirmed,
        },
      }
    },
  )

  app.post(
    '/api/account/totp',
    {
      config,
      schema: {
        tags,
        operationId: 'createTotpSecret',
        summary: 'Begin to set up an authenticator app',
        description:
          'The app counts as a second factor after its first code. Repeating this request creates another secret.',
        body: Proof,
        response: { 200: TotpSecretResponse },
        errors: [403, 409],
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      const tenant = db.as(caller)
      const { email } = await requireProof(tenant, deps, caller, {
        currentPassword: request.body?.current_password,
        acceptsFreshSession: false,
      })
      return { data: await beginTotp(tenant, deps, { userId: caller.userId, email }) }
    },
  )

  app.put(
    '/api/account/totp',
    {
      config,
      schema: {
        tags,
        operationId: 'verifyTotp',
        summary: 'Finish setting up an authenticator app',
        description:
          'Returns ten recovery codes, which are not shown again and replace former ones. Ends all other sessions of the user.',
        body: ConfirmTotp,
        response: { 200: RecoveryCodesResponse },
        errors: [409],
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      return { data: { recovery_codes: await confirmTotp(db.as(caller), deps, caller, request.body.code) } }
    },
  )

  app.post(
    '/api/account/totp/disable',
    {
      config,
      schema: {
        tags,
        operationId: 'removeTotp',
        summary: 'Remove the authenticator app',
        description: 'Without a passkey, the recovery codes end, too.',
        body: Proof,
        response: { 200: DisabledResponse },
        errors: [403, 409],
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      const tenant = db.as(caller)
      await requireProof(tenant, deps, caller, {
        currentPassword: request.body?.current_password,
        acceptsFreshSession: false,
      })
      await removeTotp(tenant, caller)
      return { data: { disabled: true as const } }
    },
  )

  app.post(
    '/api/account/recovery-codes',
    {
      config,
      schema: {
        tags,
        operationId: 'createRecoveryCodes',
        summary: 'Create new recovery codes',
        description: 'Ten codes, which are not shown again. The former ones no longer work.',
        body: Proof,
        response: { 200: RecoveryCodesResponse },
        errors: [403, 409],
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      const tenant = db.as(caller)
      await requireProof(tenant, deps, caller, {
        currentPassword: request.body?.current_password,
        acceptsFreshSession: false,
      })
      return { data: { recovery_codes: await replaceOwnRecoveryCodes(tenant, deps, caller) } }
    },
  )
}
