/** How people can sign in, and the link between an account and the identity provider. */
import { anyone, sessionOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sessionOf } from '../http/authentication.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { urlPrefixOf } from '../http/url-prefix.ts'
import { notFound } from '../lib/problem.ts'
import { requireProofOrFreshSession } from '../sign-in/confirm.ts'
import { ProofOrFreshSession } from '../sign-in/schema.ts'
import { deleteIdentity } from './identity.ts'
import { ensureBrowser, rethrowAsProblem } from './routes.ts'
import {
  IdentityDeletedResponse,
  IdentityResponse,
  LinkIdentity,
  LinkResponse,
  SignInMethodsResponse,
} from './schema.ts'
import { parseReturnTo, type SingleSignOn } from './single-sign-on.ts'
import { findOwnIdentity } from './store.ts'

export function identityRoutes(app: App, deps: RouteDeps, singleSignOn: SingleSignOn): void {
  const { config, db } = deps
  const tags = ['Session']
  const options = { config: { access: sessionOnly, right: 'account' as const } }

  app.get(
    '/api/sign-in-methods',
    {
      config: { access: anyone },
      schema: {
        tags,
        operationId: 'listSignInMethods',
        summary: 'List the ways to sign in',
        description: 'Tells pages what to offer. It is the same for everybody.',
        response: { 200: SignInMethodsResponse },
      },
    },
    async () => {
      const { singleSignOn: settings } = config
      const isOnly = settings?.isOnly === true
      const label = settings === undefined ? null : { label: settings.label }
      return { data: { password: !isOnly, passkeys: !isOnly, single_sign_on: label } }
    },
  )

  app.get(
    '/api/account/identity',
    {
      ...options,
      schema: {
        tags,
        operationId: 'getIdentity',
        summary: 'Get the linked account of the identity provider',
        response: { 200: IdentityResponse },
      },
    },
    async (request) => {
      const identity = await findOwnIdentity(db.as(sessionOf(request)))
      if (identity === undefined) return { data: null }
      const { created_at: createdAt, last_used_at: lastUsedAt } = identity
      return {
        data: {
          ...identity,
          created_at: createdAt.toISOString(),
          last_used_at: lastUsedAt?.toISOString() ?? null,
        },
      }
    },
  )

  app.post(
    '/api/account/identity',
    {
      ...options,
      schema: {
        tags,
        operationId: 'addIdentity',
        summary: 'Link an account of the identity provider',
        description:
          'Returns the page of the provider. Open it in the same browser: after signing in there, the browser returns to the page `return_to`, and you can sign in with single sign-on. 409 without single sign-on.',
        body: LinkIdentity,
        response: { 200: LinkResponse },
        errors: [403, 409, 502],
      },
    },
    async (request, reply) => {
      const caller = sessionOf(request)
      // The attempt belongs to this session, so nobody else can finish what the proof allowed.
      await requireProofOrFreshSession(db, deps, caller, request.body.current_password)
      const returnTo = parseReturnTo(request.body.return_to ?? '/account', urlPrefixOf(config))
      const browser = ensureBrowser(deps, request, reply)
      const begun = singleSignOn.begin({ browser, returnTo, linkFor: caller })
      return { data: { url: await begun.catch(rethrowAsProblem) } }
    },
  )

  app.delete(
    '/api/account/identity',
    {
      ...options,
      schema: {
        tags,
        operationId: 'removeIdentity',
        summary: 'Remove the linked account of the identity provider',
        description:
          'Ends your other sessions that came from there. Without a second factor, this session is no longer strong. 409 if single sign-on is the only way in which you can sign in.',
        body: ProofOrFreshSession,
        response: { 200: IdentityDeletedResponse },
        errors: [403, 404, 409],
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      await requireProofOrFreshSession(db, deps, caller, request.body?.current_password)
      if (!(await deleteIdentity({ config, db }, caller))) throw notFound()
      return { object: 'identity' as const, deleted: true as const }
    },
  )
}
