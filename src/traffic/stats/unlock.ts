/** Checks the password of a website and creates the cookie that opens its statistics. */
import type { Clock } from '../../lib/clock.ts'
import { tryPassword, type UnlockCookie } from '../../lib/password-lock.ts'
import { notFound, Problem } from '../../lib/problem.ts'
import type { Secret } from '../../lib/secret.ts'
import type { WindowCounter } from '../../lib/window-counter.ts'
import { PRIVACY } from '../../shared/websites.ts'
import type { Caller } from '../../storage/caller.ts'
import type { Database } from '../../storage/database.ts'
import { findReader, resolveCurrentCaller, unlockCookieName } from './access.ts'
import { findWebsiteForReader, type WebsiteRef } from './store.ts'

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
  /** Undefined if the caller may read the statistics without a cookie. */
  cookie: UnlockCookie | undefined
}

/** For a private website or one that does not exist, "not found" takes as long as a wrong password does. */
export async function unlockStatistics(deps: Deps, ref: WebsiteRef, attempt: UnlockAttempt): Promise<UnlockResult> {
  const lookup = await findWebsiteForReader(deps.db, ref, attempt.caller)
  const { website } = lookup
  const caller = resolveCurrentCaller(attempt.caller, lookup)
  if (findReader(deps, lookup, caller, undefined) !== undefined) return { cookie: undefined }
  const lockedWebsite = website?.privacy === PRIVACY.password ? website : undefined
  const websiteKey = website?.id ?? ('id' in ref ? ref.id : ref.domain)
  const lock = {
    name: String(websiteKey),
    cookieName: unlockCookieName(Number(websiteKey)),
    passwordHash: lockedWebsite?.passwordHash ?? null,
  }
  const cookie = await tryPassword(deps, lock, attempt)
  if (cookie !== undefined) return { cookie }
  throw lockedWebsite === undefined ? notFound() : new Problem('password_required', 'Incorrect password.')
}
