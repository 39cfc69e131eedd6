/** Who may call a route. Every route must say; one that does not stops the server from starting. */

import type { Scope } from '../shared/scopes.ts'
import type { Caller } from '../storage/caller.ts'

export type Access =
  | { who: 'anyone'; limited: boolean }
  | { who: 'caller'; scopes: readonly Scope[] }
  | { who: 'reader'; scopes: readonly Scope[] }
  | { who: 'session' }
  | { who: 'administrator' }

/** No sign-in; counted by address. */
export const anyone: Access = { who: 'anyone', limited: true }
/** No sign-in and no limit: probes of orchestrators. */
export const probe: Access = { who: 'anyone', limited: false }
/** A person's session, not a key. */
export const session: Access = { who: 'session' }
export const administrator: Access = { who: 'administrator' }
/** A session, or a key that has every one of these scopes. */
export function caller(...scopes: Scope[]): Access {
  return { who: 'caller', scopes }
}
/** Anybody, and whoever shows a session or a key is known. What is seen, and what a key needs these scopes for, the route judges. */
export function reader(...scopes: Scope[]): Access {
  return { who: 'reader', scopes }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
  }
  interface FastifyRequest {
    /** Set by authentication on every route but those open to anyone; a reader may be nobody. */
    caller: Caller | undefined
  }
}
