/** The current session, sign-out, and the first account of a new server. */
import { anyone, sessionOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { crossSiteProblem, sessionOf } from '../http/authentication.ts'
import { describeClient } from '../http/client.ts'
import { clearSessionCookie, setNewSessionCookie } from '../http/cookies.ts'
import { getBaseUrl, isCrossSite } from '../http/origin.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import type { SessionCaller } from '../storage/caller.ts'
import { SessionResponse, SetupRequest, SignedOutResponse, toSessionResponse } from './schema.ts'
import { createAdminWithToken } from './setup.ts'
import { startSession } from './sign-in.ts'
import { deleteSession } from './store.ts'

/** Returns the page on which people sign out of the service that has signed them in, if there is one. */
type FindLogoutUrl = (caller: SessionCaller) => Promise<string | undefined>

export function sessionRoutes(app: App, deps: RouteDeps, { findLogoutUrl }: { findLogoutUrl: FindLogoutUrl }): void {
  const { clock, config, db } = deps

  app.get(
    '/api/session',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags: ['Session'],
        operationId: 'getSession',
        summary: 'Get the current session',
        response: { 200: SessionResponse },
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      // The session in `request` may come from a cache, and may have ended since.
      await db.as(caller).confirm()
      return toSessionResponse({ id: caller.userId, email: caller.email, is_admin: caller.isAdmin })
    },
  )

  app.delete(
    '/api/session',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags: ['Session'],
        operationId: 'signOut',
        summary: 'Sign out',
        description: 'If the session came from single sign-on, `logout_url` is the page that signs out there, too.',
        response: { 200: SignedOutResponse },
      },
    },
    async (request, reply) => {
      const caller = sessionOf(request)
      const logoutUrl = await findLogoutUrl(caller)
      await deleteSession(db.as(caller), caller.sessionId)
      clearSessionCookie(config, request, reply)
      return { data: { signed_out: true as const, ...(logoutUrl !== undefined && { logout_url: logoutUrl }) } }
    },
  )

  app.post(
    '/api/setup',
    {
      config: { access: anyone },
      schema: {
        tags: ['Session'],
        operationId: 'createFirstAdmin',
        summary: 'Create the first admin account',
        description: 'Requires the token from the setup link that the server prints on its first start. Works once.',
        body: SetupRequest,
        response: { 201: SessionResponse },
        errors: [403, 409],
      },
    },
    async (request, reply) => {
      if (isCrossSite(config, request)) throw crossSiteProblem()
      const user = await createAdminWithToken(db, deps, request.body)
      setNewSessionCookie(config, request, reply, await startSession(db, user.id, clock, describeClient(request)))
      return reply
        .code(201)
        .header('location', `${getBaseUrl(config, request)}/api/session`)
        .send(toSessionResponse(user))
    },
  )
}
