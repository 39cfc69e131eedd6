/** Verifies an email and password, and starts a session. */
import type { Clock } from '../lib/clock.ts'
import { limitFailures } from '../lib/limit-failures.ts'
import { verifyPassword } from '../lib/password-hash.ts'
import { Problem } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { hashToken, randomToken } from '../lib/token.ts'
import type { RateLimit, WindowCounter } from '../lib/window-counter.ts'
import { SESSION_LIFETIME_SECONDS } from '../shared/limits.ts'
import type { Queries } from '../storage/client.ts'
import { findUserByEmail, insertSession, type UserRow } from './store.ts'

/** Sessions are extended at most this often, so that reading pages rarely writes to the database. */
export const MIN_SESSION_EXTENSION_INTERVAL_SECONDS = 3_600

/** Failed attempts allowed in 15 minutes. A whole office can share one IP address, but an account belongs to one person. */
const ipAddressLimit: RateLimit = { count: 20, windowSeconds: 900 }
const accountLimit: RateLimit = { count: 10, windowSeconds: 900 }

interface Deps {
  counter: WindowCounter
  secret: Secret
}

/**
 * An attempt that resolves to undefined counts as a failure. Counter names are HMACs, so that no IP or email address is
 * stored.
 */
export function limitSignInFailures<T>(
  { counter, secret }: Deps,
  client: { address: string; account: string },
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const limits = [
    { name: `sign-in:${secret.hmac('addresses', client.address).toString('base64url')}`, limit: ipAddressLimit },
    {
      name: `account:${secret.hmac('addresses', client.account.toLowerCase()).toString('base64url')}`,
      limit: accountLimit,
    },
  ]
  return limitFailures(counter, limits, 'Too many incorrect passwords. Try again in a few minutes.', attempt)
}

export async function signIn(
  q: Queries,
  deps: Deps & { clock: Clock },
  input: { email: string; password: string; address: string },
): Promise<{ user: UserRow; token: string }> {
  const email = input.email.trim()
  const user = await limitSignInFailures(deps, { address: input.address, account: email }, async () => {
    const candidate = await findUserByEmail(q, email)
    return (await verifyPassword(candidate?.password_hash, input.password)) ? candidate : undefined
  })
  if (user === undefined) throw new Problem('unauthenticated', 'Incorrect email or password.')
  return { user, token: await startSession(q, user.id, deps.clock) }
}

export async function startSession(q: Queries, userId: number, clock: Clock): Promise<string> {
  const token = randomToken()
  const now = clock.now()
  await insertSession(q, { userId, tokenHash: hashToken(token), now, expiresAt: computeSessionEnd(now) })
  return token
}

export function computeSessionEnd(now: Date): Date {
  return new Date(now.getTime() + SESSION_LIFETIME_SECONDS * 1000)
}
