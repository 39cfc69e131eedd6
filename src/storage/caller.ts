/** The authenticated caller of a request: a member of a team with an API key or a session. */
import type { CallerRole } from '../shared/roles.ts'
import type { Scope } from '../shared/scopes.ts'
import type { TenantId } from './tenant.ts'

interface Member extends TenantId {
  /** The caller's role when they were looked up. The database knows the current one. */
  role: CallerRole
}

export interface KeyCaller extends Member {
  kind: 'key'
  expiresAt: Date | null
  /** IP addresses and networks from which the key may be used, one per line; null: from everywhere. */
  allowedIps: string | null
  keyId: number
  sessionId: null
  scopes: readonly Scope[]
}

export interface SessionCaller extends Member {
  kind: 'session'
  keyId: null
  sessionId: number
  /** A session has every scope. */
  scopes: readonly Scope[]
  email: string
  isAdmin: boolean
  extendedAt: Date
  expiresAt: Date
}

export type Caller = KeyCaller | SessionCaller

/** Returns the scopes that are required but not granted. */
export function listMissingScopes(granted: readonly Scope[], required: readonly Scope[]): Scope[] {
  return required.filter((scope) => !granted.includes(scope))
}
