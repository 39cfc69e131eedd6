/** API keys: made, listed and revoked by their user, or by another key within its own scopes. */

import type { Clock } from '../lib/clock.ts'
import { invalid, notFound, Problem } from '../lib/problem.ts'
import { hashToken, randomToken } from '../lib/token.ts'
import type { Scope } from '../shared/scopes.ts'
import { type Caller, missingScopes } from '../storage/caller.ts'
import type { Queries } from '../storage/client.ts'
import { lockCaller } from '../storage/statements.ts'
import type { Descendants } from './schema.ts'
import { countKeys, deleteKeyOnly, deleteKeyWithDescendants, insertKey, type KeyRow, lockKey } from './store.ts'

/** `GET /api/keys` answers with all of them, so there is an end to how many one user may have. */
export const KEYS_MOST = 1_000

export const keyPattern = /^bf_[A-Za-z0-9_-]{43}$/

type Maker = Pick<Caller, 'kind' | 'userId' | 'keyId' | 'scopes'>

/** Needs a transaction. */
export async function createKey(
  q: Queries,
  caller: Maker,
  input: { name: string; scopes: Scope[] },
  clock: Clock,
): Promise<KeyRow & { key: string }> {
  requireSubset(caller, input.scopes)
  await lockCaller(q)
  if ((await countKeys(q)) >= KEYS_MOST) {
    throw invalid({ name: [`There are ${KEYS_MOST} keys already, which is the most. Revoke one first.`] })
  }
  const key = `bf_${randomToken()}`
  const row = await insertKey(q, {
    userId: caller.userId,
    name: input.name,
    scopes: input.scopes,
    prefix: key.slice(0, 7),
    hash: hashToken(key),
    createdByKey: caller.keyId,
    now: clock.now(),
  })
  return { ...row, key }
}

/** Needs a transaction. */
export async function deleteKey(q: Queries, caller: Maker, id: number, descendants?: Descendants): Promise<void> {
  const row = await lockKey(q, id)
  if (row === undefined) throw notFound()
  requireSubset(caller, row.scopes)
  // A key that deletes a key is most often rotating: what the old one made must go on working.
  const choice = descendants ?? (caller.kind === 'key' ? 'keep' : 'revoke')
  if (choice === 'revoke') await deleteKeyWithDescendants(q, id)
  else await deleteKeyOnly(q, row)
}

function requireSubset(caller: Maker, wanted: readonly Scope[]): void {
  const missing = missingScopes(caller.scopes, wanted)
  if (missing.length === 0) return
  throw new Problem('missing_scope', `A key reaches only keys within its own scopes; it lacks ${missing.join(', ')}.`)
}
