/** The cookie that opens the statistics of one website to somebody who entered its password. */
import { createLockCookie, hasValidLockCookie, type PasswordLock, type UnlockCookie } from '../../lib/password-lock.ts'
import type { Secret } from '../../lib/secret.ts'

interface LockedWebsite {
  id: number
  passwordHash: string | null
}

export const unlockCookieName = (websiteId: number) => `belfry_unlock_${websiteId}`

function toWebsiteLock({ id, passwordHash }: LockedWebsite): PasswordLock {
  return { name: String(id), cookieName: unlockCookieName(id), passwordHash }
}

export function createUnlockCookie(secret: Secret, website: LockedWebsite, now: Date): UnlockCookie {
  return createLockCookie(secret, toWebsiteLock(website), now)
}

/** `header` is the Cookie header of a request. */
export function hasValidUnlockCookie(
  secret: Secret,
  website: LockedWebsite,
  header: string | undefined,
  now: Date,
): boolean {
  return hasValidLockCookie(secret, toWebsiteLock(website), header, now)
}
