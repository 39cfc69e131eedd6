/** From an e-mail and a password to a session. */
import type { Clock } from '../lib/clock.ts'
import { limitFailures } from '../lib/limit-failures.ts'
import { verifyPassword } from '../lib/password-hash.ts'
import { Problem } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { hashToken, randomToken } from '../lib/token.ts'
import type { RateLimit, WindowCounter } from '../lib/window-counter.ts'
import { SESSION_SECONDS } from '../shared/session.ts'
import type { Queries } from '../storage/client.ts'
import { findUserByEmail, insertSession, type UserRow } from './store.ts'

/** A session is extended at most this often, so that reading pages does not write. */
export const EXTEND_AFTER_SECONDS = 3_600

/** Failures in a quarter of an hour. An address may serve an office, an account is one person. */
const perAddress: RateLimit = { count: 20, windowSeconds: 900 }
const perAccount: RateLimit = { count: 10, windowSeconds: 900 }

interface Guards {
  counter: WindowCounter
  secret: Secret
}

/** Names are HMACs: nobody's address is stored. */
export function throttled<T>(
  { counter, secret }: Guards,
  who: { address: string; account: string },
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const limits = [
    { name: `sign-in:${secret.hmac('addresses', who.address).toString('base64url')}`, limit: perAddress },
    { name: `account:${secret.hmac('addresses', who.account.toLowerCase()).toString('base64url')}`, limit: perAccount },
  ]
  return limitFailures(counter, limits, 'Too many wrong passwords. Wait a while, then try again.', attempt)
}

export async function signIn(
  q: Queries,
  guards: Guards & { clock: Clock },
  input: { email: string; password: string; address: string },
): Promise<{ user: UserRow; token: string }> {
  const email = input.email.trim()
  const user = await throttled(guards, { address: input.address, account: email }, async () => {
    const found = await findUserByEmail(q, email)
    return (await verifyPassword(found?.password_hash, input.password)) ? found : undefined
  })
  if (user === undefined) throw new Problem('unauthenticated', 'The e-mail or the password is wrong.')
  return { user, token: await startSession(q, user.id, guards.clock) }
}

export async function startSession(q: Queries, userId: number, clock: Clock): Promise<string> {
  const token = randomToken()
  const now = clock.now()
  await insertSession(q, { userId, tokenHash: hashToken(token), now, expiresAt: sessionEnd(now) })
  return token
}

export function sessionEnd(now: Date): Date {
  return new Date(now.getTime() + SESSION_SECONDS * 1000)
}
