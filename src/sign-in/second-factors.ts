/** Sets up and removes the second factors of the caller's own account. Each `tenant` acts as the caller. */
import { deleteOtherSessions } from '../accounts/store.ts'
import type { Clock } from '../lib/clock.ts'
import { invalid, Problem } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { hasNodeBefore } from '../nodes/store.ts'
import type { SessionCaller } from '../storage/caller.ts'
import type { Database } from '../storage/database.ts'
import type { Tenant } from '../storage/tenant.ts'
import type { Queries } from '../storage/transaction.ts'
import { createRecoveryCodes, hashRecoveryCode } from './recovery-codes.ts'
import {
  confirmTotpSecret,
  countSecondFactors,
  deleteTotpSecret,
  findTotpSecret,
  lockOwnUser,
  replaceRecoveryCodes,
  saveTotpSecret,
  strengthenSession,
  useRecoveryCode,
  useTotpStep,
  weakenOwnSessions,
} from './store.ts'
import { loadTotp, type Totp } from './totp.ts'

interface Deps {
  clock: Clock
  secret: Secret
}

const totpExistsProblem = () =>
  new Problem('conflict', 'An authenticator app is already set up. Remove it before you set up another one.')

/** The first schema version with second factors. Nodes of earlier versions start a session without asking for one. */
const SECOND_FACTORS_SCHEMA_VERSION = 17

/** `server` has access to the list of nodes. */
export async function requireSecondFactorsOnAllNodes(server: Queries): Promise<void> {
  if (!(await hasNodeBefore(server, SECOND_FACTORS_SCHEMA_VERSION))) return
  throw new Problem(
    'conflict',
    'An older version of Belfry is still running on another node, and it does not know second factors. Upgrade all nodes first.',
  )
}

/** The app doesn't count until `confirmTotp`. */
export async function beginTotp(
  tenant: Tenant,
  { db, secret }: Deps & { db: Database },
  { userId, email }: { userId: number; email: string },
): Promise<{ secret: string; uri: string }> {
  await requireSecondFactorsOnAllNodes(db)
  const totp = await loadTotp()
  const text = totp.createSecret()
  const isSaved = await tenant.transaction((q) => saveTotpSecret(q, secret.seal('second factors', userId, text)))
  if (!isSaved) throw totpExistsProblem()
  return { secret: text, uri: totp.formatUri(text, email) }
}

/**
 * The first code proves that the app has the secret. Returns new recovery codes. Only the caller knows this secret, so wrong codes need no
 * limit. The other sessions end, because they began without a second factor.
 */
export async function confirmTotp(tenant: Tenant, deps: Deps, caller: SessionCaller, code: string): Promise<string[]> {
  const totp = await loadTotp()
  const now = deps.clock.now()
  return tenant.transaction(async (q) => {
    await lockOwnUser(q)
    const row = await findTotpSecret(q, caller.userId)
    if (row === undefined) throw new Problem('conflict', 'No authenticator app is being set up. Begin again.')
    if (row.confirmed_at !== null) throw totpExistsProblem()
    const step = totp.findStep(unsealTotpSecret(deps, caller.userId, row.secret), normalizeCode(code), now)
    if (step === undefined) throw incorrectCodeProblem()
    await confirmTotpSecret(q, { now, step })
    await noteNewFactor(q, caller)
    return renewRecoveryCodes(q, deps, caller.userId)
  })
}

/** The caller has proved a second factor that they have set up. Other sessions have not. */
export async function noteNewFactor(q: Queries, { userId, sessionId }: SessionCaller): Promise<void> {
  await strengthenSession(q, sessionId)
  await deleteOtherSessions(q, userId, sessionId)
}

export async function removeTotp(tenant: Tenant, { userId }: SessionCaller): Promise<void> {
  await tenant.transaction(async (q) => {
    await lockOwnUser(q)
    if (!(await deleteTotpSecret(q))) throw new Problem('conflict', 'No authenticator app is set up.')
    await weakenSessionsWithoutFactor(q, userId)
  })
}

/**
 * Recovery codes replace a second factor, so they end with the last one. Sessions then no longer count as strong: otherwise, members of a
 * team that requires a second factor could remove theirs.
 */
export async function weakenSessionsWithoutFactor(q: Queries, userId: number): Promise<void> {
  const { has_totp: hasTotp, passkeys } = await countSecondFactors(q, userId)
  if (hasTotp || passkeys > 0) return
  await replaceRecoveryCodes(q, [])
  await weakenOwnSessions(q)
}

/** Returns new codes. The former ones no longer work. */
export async function replaceOwnRecoveryCodes(
  tenant: Tenant,
  deps: Deps,
  { userId }: SessionCaller,
): Promise<string[]> {
  return tenant.transaction(async (q) => {
    await lockOwnUser(q)
    const { has_totp: hasTotp, passkeys } = await countSecondFactors(q, userId)
    if (!hasTotp && passkeys === 0) {
      throw new Problem('conflict', 'Set up an authenticator app or a passkey first. Recovery codes replace them.')
    }
    return renewRecoveryCodes(q, deps, userId)
  })
}

export async function renewRecoveryCodes(q: Queries, { secret }: Deps, userId: number): Promise<string[]> {
  const codes = createRecoveryCodes()
  await replaceRecoveryCodes(
    q,
    codes.map((code) => hashRecoveryCode(secret, userId, code)),
  )
  return codes
}

export const incorrectCodeProblem = () => invalid({ code: ['`code` is incorrect.'] })

const unsealTotpSecret = ({ secret }: Deps, userId: number, sealed: Buffer) =>
  secret.unseal('second factors', userId, sealed)

/** Apps show codes in groups. */
const normalizeCode = (code: string) => code.replace(/[\s-]/g, '')

/** Otherwise it can only be a recovery code. */
export const isTotpCode = (code: string) => /^\d{6}$/.test(normalizeCode(code))

/** Returns false if the code is wrong or was used before. Call it in a transaction that has access across users. */
export async function useCode(
  q: Queries,
  deps: Deps & { totp: Totp },
  { userId, code }: { userId: number; code: string },
): Promise<boolean> {
  if (!isTotpCode(code)) return useRecoveryCode(q, userId, hashRecoveryCode(deps.secret, userId, code))
  const row = await findTotpSecret(q, userId)
  if (row === undefined || row.confirmed_at === null) return false
  const secret = unsealTotpSecret(deps, userId, row.secret)
  const step = deps.totp.findStep(secret, normalizeCode(code), deps.clock.now())
  return step !== undefined && useTotpStep(q, userId, step)
}
