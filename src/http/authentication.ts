/** Identifies the caller and checks the route's access rule, before the body is read. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BoundedMap } from '../lib/bounded-map.ts'
import { ipListIncludes } from '../lib/ip-list.ts'
import { isRefusal, notFound, Problem, problems } from '../lib/problem.ts'
import { decodeDigest, digestToken } from '../lib/token.ts'
import { type Right, TEAM_HEADER } from '../shared/roles.ts'
import { type Caller, type KeyCaller, listMissingScopes, type SessionCaller } from '../storage/caller.ts'
import type { Database } from '../storage/database.ts'
import { RoleProblem } from '../storage/tenant.ts'
import { type Access, optionalCaller, pageVisitor } from './access.ts'
import { originOf } from './change-origin.ts'
import { readSessionCookie, setSessionCookie } from './cookies.ts'
import { toProblemSafely } from './errors.ts'
import { prefersHtml } from './html-page.ts'
import { isCrossSite } from './origin.ts'
import { createRateLimiter } from './rate-limit.ts'
import type { RouteDeps } from './route-deps.ts'

/** Looks up callers. The application injects it, so that the HTTP core doesn't depend on accounts or keys. */
export interface CallerDirectory {
  /** The format of an API key. Other tokens aren't looked up. */
  keyPattern: RegExp
  findByKey(hash: Buffer): Promise<KeyCaller | undefined>
  findBySession(hash: Buffer, now: Date): Promise<SessionCaller | undefined>
  noteKeyUse(keyId: number, use: { at: Date; ip: string }): void
  /**
   * Whether the caller may read the resource that the path of a route names, such as a monitor. True for a path that names none. `url` is
   * the pattern of the route, such as `/api/monitors/:id/check`.
   */
  canReadResource(caller: Caller, url: string, id: unknown): Promise<boolean>
  /** Returns undefined if the session was extended recently and needs no extension yet. */
  extendSession(caller: SessionCaller, now: Date): Promise<SessionCaller | undefined>
}

interface Credential {
  kind: 'key' | 'session'
  /** The cache key. The token itself is not stored. */
  digest: string
  teamHint: string | undefined
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export function addAuthentication(app: FastifyInstance, deps: RouteDeps & { callerDirectory: CallerDirectory }): void {
  const { callerDirectory, clock, config } = deps
  const cache = new CallerCache()
  const rateLimiter = createRateLimiter(deps)

  async function findCaller({ kind, digest }: Credential): Promise<Caller | undefined> {
    const hash = decodeDigest(digest)
    return kind === 'key' ? callerDirectory.findByKey(hash) : callerDirectory.findBySession(hash, clock.now())
  }

  function findCachedCaller(credential: Credential): Caller | undefined {
    const cachedCaller = cache.find(credential, clock.now())
    // An API key in the session cookie is not a session, even if the cache contains the key.
    if (cachedCaller?.kind !== credential.kind) return undefined
    return cachedCaller
  }

  async function identifyCaller(
    request: FastifyRequest,
    reply: FastifyReply,
    access: Access,
    credential?: Credential,
  ): Promise<void> {
    // Each guess at a token costs a database query, so unknown callers are rate limited by address first.
    rateLimiter.limitByAddress(request, reply, access.who === 'optional-caller' ? access.limit : 'api')
    const caller = credential && (await findCaller(credential))
    if (credential !== undefined && caller !== undefined) {
      cache.set(credential, caller, clock.now())
      return authorizeRequest(request, reply, access, caller)
    }
    if (access.who === 'optional-caller' && request.headers.authorization === undefined) return
    throw new Problem('unauthenticated', explainUnauthenticated(request))
  }

  function authorizeRequest(
    request: FastifyRequest,
    reply: FastifyReply,
    access: Access,
    caller: Caller,
  ): Promise<void> | undefined {
    rateLimiter.limitByCaller(caller, reply)
    // Each request gets a copy, because a query confirms the caller only for its own request.
    request.caller = { ...caller, isConfirmed: false, right: findRight(request) }
    if (caller.kind === 'key') requireUsableKey(caller, request, clock.now())
    if (!safeMethods.has(request.method)) request.caller.origin = originOf(request)
    requireAccess(access, caller)
    if (caller.kind === 'key') {
      callerDirectory.noteKeyUse(caller.keyId, { at: clock.now(), ip: request.ip })
      return undefined
    }
    if (!safeMethods.has(request.method) && isCrossSite(config, request)) throw crossSiteProblem()
    requireShownTeam(caller, request)
    return extendSession(caller, request, reply)
  }

  async function extendSession(caller: SessionCaller, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const cookie = readSessionCookie(request)
    if (cookie === undefined) return
    const now = clock.now()
    const extendedCaller = await callerDirectory.extendSession(caller, now)
    if (extendedCaller === undefined) return
    cache.set({ digest: digestToken(cookie.token), teamHint: cookie.teamHint }, extendedCaller, now)
    setSessionCookie(config, request, reply, cookie)
  }

  // This hook takes a callback instead of returning a promise, because nearly every caller is cached and can be authorized synchronously.
  app.addHook('onRequest', (request, reply, done) => {
    // Browsers get an HTML page at unknown paths too, and it shows whether the visitor is signed in.
    const access = request.routeOptions.config.access ?? (prefersHtml(request) ? optionalCaller() : undefined)
    try {
      // Every route has an access rule. So if there is none, no route matches, and the response will be 404 or 405.
      if (access === undefined || access.who === 'anyone') {
        rateLimiter.limitByAddress(request, reply, access?.limit ?? 'api')
        return done()
      }
      reply.header('cache-control', 'no-store')
      const credential = readCredential(request, callerDirectory.keyPattern)
      const cachedCaller = credential && findCachedCaller(credential)
      const pendingAuthorization =
        cachedCaller !== undefined
          ? authorizeRequest(request, reply, access, cachedCaller)
          : identifyCaller(request, reply, access, credential)
      if (pendingAuthorization === undefined) return done()
      pendingAuthorization.then(() => done(), done)
    } catch (error) {
      done(error as Error)
    }
  })

  function forgetCaller(request: FastifyRequest): void {
    const credential = readCredential(request, callerDirectory.keyPattern)
    if (credential !== undefined) cache.delete(credential.digest)
  }
  app.decorate('forgetCaller', forgetCaller)

  // The cache may still admit a revoked key or session. Every query of a caller checks the key or session again, and fails with
  // `unauthenticated`. A request that failed before its first query must not reveal its error, so check its caller now.
  app.addHook('onError', async (request, _reply, error) => {
    const refusal = await findRefusal(deps.db, request, error)
    // If the route refuses this kind of caller in every role, keep that reason instead of the one about the role.
    const keepsError = refusal instanceof RoleProblem && toProblemSafely(error).code === 'forbidden'
    const problem = keepsError ? error : (refusal ?? error)
    if (problem instanceof RoleProblem && !(await isResourceReadable(request))) request.refusal = notFound()
    else request.refusal = keepsError ? undefined : refusal
    // The caller's role or team may have changed, too.
    if (problem instanceof Problem && isRefusal(problem)) forgetCaller(request)
  })

  /** A thing that the caller can't read gets 404, even if their role would get 403. */
  async function isResourceReadable({ caller, params, routeOptions: { url = '' } }: FastifyRequest): Promise<boolean> {
    if (caller === undefined) return true
    const { id } = params as { id?: unknown }
    try {
      return await callerDirectory.canReadResource({ ...caller, right: 'read' }, url, id)
    } catch {
      // The first refusal stays.
      return true
    }
  }
}

/** The rights of server admins, and of those who open a page, don't depend on their role in a team. */
function findRight({ method, routeOptions }: FastifyRequest): Right {
  const { access, right } = routeOptions.config
  if (right !== undefined) return right
  if (access === undefined || access.who === 'admin' || access === pageVisitor) return 'account'
  return method === 'GET' || method === 'HEAD' ? 'read' : 'edit'
}

export function crossSiteProblem(): Problem {
  return new Problem('forbidden', "Requests from other sites' pages are not allowed.")
}

/** With an Authorization header, the session cookie is ignored: a wrong key is an error even in a signed-in browser. */
function readCredential(request: FastifyRequest, keyPattern: RegExp): Credential | undefined {
  const header = request.headers.authorization
  if (header !== undefined) {
    const token = /^Bearer +(\S+)$/i.exec(header)?.[1]
    if (token === undefined || !keyPattern.test(token)) return undefined
    return { kind: 'key', digest: digestToken(token), teamHint: undefined }
  }
  const cookie = readSessionCookie(request)
  return cookie && { kind: 'session', digest: digestToken(cookie.token), teamHint: cookie.teamHint }
}

function explainUnauthenticated(request: FastifyRequest): string {
  if (request.headers.authorization !== undefined) return 'The API key is invalid or has been revoked.'
  if (readSessionCookie(request) !== undefined) return 'Your session has ended. Sign in again.'
  return 'Send an API key as "Authorization: Bearer bf_…", or sign in.'
}

/**
 * Pages send the team that they show with every request. The session may act in another team by now, because the user has chosen that
 * team in another tab, or has left this one. Then the page must not show or change things of the other team.
 */
function requireShownTeam({ teamId }: SessionCaller, { headers }: FastifyRequest): void {
  const shownTeam = headers[TEAM_HEADER]
  if (shownTeam === undefined || shownTeam === String(teamId)) return
  throw new Problem('conflict', 'Your session now acts in another team. Reload the page.')
}

function requireUsableKey({ expiresAt, allowedIps }: KeyCaller, { ip }: FastifyRequest, now: Date): void {
  if (expiresAt !== null && expiresAt <= now) throw new Problem('unauthenticated', 'The API key has expired.')
  if (allowedIps !== null && !ipListIncludes(allowedIps, ip)) {
    throw new Problem('forbidden', "This API key can't be used from this IP address.")
  }
}

function requireAccess(access: Access, caller: Caller): void {
  if (access.who === 'optional-caller') return
  if (access.who === 'caller') {
    const missingScopes = listMissingScopes(caller.scopes, access.scopes)
    if (missingScopes.length === 0) return
    throw new Problem('missing_scope', `The API key is missing the scope ${missingScopes.join(' and ')}.`)
  }
  if (caller.kind !== 'session') throw new Problem('forbidden', "API keys can't do this. Sign in instead.")
  if (access.who === 'admin' && !caller.isAdmin) {
    throw new Problem('forbidden', 'Only admins can do this.')
  }
}

/** Returns the caller. Call it only in routes that require credentials. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === undefined) throw new Error('this route has no caller: it is open to anyone')
  return request.caller
}

export function sessionOf(request: FastifyRequest): SessionCaller {
  const caller = callerOf(request)
  if (caller.kind !== 'session') throw new Error('this route is not restricted to sessions')
  return caller
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Makes the next request of this caller look them up again. Call it after changing what the look-up returns. */
    forgetCaller(request: FastifyRequest): void
  }
}

type CacheKey = Pick<Credential, 'digest' | 'teamHint'>

interface CacheEntry {
  caller: Caller
  teamHint: string | undefined
  expiresAt: number
}

const MAX_CACHE_AGE_MS = 60_000
const MAX_CACHED_CALLERS = 10_000

/**
 * Avoids looking up the caller on every request. An entry can be out of date, but every database access checks that the key or
 * session still exists.
 */
class CallerCache {
  readonly #entries = new BoundedMap<string, CacheEntry>(MAX_CACHED_CALLERS)

  /** Another team hint means that the session has chosen another team since, perhaps on another node. */
  find({ digest, teamHint }: CacheKey, now: Date): Caller | undefined {
    const entry = this.#entries.get(digest)
    const isCurrent = entry !== undefined && entry.teamHint === teamHint && now.getTime() < entry.expiresAt
    return isCurrent ? entry.caller : undefined
  }

  set({ digest, teamHint }: CacheKey, caller: Caller, now: Date): void {
    const sessionEndsAt = caller.kind === 'session' ? caller.expiresAt.getTime() : Number.POSITIVE_INFINITY
    const expiresAt = Math.min(now.getTime() + MAX_CACHE_AGE_MS, sessionEndsAt)
    this.#entries.set(digest, { caller, teamHint, expiresAt })
  }

  delete(tokenDigest: string): void {
    this.#entries.delete(tokenDigest)
  }
}

/**
 * If the caller's key was revoked or session has ended, returns the problem to send instead of the error. Callers come
 * from a cache. Nearly every request confirms its caller with its first query, and a handler without a query calls
 * `confirm`. `findRefusal` is for requests that fail before that.
 */
async function findRefusal(db: Database, request: FastifyRequest, error: Error): Promise<Problem | undefined> {
  const { caller } = request
  if (caller === undefined || caller.isConfirmed || !needsConfirmation(caller, request, toProblemSafely(error)))
    return undefined
  try {
    await db.as(caller).confirm()
    return undefined
  } catch (refusal) {
    return toProblemSafely(refusal as Error)
  }
}

/**
 * Confirming a caller costs a query. These failed requests don't need it:
 * - Requests that match no route. Their response reveals nothing.
 * - Requests with a session on routes with optional callers. Such a route treats somebody whose session has ended as signed out.
 * - Requests that get 401 (they are refused anyway), 429 (they must not cost a query) or 5xx (they reveal nothing).
 */
function needsConfirmation(caller: Caller, { routeOptions }: FastifyRequest, problem: Problem): boolean {
  const { access } = routeOptions.config
  if (access === undefined || (access.who === 'optional-caller' && caller.kind === 'session')) return false
  const { status } = problems[problem.code]
  return status !== 401 && status !== 429 && status < 500
}
