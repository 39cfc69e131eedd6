/** Signing in and out, and the first account of a new server. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { anyone, session } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { foreign, sessionOf } from '../http/authentication.ts'
import { clearSessionCookie, setSessionCookie } from '../http/cookies.ts'
import { baseUrl, isForeign } from '../http/origin.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { clientNetworkOf } from '../lib/network-address.ts'
import { claimWithLink } from './first-start.ts'
import { SessionAnswer, SetUp, SignedOut, SignIn } from './schema.ts'
import { signIn, startSession } from './sign-in.ts'
import { deleteSession } from './store.ts'

interface Person {
  id: number
  email: string
  is_admin: boolean
}

function answerOf({ id, email, is_admin }: Person) {
  return { data: { user: { id, email, is_admin } } }
}

export function sessionRoutes(app: App, services: RouteDeps): void {
  const { clock, config, db } = services

  function open(request: FastifyRequest, reply: FastifyReply, token: string): void {
    setSessionCookie(config, request, reply, token)
    reply.header('cache-control', 'no-store')
  }

  app.post(
    '/api/session',
    {
      config: { access: anyone },
      schema: {
        tags: ['Session'],
        summary: 'Sign in',
        body: SignIn,
        response: { 200: SessionAnswer },
        errors: [401, 403],
      },
    },
    async (request, reply) => {
      // Signing a visitor in to somebody else's account is an attack too.
      if (isForeign(config, request)) throw foreign()
      const { user, token } = await signIn(db, services, { ...request.body, address: clientNetworkOf(request.ip) })
      open(request, reply, token)
      return answerOf(user)
    },
  )

  app.get(
    '/api/session',
    {
      config: { access: session },
      schema: { tags: ['Session'], summary: 'Who am I', response: { 200: SessionAnswer } },
    },
    async (request) => {
      const caller = sessionOf(request)
      // Asks the database: a session that has ended elsewhere is nobody's.
      await db.as(caller).batch()
      return answerOf({ id: caller.userId, email: caller.email, is_admin: caller.isAdmin })
    },
  )

  app.delete(
    '/api/session',
    {
      config: { access: session },
      schema: { tags: ['Session'], summary: 'Sign out', response: { 200: SignedOut } },
    },
    async (request, reply) => {
      const caller = sessionOf(request)
      await deleteSession(db.as(caller), caller.sessionId)
      clearSessionCookie(config, request, reply)
      return { data: { signed_out: true as const } }
    },
  )

  app.post(
    '/api/setup',
    {
      config: { access: anyone },
      schema: {
        tags: ['Session'],
        summary: 'Make the first account',
        description: 'With the token of the set-up link that the server prints on its first start. Works once.',
        body: SetUp,
        response: { 201: SessionAnswer },
        errors: [403, 409],
      },
    },
    async (request, reply) => {
      if (isForeign(config, request)) throw foreign()
      const user = await claimWithLink(db, services, request.body)
      open(request, reply, await startSession(db, user.id, clock))
      return reply
        .code(201)
        .header('location', `${baseUrl(config, request)}/api/session`)
        .send(answerOf(user))
    },
  )
}
