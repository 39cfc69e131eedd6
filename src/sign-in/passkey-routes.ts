/** Passkeys of the caller's own account. */
import { sessionOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sessionOf } from '../http/authentication.ts'
import { sendCreated } from '../http/idempotent-create.ts'
import { getPageOrigin } from '../http/origin.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { notFound } from '../lib/problem.ts'
import { deletedResponse, idParams, toDeleted } from '../lib/schemas.ts'
import { requireProofOrFreshSession } from './confirm.ts'
import { toPasskeyRecord } from './passkey-record.ts'
import { updatePasskeyName } from './passkey-store.ts'
import { beginEnrolment, finishEnrolment, removePasskey } from './passkeys.ts'
import { getRelyingParty } from './relying-party.ts'
import {
  CreatedPasskeyResponse,
  CreatePasskey,
  PasskeyOptions,
  PasskeyResponse,
  ProofOrFreshSession,
  UpdatePasskey,
} from './schema.ts'

const tags = ['Session']
const config = { access: sessionOnly, right: 'account' } as const

export function passkeyRoutes(app: App, deps: RouteDeps): void {
  const { db } = deps

  app.post(
    '/api/account/passkeys/options',
    {
      config,
      schema: {
        tags,
        operationId: 'getPasskeyOptions',
        summary: 'Begin to add a passkey',
        description:
          'Passkeys need https at a host name, or localhost; elsewhere, the response is 409. Each attempt works once, for five minutes.',
        body: ProofOrFreshSession,
        response: { 200: PasskeyOptions },
        errors: [403, 409],
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      const tenant = db.as(caller)
      const relyingParty = getRelyingParty(getPageOrigin(deps.config, request), request.headers.origin)
      await requireProofOrFreshSession(db, deps, caller, request.body?.current_password)
      return { data: await beginEnrolment(tenant, deps, caller, relyingParty) }
    },
  )

  app.post(
    '/api/account/passkeys',
    {
      config,
      schema: {
        tags,
        operationId: 'createPasskey',
        summary: 'Add a passkey',
        description:
          'Returns recovery codes if the account has none, which are not shown again. If it is the first second factor of the account, all other sessions of the user end.',
        body: CreatePasskey,
        response: { 201: CreatedPasskeyResponse },
        errors: [409],
      },
    },
    async (request, reply) => {
      const caller = sessionOf(request)
      const input = { ...request.body, name: request.body.name.trim() }
      const { passkey, recoveryCodes } = await finishEnrolment(db.as(caller), deps, caller, input)
      const responseBody = { data: { ...toPasskeyRecord(passkey), recovery_codes: recoveryCodes } }
      return sendCreated(deps, request, reply, { path: `/api/account/passkeys/${passkey.id}`, responseBody })
    },
  )

  app.patch(
    '/api/account/passkeys/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'updatePasskey',
        summary: 'Rename a passkey',
        params: idParams,
        body: UpdatePasskey,
        response: { 200: PasskeyResponse },
      },
    },
    async (request) => {
      const tenant = db.as(sessionOf(request))
      const passkey = await updatePasskeyName(tenant, request.params.id, request.body.name.trim())
      if (passkey === undefined) throw notFound()
      return { data: toPasskeyRecord(passkey) }
    },
  )

  app.delete(
    '/api/account/passkeys/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'deletePasskey',
        summary: 'Remove a passkey',
        description:
          'Without another passkey or an authenticator app, the recovery codes end, too. An account without a password and single sign-on keeps its last passkey.',
        params: idParams,
        body: ProofOrFreshSession,
        response: { 200: deletedResponse('passkey') },
        errors: [403, 409],
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      const { id } = request.params
      const tenant = db.as(caller)
      await requireProofOrFreshSession(db, deps, caller, request.body?.current_password)
      await removePasskey(tenant, caller, id)
      return toDeleted('passkey', id)
    },
  )
}
