/**
 * Whoever changes how an account signs in must prove that the account is theirs, so that a stolen session or an unlocked computer is
 * not enough.
 */
import { limitFailuresBySession } from '../accounts/wrong-passwords.ts'
import type { Clock } from '../lib/clock.ts'
import { verifyPassword } from '../lib/password-hash.ts'
import { invalid, notFound, Problem } from '../lib/problem.ts'
import type { WindowCounter } from '../lib/window-counter.ts'
import { FRESH_SESSION_MINUTES } from '../shared/sign-in.ts'
import { MINUTE_MS } from '../shared/time.ts'
import type { SessionCaller } from '../storage/caller.ts'
import type { Database } from '../storage/database.ts'
import type { Queries } from '../storage/transaction.ts'
import { type AccountProof, findAccountProof } from './store.ts'

interface Deps {
  clock: Clock
  counter: WindowCounter
}

/** For changes that a session of the last minutes may make without the password. */
export const requireProofOrFreshSession = (
  db: Database,
  deps: Deps,
  caller: SessionCaller,
  currentPassword: string | undefined,
): Promise<AccountProof> => requireProof(db.as(caller), deps, caller, { currentPassword, acceptsFreshSession: true })

/**
 * The current password proves it. Instead, an account without a password needs a session that has begun in the last minutes. With
 * `acceptsFreshSession`, such a session is enough for every account. `q` must act as the caller.
 */
export async function requireProof(
  q: Queries,
  deps: Deps,
  { sessionId }: SessionCaller,
  { currentPassword, acceptsFreshSession }: { currentPassword: string | undefined; acceptsFreshSession: boolean },
): Promise<AccountProof> {
  const account = await findAccountProof(q, sessionId)
  if (account === undefined) throw notFound()
  if (currentPassword !== undefined && account.has_password) {
    const isCorrect = await limitFailuresBySession(deps, sessionId, async () =>
      (await verifyPassword(account.password_hash, currentPassword)) ? true : undefined,
    )
    if (!isCorrect) throw invalid({ current_password: ['`current_password` is incorrect.'] })
    return account
  }
  const age = deps.clock.now().getTime() - account.session_created_at.getTime()
  if ((acceptsFreshSession || !account.has_password) && age < FRESH_SESSION_MINUTES * MINUTE_MS) return account
  if (account.has_password) throw invalid({ current_password: ['`current_password` is required.'] })
  throw new Problem(
    'forbidden',
    `You signed in more than ${FRESH_SESSION_MINUTES} minutes ago. Sign in again, then repeat this.`,
  )
}
