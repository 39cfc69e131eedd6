/** Verifies an email and password, and starts a session. */
import type { Clock } from '../lib/clock.ts'
import { verifyPassword } from '../lib/password-hash.ts'
import { Problem } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { hashToken, randomToken } from '../lib/token.ts'
import type { WindowCounter } from '../lib/window-counter.ts'
import { SESSION_LIFETIME_SECONDS } from '../shared/limits.ts'
import type { Queries } from '../storage/transaction.ts'
import {
  findUserByEmail,
  insertSession,
  insertSessionIfPasswordUnchanged,
  type NewSession,
  type UserRow,
} from './store.ts'
import { limitFailuresByAccount, limitFailuresByAddress } from './wrong-passwords.ts'

/** Sessions are extended at most this often, so that reading pages rarely writes to the database. */
export const MIN_SESSION_EXTENSION_INTERVAL_SECONDS = 3_600

interface Deps {
  clock: Clock
  counter: WindowCounter
  secret: Secret
}

export async function signIn(
  q: Queries,
  deps: Deps,
  input: { email: string; password: string; clientNetwork: string },
): Promise<{ user: UserRow; token: string }> {
  const { clientNetwork } = input
  // The limit by address comes before the query, so that a refused guess costs no query.
  const signedIn = await limitFailuresByAddress(deps, clientNetwork, async () => {
    const { foldedEmail, user } = await findUserByEmail(q, input.email.trim())
    return limitFailuresByAccount(deps, { foldedEmail, clientNetwork }, async () => {
      if (!(await verifyPassword(user?.password_hash, input.password)) || user === undefined) return undefined
      const { token, session } = createSession(user.id, deps.clock)
      // Another request may have changed the password while this one verified it. Then the entered password is no
      // longer correct.
      const isCurrent = await insertSessionIfPasswordUnchanged(q, session, user.password_hash)
      return isCurrent ? { user, token } : undefined
    })
  })
  if (signedIn === undefined) throw new Problem('unauthenticated', 'Incorrect email or password.')
  return signedIn
}

/**
 * Starts a session for an account that was just created. Unlike `signIn`, it doesn't check whether the password has
 * changed in the meantime.
 */
export async function startSession(q: Queries, userId: number, clock: Clock): Promise<string> {
  const { token, session } = createSession(userId, clock)
  await insertSession(q, session)
  return token
}

function createSession(userId: number, clock: Clock): { token: string; session: NewSession } {
  const token = randomToken()
  const now = clock.now()
  return { token, session: { userId, tokenHash: hashToken(token), now, expiresAt: computeSessionEnd(now) } }
}

export function computeSessionEnd(now: Date): Date {
  return new Date(now.getTime() + SESSION_LIFETIME_SECONDS * 1000)
}
