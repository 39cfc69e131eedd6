/**
 * Starts a session for the person whom an authenticating proxy names in BELFRY_AUTH_HEADER. Only a proxy of
 * BELFRY_TRUSTED_PROXIES can do so: from everybody else, the header is ignored. A session of somebody else ends, so that a browser
 * in which another person has signed in at the proxy doesn't show the account of the previous one.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { setEmailConfirmed } from '../accounts/email-store.ts'
import { deleteSession } from '../accounts/store.ts'
import { pageVisitor } from '../http/access.ts'
import type { CallerDirectory } from '../http/authentication.ts'
import { describeClient } from '../http/client.ts'
import { clearSessionCookie, setSessionCookie } from '../http/cookies.ts'
import { prefersHtml } from '../http/html-page.ts'
import { getBaseUrl, isForOtherHost } from '../http/origin.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { createProxyTest } from '../http/trusted-proxies.ts'
import { Problem } from '../lib/problem.ts'
import { hashToken } from '../lib/token.ts'
import type { SessionCaller } from '../storage/caller.ts'
import { isSameAddress } from './claims.ts'
import { findProxyUser, startProxySession } from './proxy-sign-in.ts'

/** On these pages, somebody without an account reads why. Public pages, such as status pages, are open to them. */
const pagesForUsers = new Set<string | undefined>(['/', '/sign-in'])

/** Call it after `addAuthentication`, which reads the session. */
export function addProxySignIn(app: FastifyInstance, deps: RouteDeps & { callerDirectory: CallerDirectory }): void {
  const { callerDirectory, clock, config, db, log } = deps
  const { authHeader } = config
  if (authHeader === undefined) return
  const isTrustedProxy = createProxyTest(config.trustedProxies)

  function findNamedPerson(request: FastifyRequest): string | undefined {
    const text = [request.headers[authHeader?.name ?? '']].flat().join(', ').trim()
    return text !== '' && isTrustedProxy(request.socket.remoteAddress) ? text : undefined
  }

  async function isSamePerson({ email, userId }: SessionCaller, person: string): Promise<boolean> {
    // The account may have got another address since the session was read.
    return isSameAddress(email, person) || (await findProxyUser(deps, person))?.id === userId
  }

  async function endSession(caller: SessionCaller, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await deleteSession(db.as({ ...caller, right: 'account' }), caller.sessionId)
    app.forgetCaller(request)
    clearSessionCookie(config, request, reply)
    request.caller = undefined
    log.info({ user: caller.userId }, 'ended a session, because the proxy names another person')
  }

  app.addHook('onRequest', async (request, reply) => {
    const person = findNamedPerson(request)
    const { caller } = request
    if (person === undefined || caller?.kind === 'key' || isForOtherHost(request)) return
    const { access } = request.routeOptions.config
    const isPage = access === pageVisitor && request.method === 'GET' && prefersHtml(request)
    if (caller !== undefined) {
      if (await isSamePerson(caller, person)) {
        // The person has also signed in to the account in another way, so it is theirs.
        if (isPage) await setEmailConfirmed(db, caller.userId, clock.now())
        return
      }
      await endSession(caller, request, reply)
    }
    if (isPage) return signIn(person, request, reply)
    const needsSession = access?.who === 'session' || access?.who === 'admin' || access?.who === 'caller'
    if (caller !== undefined && needsSession) throw new Problem('unauthenticated', 'Another person has signed in.')
  })

  async function signIn(person: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (authHeader === undefined) return
    const started = await startProxySession(deps, authHeader, person, describeClient(request))
    const page = request.routeOptions.url
    if (started === 'unconfirmed') {
      if (page !== '/') return
      const signInUrl = `${getBaseUrl(config, request)}/sign-in`
      const reason = `The address of the Belfry account ${person} is not confirmed yet.`
      throw new Problem('forbidden', `${reason} Sign in once with your password or a passkey at ${signInUrl}.`)
    }
    if (started === 'no account') {
      if (!pagesForUsers.has(page)) return
      throw new Problem('forbidden', `No Belfry account has the address ${person}. Ask the admin of this server.`)
    }
    const { token } = started
    setSessionCookie(config, request, reply, { token, teamHint: undefined })
    const newCaller = await callerDirectory.findBySession(hashToken(token), clock.now())
    request.caller = newCaller && { ...newCaller, isConfirmed: false, right: 'account' }
  }
}
