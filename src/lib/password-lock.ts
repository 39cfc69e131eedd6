/**
 * A password lock, for example of a status page, opens for everybody who knows its password. A signed cookie shows that
 * a visitor has entered the password.
 */
import { parseCookie } from 'cookie'
import type { Clock } from './clock.ts'
import { ConcurrencyLimiter } from './concurrency-limiter.ts'
import { limitFailures } from './limit-failures.ts'
import { verifyPassword } from './password-hash.ts'
import type { Secret } from './secret.ts'
import { isSameSecret } from './token.ts'
import type { RateLimit, WindowCounter } from './window-counter.ts'

/** 30 days. */
export const UNLOCK_SECONDS = 2_592_000

/** Limits of wrong passwords in 15 minutes: per IP address and lock, per IP address, and per lock. */
const ipAddressAndLockLimit: RateLimit = { count: 10, windowSeconds: 900 }
const ipAddressLimit: RateLimit = { count: 40, windowSeconds: 900 }
const lockLimit: RateLimit = { count: 100, windowSeconds: 900 }

/** The expiry in seconds since 1970, and the signature. */
const cookieValuePattern = /^(\d{1,12})\.([\w-]{43})$/

/** Verifying a password takes 19 MiB and a CPU core, so at most two run at a time, and only one per lock. */
const verificationLimiter = new ConcurrencyLimiter(2)

export interface PasswordLock {
  /** No other lock of the server has this name. */
  name: string
  cookieName: string
  passwordHash: string | null
}

export interface UnlockCookie {
  name: string
  value: string
  /** The expiry in seconds since 1970. */
  expiresAt: number
}

/** The signature covers the hash, which gets a new salt with every new password. So a new password invalidates all cookies. */
function sign(secret: Secret, { name, passwordHash }: PasswordLock, expiresAt: number): string {
  return secret.hmac('unlock', `${name} ${expiresAt} ${passwordHash}`).toString('base64url')
}

export function createLockCookie(secret: Secret, lock: PasswordLock, now: Date): UnlockCookie {
  const expiresAt = Math.floor(now.getTime() / 1000) + UNLOCK_SECONDS
  return { name: lock.cookieName, value: `${expiresAt}.${sign(secret, lock, expiresAt)}`, expiresAt }
}

/** `header` is the Cookie header of a request. */
export function hasValidLockCookie(secret: Secret, lock: PasswordLock, header: string | undefined, now: Date): boolean {
  if (header === undefined || lock.passwordHash === null) return false
  const [, expiry = '', signature = ''] = cookieValuePattern.exec(parseCookie(header)[lock.cookieName] ?? '') ?? []
  const expiresAt = Number(expiry)
  return expiresAt * 1000 > now.getTime() && isSameSecret(signature, sign(secret, lock, expiresAt))
}

interface Deps {
  secret: Secret
  clock: Clock
  counter: WindowCounter
}

/**
 * Returns the cookie, or undefined if the password is wrong. Wrong passwords are limited. A lock without a password takes the same
 * time, so that the duration doesn't reveal what exists.
 */
export function tryPassword(
  { secret, clock, counter }: Deps,
  lock: PasswordLock,
  { password, clientNetwork }: { password: string; clientNetwork: string },
): Promise<UnlockCookie | undefined> {
  // Counter names are HMACs, so that no IP address is stored. The counters of a lock have the password's hash in their
  // names, so that wrong guesses at an old password don't lock out people who know the new one.
  const digest = (text: string) => secret.hmac('addresses', text).toString('base64url')
  const passwordKey = `${lock.name} ${lock.passwordHash ?? ''}`
  const limits = [
    { name: `unlock:${digest(`${clientNetwork} ${passwordKey}`)}`, limit: ipAddressAndLockLimit },
    { name: `unlock-address:${digest(clientNetwork)}`, limit: ipAddressLimit },
    { name: `unlock-site:${digest(passwordKey)}`, limit: lockLimit },
  ]
  return limitFailures(counter, limits, 'Too many wrong passwords. Wait 15 minutes and try again.', async () => {
    const isCorrect = await verificationLimiter.run(lock.name, () =>
      verifyPassword(lock.passwordHash ?? undefined, password),
    )
    return isCorrect ? createLockCookie(secret, lock, clock.now()) : undefined
  })
}
