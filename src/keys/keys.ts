/**
 * Creates and revokes API keys. The caller is a user or an API key. A key can only manage keys that can do no more than itself: with some of
 * its scopes, from addresses that it allows, and not for longer.
 */

import type { Clock } from '../lib/clock.ts'
import { toCanonicalRange } from '../lib/ip-range.ts'
import { invalid, notFound, Problem } from '../lib/problem.ts'
import { hashToken, randomToken } from '../lib/token.ts'
import type { Scope } from '../shared/scopes.ts'
import { type KeyCaller, listMissingScopes, type SessionCaller } from '../storage/caller.ts'
import { lockOwnTeam } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import { findRangesOutside } from './ip-ranges.ts'
import type { DescendantsChoice } from './schema.ts'
import { countKeys, deleteKeyOnly, deleteKeyWithDescendants, insertKey, type KeyRow, lockKey } from './store.ts'

/** The maximum per team, because `GET /api/keys` returns all keys without paging. */
export const MAX_KEYS = 1_000

export const keyPattern = /^bf_[A-Za-z0-9_-]{43}$/

type IdentityField = 'kind' | 'teamId' | 'userId' | 'keyId' | 'scopes'

/** Who manages keys. A session limits nothing. */
type CallerIdentity = Pick<SessionCaller, IdentityField> | Pick<KeyCaller, IdentityField | 'expiresAt' | 'allowedIps'>

interface KeyLimits {
  /** null: the key never expires. */
  expiresAt: Date | null
  /** IP addresses and networks; null: the key can be used from everywhere. */
  allowedIps: readonly string[] | null
}

/**
 * Locks the caller's row, so that concurrent calls can't exceed MAX_KEYS. Call it in a transaction, which holds the
 * lock.
 */
export async function createKey(
  q: Queries,
  caller: CallerIdentity,
  input: { name: string; scopes: Scope[]; expires_at?: string; allowed_ips?: string[] },
  clock: Clock,
): Promise<KeyRow & { key: string }> {
  requireCallerHasScopes(caller, input.scopes)
  const callerLimits = getLimits(caller)
  const limits = {
    expiresAt: parseExpiry(input.expires_at, clock.now()) ?? callerLimits.expiresAt,
    allowedIps: parseAllowedIps(input.allowed_ips) ?? callerLimits.allowedIps,
  }
  requireWithinLimits(limits, callerLimits)
  await lockOwnTeam(q)
  if ((await countKeys(q)) >= MAX_KEYS) {
    throw invalid({ name: [`The team already has ${MAX_KEYS} API keys, the maximum. Revoke one first.`] })
  }
  const key = `bf_${randomToken()}`
  const row = await insertKey(q, {
    teamId: caller.teamId,
    userId: caller.userId,
    name: input.name,
    scopes: input.scopes,
    prefix: key.slice(0, 7),
    hash: hashToken(key),
    createdByKey: caller.keyId,
    ...limits,
    now: clock.now(),
  })
  return { ...row, key }
}

/** Call it in a transaction, so that the key stays locked until it and its descendants are changed or deleted. */
export async function deleteKey(
  q: Queries,
  caller: CallerIdentity,
  id: number,
  descendants?: DescendantsChoice,
): Promise<KeyRow> {
  const row = await lockKey(q, id)
  if (row === undefined) throw notFound()
  requireCallerHasScopes(caller, row.scopes)
  requireWithinLimits({ expiresAt: row.expires_at ?? null, allowedIps: row.allowed_ips ?? null }, getLimits(caller))
  // A script that rotates its keys creates a new key and uses it to delete the old one. Keys created by the old key must
  // keep working.
  const choice = descendants ?? (caller.kind === 'key' ? 'keep' : 'revoke')
  if (choice === 'revoke') await deleteKeyWithDescendants(q, id)
  else await deleteKeyOnly(q, row)
  return row
}

function parseExpiry(text: string | undefined, now: Date): Date | null {
  if (text === undefined) return null
  const expiresAt = new Date(text)
  if (expiresAt <= now) throw invalid({ expires_at: ['`expires_at` must be in the future.'] })
  return expiresAt
}

/** An empty list would allow no address, which nobody wants. */
function parseAllowedIps(lines: readonly string[] | undefined): string[] | null {
  if (lines === undefined || lines.length === 0) return null
  const ranges = lines.map((line) => toCanonicalRange(line.trim()))
  const wrongLines = lines.filter((_, n) => ranges[n] === undefined)
  if (wrongLines.length > 0) {
    throw invalid({ allowed_ips: wrongLines.map((line) => `\`${line}\` is not an IP address or CIDR range.`) })
  }
  return [...new Set(ranges as string[])]
}

function requireCallerHasScopes(caller: CallerIdentity, scopes: readonly Scope[]): void {
  const missingScopes = listMissingScopes(caller.scopes, scopes)
  if (missingScopes.length === 0) return
  throw new Problem(
    'missing_scope',
    `An API key can only manage keys within its own scopes. Missing: ${missingScopes.join(', ')}.`,
  )
}

function getLimits(caller: CallerIdentity): KeyLimits {
  if (caller.kind === 'session') return { expiresAt: null, allowedIps: null }
  return { expiresAt: caller.expiresAt, allowedIps: caller.allowedIps?.split('\n') ?? null }
}

function requireWithinLimits({ expiresAt, allowedIps }: KeyLimits, callerLimits: KeyLimits): void {
  if (callerLimits.expiresAt !== null && (expiresAt === null || expiresAt > callerLimits.expiresAt)) {
    throw new Problem(
      'forbidden',
      `An API key can only manage keys whose \`expires_at\` is not later than its own, ${callerLimits.expiresAt.toISOString()}.`,
    )
  }
  if (callerLimits.allowedIps === null) return
  const rangesOutside = allowedIps === null ? [] : findRangesOutside(allowedIps, callerLimits.allowedIps)
  if (allowedIps !== null && rangesOutside.length === 0) return
  const excess =
    allowedIps === null ? 'The key can be used from everywhere.' : `Not within them: ${rangesOutside.join(', ')}.`
  throw new Problem('forbidden', `An API key can only manage keys whose \`allowed_ips\` are within its own. ${excess}`)
}
