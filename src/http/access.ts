/** Who can call a route. Every route declares this; the server refuses to start if one doesn't. */

import type { Scope } from '../shared/scopes.ts'
import type { Caller } from '../storage/caller.ts'

export type Access =
  | { who: 'anyone'; isRateLimited: boolean }
  | { who: 'caller'; scopes: readonly Scope[] }
  | { who: 'optional-caller'; scopes: readonly Scope[] }
  | { who: 'session' }
  | { who: 'admin' }

/** Requires no credentials; rate limited by IP address. */
export const anyone: Access = { who: 'anyone', isRateLimited: true }
/** Requires no credentials and has no rate limit: for health checks and files, and for events, which have their own limits. */
export const anyoneUnlimited: Access = { who: 'anyone', isRateLimited: false }
/** Requires a person's session. An API key is not enough. */
export const sessionOnly: Access = { who: 'session' }
export const adminOnly: Access = { who: 'admin' }
/** Requires a session, or an API key with all of these scopes. */
export function requireScopes(...scopes: Scope[]): Access {
  return { who: 'caller', scopes }
}
/**
 * Credentials are optional. The route itself decides what the caller can see, and when an API key needs these scopes. The HTTP
 * core only documents them.
 */
export function optionalCaller(...scopes: Scope[]): Access {
  return { who: 'optional-caller', scopes }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
  }
  interface FastifyRequest {
    /**
     * Authentication sets this field. It is undefined on routes that need no credentials, and if optional credentials were not
     * sent.
     */
    caller: Caller | undefined
  }
}
