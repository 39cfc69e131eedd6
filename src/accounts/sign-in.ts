/** Verifies an email and password, and starts a session. */
import type { Clock } from '../lib/clock.ts'
import { verifyPassword } from '../lib/password-hash.ts'
import { Problem } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { hashToken, randomToken } from '../lib/token.ts'
import type { WindowCounter } from '../lib/window-counter.ts'
import { SESSION_LIFETIME_SECONDS } from '../shared/limits.ts'
import type { Queries } from '../storage/transaction.ts'
import { findUserByEmail, insertSession, type SessionDetails, type UserRow } from './store.ts'
import { limitFailuresByAccount, limitFailuresByAddress } from './wrong-passwords.ts'

/** Sessions are extended at most this often, so that reading pages rarely writes to the database. */
export const MIN_SESSION_EXTENSION_INTERVAL_SECONDS = 3_600

interface Deps {
  clock: Clock
  counter: WindowCounter
  secret: Secret
}

/**
 * Verifies the email and password, then calls `begin`. It must check again that the password is the same, because another request may
 * have changed the password while this one verified it. If it has changed, `begin` returns undefined, as if the password were wrong.
 */
export async function verifySignIn<T>(
  q: Queries,
  deps: Deps,
  input: { email: string; password: string; clientNetwork: string },
  begin: (user: UserRow & { password_hash: string }) => Promise<T | undefined>,
): Promise<T> {
  const { clientNetwork } = input
  // The limit by address comes before the query, so that a refused guess costs no query.
  const begun = await limitFailuresByAddress(deps, clientNetwork, async () => {
    const { foldedEmail, user } = await findUserByEmail(q, input.email.trim())
    return limitFailuresByAccount(deps, { foldedEmail, clientNetwork }, async () => {
      if (!(await verifyPassword(user?.password_hash, input.password)) || user === undefined) return undefined
      return begin(user)
    })
  })
  if (begun === undefined) throw new Problem('unauthenticated', 'Incorrect email or password.')
  return begun
}

/** Starts a session, and returns its token. It doesn't check the password or a second factor. */
export async function startSession(
  q: Queries,
  userId: number,
  clock: Clock,
  details: Partial<SessionDetails> = {},
): Promise<string> {
  const token = randomToken()
  const now = clock.now()
  const { method = 'password', isStrong = false, userAgent, address } = details
  const session = { userId, tokenHash: hashToken(token), now, expiresAt: computeSessionEnd(now) }
  await insertSession(q, { ...session, method, isStrong, userAgent, address })
  return token
}

export function computeSessionEnd(now: Date): Date {
  return new Date(now.getTime() + SESSION_LIFETIME_SECONDS * 1000)
}
