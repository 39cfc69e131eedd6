/** From the password of a website to the cookie that opens its statistics. */

import type { Clock } from '../../lib/clock.ts'
import { limitFailures } from '../../lib/failures.ts'
import { verifyPassword } from '../../lib/password-hash.ts'
import { notFound, Problem } from '../../lib/problem.ts'
import type { Secret } from '../../lib/secret.ts'
import { Turns } from '../../lib/turns.ts'
import type { Limit, WindowCounter } from '../../lib/window-counter.ts'
import type { Caller } from '../../storage/caller.ts'
import type { Database } from '../../storage/database.ts'
import { currentCaller, findReader, PRIVACY_PASSWORD } from './access.ts'
import { findWebsiteForReader, type WebsiteRef } from './access-store.ts'
import { createUnlockCookie, unlockCookieName } from './unlock-cookie.ts'

/** Failures in a quarter of an hour: of somebody at one website, of somebody at all of them, and of all at one. */
const perAddressAndSite: Limit = { count: 10, windowSeconds: 900 }
const perAddress: Limit = { count: 40, windowSeconds: 900 }
const perSite: Limit = { count: 100, windowSeconds: 900 }

/** Passwords looked at at once: each takes 19 MiB and a core. One website's many wait for each other. */
const turns = new Turns(2)

interface Needs {
  db: Database
  secret: Secret
  clock: Clock
  counter: WindowCounter
}

export interface UnlockAttempt {
  password: string
  address: string
  caller: Caller | undefined
}

export interface UnlockResult {
  websiteId: number
  /** undefined: there was nothing to unlock. */
  cookie: { name: string; value: string; expiresAt: number } | undefined
}

/** A website that is private, or none at all, takes as long as a wrong password and then is not there. */
export async function unlockStatistics(
  needs: Needs,
  wanted: WebsiteRef,
  attempt: UnlockAttempt,
): Promise<UnlockResult> {
  const found = await findWebsiteForReader(needs.db, wanted, attempt.caller)
  const { website } = found
  const caller = currentCaller(attempt.caller, found)
  if (website !== undefined && findReader(needs, website, caller, undefined) !== undefined) {
    return { websiteId: website.id, cookie: undefined }
  }
  const site = String(website?.id ?? ('id' in wanted ? wanted.id : wanted.domain))
  const locked = website?.privacy === PRIVACY_PASSWORD ? website : undefined
  // A new password begins a new count: whoever guessed at the old one does not keep out those who know the new one.
  const guessedAt = `${site} ${locked?.passwordHash ?? ''}`
  const opened = await throttled(needs, { address: attempt.address, guessedAt }, async () => {
    const isRight = await turns.take(site, () => verifyPassword(locked?.passwordHash ?? undefined, attempt.password))
    return isRight ? locked : undefined
  })
  if (opened !== undefined) {
    const cookie = createUnlockCookie(needs.secret, opened, needs.clock.now())
    return { websiteId: opened.id, cookie: { name: unlockCookieName(opened.id), ...cookie } }
  }
  throw locked === undefined ? notFound() : new Problem('password_required', 'The password is wrong.')
}

/** Names are HMACs: nobody's address is stored. */
function throttled<T>(
  { counter, secret }: Needs,
  { address, guessedAt }: { address: string; guessedAt: string },
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const hidden = (text: string) => secret.hmac('addresses', text).toString('base64url')
  const limits = [
    { name: `unlock:${hidden(`${address} ${guessedAt}`)}`, limit: perAddressAndSite },
    { name: `unlock-address:${hidden(address)}`, limit: perAddress },
    { name: `unlock-site:${hidden(guessedAt)}`, limit: perSite },
  ]
  return limitFailures(counter, limits, 'Too many wrong passwords. Wait a while, then try again.', attempt)
}
