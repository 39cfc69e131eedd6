/** Checks the password of a website and creates the cookie that opens its statistics. */
import type { Clock } from '../../lib/clock.ts'
import { ConcurrencyLimiter } from '../../lib/concurrency-limiter.ts'
import { limitFailures } from '../../lib/limit-failures.ts'
import { verifyPassword } from '../../lib/password-hash.ts'
import { notFound, Problem } from '../../lib/problem.ts'
import type { Secret } from '../../lib/secret.ts'
import type { RateLimit, WindowCounter } from '../../lib/window-counter.ts'
import { PRIVACY } from '../../shared/websites.ts'
import type { Caller } from '../../storage/caller.ts'
import type { Database } from '../../storage/database.ts'
import { findReader, resolveCurrentCaller } from './access.ts'
import { findWebsiteForReader, type WebsiteRef } from './access-store.ts'
import { createUnlockCookie, unlockCookieName } from './unlock-cookie.ts'

/** Limits of wrong passwords in 15 minutes: per IP address and website, per IP address, and per website. */
const ipAddressAndWebsiteLimit: RateLimit = { count: 10, windowSeconds: 900 }
const ipAddressLimit: RateLimit = { count: 40, windowSeconds: 900 }
const websiteLimit: RateLimit = { count: 100, windowSeconds: 900 }

/** Verifying a password takes 19 MiB and a CPU core, so at most two run at a time, and only one per website. */
const verificationLimiter = new ConcurrencyLimiter(2)

interface Deps {
  db: Database
  secret: Secret
  clock: Clock
  counter: WindowCounter
}

export interface UnlockAttempt {
  password: string
  /** The IP address, or the network of an IPv6 address. */
  clientNetwork: string
  caller: Caller | undefined
}

export interface UnlockResult {
  websiteId: number
  /** Undefined if the caller may read the statistics without a cookie. */
  cookie: { name: string; value: string; expiresAt: number } | undefined
}

/** For a private website or one that does not exist, "not found" takes as long as a wrong password does. */
export async function unlockStatistics(deps: Deps, ref: WebsiteRef, attempt: UnlockAttempt): Promise<UnlockResult> {
  const lookup = await findWebsiteForReader(deps.db, ref, attempt.caller)
  const { website } = lookup
  const caller = resolveCurrentCaller(attempt.caller, lookup)
  if (website !== undefined && findReader(deps, website, caller, undefined) !== undefined) {
    return { websiteId: website.id, cookie: undefined }
  }
  const websiteKey = String(website?.id ?? ('id' in ref ? ref.id : ref.domain))
  const lockedWebsite = website?.privacy === PRIVACY.password ? website : undefined
  // The key contains the hash, so that wrong guesses at an old password do not lock out people who know the new one.
  const passwordKey = `${websiteKey} ${lockedWebsite?.passwordHash ?? ''}`
  const unlockedWebsite = await limitWrongPasswords(deps, attempt.clientNetwork, passwordKey, async () => {
    const isCorrect = await verificationLimiter.run(websiteKey, () =>
      verifyPassword(lockedWebsite?.passwordHash ?? undefined, attempt.password),
    )
    return isCorrect ? lockedWebsite : undefined
  })
  if (unlockedWebsite !== undefined) {
    const cookie = createUnlockCookie(deps.secret, unlockedWebsite, deps.clock.now())
    return { websiteId: unlockedWebsite.id, cookie: { name: unlockCookieName(unlockedWebsite.id), ...cookie } }
  }
  throw lockedWebsite === undefined ? notFound() : new Problem('password_required', 'Incorrect password.')
}

/** Counter names are HMACs, so that no IP address is stored. */
function limitWrongPasswords<T>(
  { counter, secret }: Deps,
  clientNetwork: string,
  passwordKey: string,
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const hash = (text: string) => secret.hmac('addresses', text).toString('base64url')
  const limits = [
    { name: `unlock:${hash(`${clientNetwork} ${passwordKey}`)}`, limit: ipAddressAndWebsiteLimit },
    { name: `unlock-address:${hash(clientNetwork)}`, limit: ipAddressLimit },
    { name: `unlock-site:${hash(passwordKey)}`, limit: websiteLimit },
  ]
  return limitFailures(counter, limits, 'Too many wrong passwords. Wait 15 minutes and try again.', attempt)
}
