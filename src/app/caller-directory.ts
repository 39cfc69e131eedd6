/** Looks up API keys and sessions for the HTTP core, which knows neither accounts nor keys. */
import { computeSessionEnd, MIN_SESSION_EXTENSION_INTERVAL_SECONDS } from '../accounts/sign-in.ts'
import { extendSession, findSession } from '../accounts/store.ts'
import type { CallerDirectory } from '../http/authentication.ts'
import { keyPattern } from '../keys/keys.ts'
import type { LastUsedTimes } from '../keys/last-used.ts'
import { findKeyByHash } from '../keys/store.ts'
import { scopes } from '../shared/scopes.ts'
import type { Database } from '../storage/database.ts'
import { canReadRouteResource } from './route-resource-store.ts'

export function createCallerDirectory({
  db,
  lastUsedTimes,
}: {
  db: Database
  lastUsedTimes: LastUsedTimes
}): CallerDirectory {
  return {
    keyPattern,
    async findByKey(hash) {
      const row = await findKeyByHash(db, hash)
      return (
        row && {
          kind: 'key',
          expiresAt: row.expires_at,
          allowedIps: row.allowed_ips?.join('\n') ?? null,
          teamId: row.team_id,
          userId: row.user_id,
          role: row.role,
          keyId: row.id,
          sessionId: null,
          scopes: row.scopes,
        }
      )
    },
    async findBySession(hash, now) {
      const row = await findSession(db, hash, now)
      return (
        row && {
          kind: 'session',
          teamId: row.team_id,
          userId: row.user_id,
          role: row.role,
          keyId: null,
          sessionId: row.id,
          scopes,
          email: row.email,
          isAdmin: row.is_admin,
          extendedAt: row.extended_at,
          expiresAt: row.expires_at,
        }
      )
    },
    noteKeyUse: (keyId, use) => lastUsedTimes.recordUse(keyId, use),
    canReadResource: (caller, url, id) => canReadRouteResource(db.as(caller), url, id),
    async extendSession(caller, now) {
      if (now.getTime() - caller.extendedAt.getTime() < MIN_SESSION_EXTENSION_INTERVAL_SECONDS * 1000) return undefined
      await extendSession(db, caller.sessionId, now, computeSessionEnd(now))
      return { ...caller, extendedAt: now, expiresAt: computeSessionEnd(now) }
    },
  }
}
