/** Signing in: with a password, with a second factor after it, and with a passkey. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { requirePasswordSignIn } from '../accounts/password-sign-in.ts'
import { SessionResponse, SignIn, toSessionResponse } from '../accounts/schema.ts'
import type { UserRow } from '../accounts/store.ts'
import { anyone } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { crossSiteProblem } from '../http/authentication.ts'
import { describeClient } from '../http/client.ts'
import { setNewSessionCookie } from '../http/cookies.ts'
import { getPageOrigin, isCrossSite } from '../http/origin.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { toClientNetwork } from '../lib/network-address.ts'
import { beginPasskeySignIn, finishPasskeySignIn } from './passkeys.ts'
import { getRelyingParty, supportsPasskeys } from './relying-party.ts'
import {
  BeginPasskeySignIn,
  FinishSignIn,
  PasskeySignIn,
  PasskeySignInOptions,
  SecondFactorResponse,
} from './schema.ts'
import { finishWithCode, signIn } from './sign-in.ts'

const tags = ['Session']

export function signInRoutes(app: App, deps: RouteDeps): void {
  const { config } = deps

  // Another site must not be able to sign a visitor in to the attacker's account.
  function requireOwnSite(request: FastifyRequest): void {
    if (isCrossSite(config, request)) throw crossSiteProblem()
  }

  function sendSession(
    request: FastifyRequest,
    reply: FastifyReply,
    { user, sessionToken }: { user: UserRow; sessionToken: string },
  ) {
    setNewSessionCookie(config, request, reply, sessionToken)
    return toSessionResponse(user)
  }

  app.post(
    '/api/session',
    {
      config: { access: anyone },
      schema: {
        tags,
        operationId: 'signIn',
        summary: 'Sign in',
        description:
          'Starts a session of 30 days and sets its cookie. Wrong passwords are rate limited. If the account has a second factor, the response is 202 without a cookie, and the sign-in must be finished within five minutes.',
        body: SignIn,
        response: { 200: SessionResponse, 202: SecondFactorResponse },
        errors: [401, 403],
      },
    },
    async (request, reply) => {
      requireOwnSite(request)
      requirePasswordSignIn(config)
      const result = await signIn(
        deps,
        {
          ...request.body,
          clientNetwork: toClientNetwork(request.ip),
          supportsPasskeys: supportsPasskeys(getPageOrigin(config, request), request.headers.origin),
        },
        describeClient(request),
      )
      if ('sessionToken' in result) return sendSession(request, reply, result)
      const { token, methods, expiresAt } = result
      reply.code(202).header('cache-control', 'no-store')
      return { data: { second_factor: { token, methods, expires_at: expiresAt.toISOString() } } }
    },
  )

  app.post(
    '/api/session/second-factor',
    {
      config: { access: anyone },
      schema: {
        tags,
        operationId: 'verifySecondFactor',
        summary: 'Finish signing in with a code',
        description:
          'A code of the authenticator app, or a recovery code, which works once. Each code of the app works once, too. Wrong codes are rate limited, and the sign-in goes on waiting. 401: the sign-in has ended; begin again.',
        body: FinishSignIn,
        response: { 200: SessionResponse },
        errors: [401, 403],
      },
    },
    async (request, reply) => {
      requireOwnSite(request)
      requirePasswordSignIn(config)
      const input = { ...request.body, clientNetwork: toClientNetwork(request.ip) }
      return sendSession(request, reply, await finishWithCode(deps, input, describeClient(request)))
    },
  )

  app.post(
    '/api/session/passkey/options',
    {
      config: { access: anyone },
      schema: {
        tags,
        operationId: 'getPasskeySignInOptions',
        summary: 'Begin to sign in with a passkey',
        description:
          'Without `token`, the passkey replaces email and password. With the `token` of a sign-in that waits for its second factor, the passkey is that factor. Passkeys need https at a host name, or localhost; elsewhere, the response is 409.',
        body: BeginPasskeySignIn,
        response: { 200: PasskeySignInOptions },
        errors: [401, 403, 409],
      },
    },
    async (request, reply) => {
      requireOwnSite(request)
      requirePasswordSignIn(config)
      const relyingParty = getRelyingParty(getPageOrigin(config, request), request.headers.origin)
      reply.header('cache-control', 'no-store')
      return { data: await beginPasskeySignIn(deps, relyingParty, request.body?.token) }
    },
  )

  app.post(
    '/api/session/passkey',
    {
      config: { access: anyone },
      schema: {
        tags,
        operationId: 'signInWithPasskey',
        summary: 'Sign in with a passkey',
        description: 'Starts a session like `signIn`. Each attempt works once, for five minutes.',
        body: PasskeySignIn,
        response: { 200: SessionResponse },
        errors: [401, 403],
      },
    },
    async (request, reply) => {
      requireOwnSite(request)
      requirePasswordSignIn(config)
      return sendSession(request, reply, await finishPasskeySignIn(deps, request.body, describeClient(request)))
    },
  )
}
