/** Who is behind a request, once known. */
import { type Scope, scopes } from '../shared/scopes.ts'
import type { TenantId } from './tenant.ts'
import type { SessionRow } from '../accounts/store.ts'

interface ByKey extends TenantId {
  kind: 'key'
  keyId: number
  sessionId: null
  scopes: readonly Scope[]
}

interface BySession extends TenantId {
  kind: 'session'
  keyId: null
  sessionId: number
  /** A session holds all of them. */
  scopes: readonly Scope[]
  email: string
  isAdmin: boolean
  extendedAt: Date
  expiresAt: Date
}

export type KeyCaller = ByKey
export type SessionCaller = BySession
export type Caller = ByKey | BySession

export function keyCaller(row: { id: number; user_id: number; scopes: Scope[] }): KeyCaller {
  return { kind: 'key', userId: row.user_id, keyId: row.id, sessionId: null, scopes: row.scopes }
}

export function sessionCaller(row: SessionRow): SessionCaller {
  return {
    kind: 'session',
    userId: row.user_id,
    keyId: null,
    sessionId: row.id,
    scopes,
    email: row.email,
    isAdmin: row.is_admin,
    extendedAt: row.extended_at,
    expiresAt: row.expires_at,
  }
}
