/** Finds out who is calling, and whether they may. Runs before a body is read. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../lib/problem.ts'
import { digestToHash, digestToken } from '../lib/token.ts'
import { type Caller, type KeyCaller, missingScopes, type SessionCaller } from '../storage/caller.ts'
import { type Access, reader } from './access.ts'
import { CallerCache } from './caller-cache.ts'
import { readSessionCookie, setSessionCookie } from './cookies.ts'
import { limiter } from './limits.ts'
import { isForeign } from './origin.ts'
import { wantsPage } from './page.ts'
import type { RouteDeps } from './route-deps.ts'

/** How the HTTP core learns who is calling. The application injects it, so that the core knows neither accounts nor keys. */
export interface CallerDirectory {
  /** The form of an API key; anything else isn't looked up. */
  keyPattern: RegExp
  findByKey(hash: Buffer): Promise<KeyCaller | undefined>
  findBySession(hash: Buffer, now: Date): Promise<SessionCaller | undefined>
  noteKeyUse(keyId: number, at: Date): void
  /** Extends a session that was not extended lately; undefined when there was no need. */
  extendSession(caller: SessionCaller, now: Date): Promise<SessionCaller | undefined>
}

interface Credential {
  kind: 'key' | 'session'
  /** What the cache knows it by; the token itself is not kept. */
  digest: string
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export function authentication(app: FastifyInstance, deps: RouteDeps & { callers: CallerDirectory }): void {
  const { callers, clock, config } = deps
  const cache = new CallerCache()
  const limits = limiter(deps)

  async function lookUp({ kind, digest }: Credential): Promise<Caller | undefined> {
    const hash = digestToHash(digest)
    return kind === 'key' ? callers.findByKey(hash) : callers.findBySession(hash, clock.now())
  }

  function findKnown(credential: Credential): Caller | undefined {
    const known = cache.find(credential.digest, clock.now())
    // A key is none in a cookie, though the cache may know it.
    return known?.kind === credential.kind ? known : undefined
  }

  async function identify(
    request: FastifyRequest,
    reply: FastifyReply,
    access: Access,
    credential?: Credential,
  ): Promise<void> {
    // Guessing costs us a look-up, so whoever is not known yet is counted by address first.
    limits.takeForAddress(request, reply)
    const found = credential && (await lookUp(credential))
    if (credential !== undefined && found !== undefined) {
      cache.keep(credential.digest, found, clock.now())
      return admit(request, reply, access, found)
    }
    if (access.who === 'reader' && request.headers.authorization === undefined) return
    throw new Problem('unauthenticated', unauthenticatedDetail(request))
  }

  function admit(
    request: FastifyRequest,
    reply: FastifyReply,
    access: Access,
    caller: Caller,
  ): Promise<void> | undefined {
    limits.takeForCaller(caller, reply)
    request.caller = caller
    requireAccess(access, caller)
    if (caller.kind === 'key') {
      callers.noteKeyUse(caller.keyId, clock.now())
      return undefined
    }
    if (!safeMethods.has(request.method) && isForeign(config, request)) throw foreign()
    return extend(caller, request, reply)
  }

  async function extend(caller: SessionCaller, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const token = readSessionCookie(request)
    if (token === undefined) return
    const now = clock.now()
    const extended = await callers.extendSession(caller, now)
    if (extended === undefined) return
    cache.keep(digestToken(token), extended, now)
    setSessionCookie(config, request, reply, token)
  }

  // With callbacks, not promises: a known caller, which is nearly every request, is admitted without waiting.
  app.addHook('onRequest', (request, reply, done) => {
    // A page is shown at any path, be it one that says that there is nothing, and whoever is signed in is so there too.
    const access = request.routeOptions.config.access ?? (wantsPage(request) ? reader() : undefined)
    try {
      // No access: no route. The answer will be 404 or 405.
      if (access === undefined || access.who === 'anyone') {
        if (access === undefined || access.limited) limits.takeForAddress(request, reply)
        return done()
      }
      reply.header('cache-control', 'no-store')
      const credential = readCredential(request, callers.keyPattern)
      const known = credential && findKnown(credential)
      const admitted =
        known !== undefined ? admit(request, reply, access, known) : identify(request, reply, access, credential)
      if (admitted === undefined) return done()
      admitted.then(() => done(), done)
    } catch (error) {
      done(error as Error)
    }
  })

  // A flight that was refused tells that the cache was stale.
  app.addHook('onError', async (request, _reply, error) => {
    if (!(error instanceof Problem) || error.code !== 'unauthenticated') return
    const credential = readCredential(request, callers.keyPattern)
    if (credential !== undefined) cache.forget(credential.digest)
  })
}

export function foreign(): Problem {
  return new Problem('forbidden', 'This request came from a page of another site.')
}

/** A header, where there is one, counts alone: a wrong key is not made good by a cookie. */
function readCredential(request: FastifyRequest, keyPattern: RegExp): Credential | undefined {
  const header = request.headers.authorization
  if (header !== undefined) {
    const token = /^Bearer +(\S+)$/i.exec(header)?.[1]
    if (token === undefined || !keyPattern.test(token)) return undefined
    return { kind: 'key', digest: digestToken(token) }
  }
  const token = readSessionCookie(request)
  return token === undefined ? undefined : { kind: 'session', digest: digestToken(token) }
}

function unauthenticatedDetail(request: FastifyRequest): string {
  if (request.headers.authorization !== undefined) return 'The API key is not valid.'
  if (readSessionCookie(request) !== undefined) return 'The session has ended. Sign in again.'
  return 'Send an API key as "Authorization: Bearer bf_…", or sign in.'
}

function requireAccess(access: Access, caller: Caller): void {
  if (access.who === 'reader') return
  if (access.who === 'caller') {
    const missing = missingScopes(caller.scopes, access.scopes)
    if (missing.length === 0) return
    throw new Problem('missing_scope', `The API key lacks the scope ${missing.join(' and ')}.`)
  }
  if (caller.kind !== 'session') throw new Problem('forbidden', 'An API key cannot do this; sign in instead.')
  if (access.who === 'administrator' && !caller.isAdmin) {
    throw new Problem('forbidden', 'Only an administrator may do this.')
  }
}

/** The caller of a route that is not open to anyone. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === undefined) throw new Error('this route is open to anyone and has no caller')
  return request.caller
}

export function sessionOf(request: FastifyRequest): SessionCaller {
  const caller = callerOf(request)
  if (caller.kind !== 'session') throw new Error('this route is not for sessions only')
  return caller
}
