/** Who can call a route. Every route declares this; the server refuses to start if one doesn't. */

import type { Problem } from '../lib/problem.ts'
import type { Right } from '../shared/roles.ts'
import type { Scope } from '../shared/scopes.ts'
import type { Caller } from '../storage/caller.ts'

/**
 * The rate limit for requests without credentials, by IP address. Files and health checks are cheap, so their limits are higher. They
 * are counted separately, so a client that loads many files can still call the API. Routes with `own` limit requests themselves.
 */
export type AddressLimit = 'api' | 'files' | 'health' | 'own'

export type Access =
  | { who: 'anyone'; limit: AddressLimit }
  | { who: 'caller'; scopes: readonly Scope[] }
  | { who: 'optional-caller'; scopes: readonly Scope[]; limit: AddressLimit }
  | { who: 'session' }
  | { who: 'admin' }

/** Requires no credentials. */
export const anyone: Access = { who: 'anyone', limit: 'api' }
export const publicFile: Access = { who: 'anyone', limit: 'files' }
export const healthCheck: Access = { who: 'anyone', limit: 'health' }
/** The access rule for events. Their route has its own limits by IP address and by website. */
export const anyoneWithOwnLimit: Access = { who: 'anyone', limit: 'own' }
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
  return { who: 'optional-caller', scopes, limit: 'api' }
}
/** Credentials are optional. A browser that opens a page also loads its files, so both count towards the same limit. */
export const pageVisitor: Access = { who: 'optional-caller', scopes: [], limit: 'files' }

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** What the caller's role in their team must allow. The default is `read` for GET and HEAD, and otherwise `edit`. */
    right?: Right
  }
  interface FastifyRequest {
    /**
     * Authentication sets this field. It is undefined on routes that need no credentials, and if optional credentials were not
     * sent.
     */
    caller: Caller | undefined
    /**
     * Set if the request failed and its caller's key was revoked or session has ended. Error handlers send it instead
     * of the error.
     */
    refusal: Problem | undefined
  }
}
