/** The cookie that opens the statistics of one website to somebody who entered its password. */
import type { Secret } from '../../lib/secret.ts'
import { isSameSecret } from '../../lib/token.ts'
import { DAY_SECONDS } from '../../shared/time.ts'

export const UNLOCK_SECONDS = 30 * DAY_SECONDS

interface LockedWebsite {
  id: number
  passwordHash: string | null
}

export const unlockCookieName = (websiteId: number) => `belfry_unlock_${websiteId}`

/** The signature covers the hash, which gets a new salt with every new password. So a new password invalidates all cookies. */
function sign(secret: Secret, { id, passwordHash }: LockedWebsite, expiresAt: number): string {
  return secret.hmac('unlock', `${id} ${expiresAt} ${passwordHash}`).toString('base64url')
}

/** `expiresAt` is in seconds since 1970. */
export function createUnlockCookie(
  secret: Secret,
  website: LockedWebsite,
  now: Date,
): { value: string; expiresAt: number } {
  const expiresAt = Math.floor(now.getTime() / 1000) + UNLOCK_SECONDS
  return { value: `${expiresAt}.${sign(secret, website, expiresAt)}`, expiresAt }
}

/** `header` is the Cookie header of a request. */
export function hasValidUnlockCookie(
  secret: Secret,
  website: LockedWebsite,
  header: string | undefined,
  now: Date,
): boolean {
  if (header === undefined || website.passwordHash === null) return false
  const pattern = new RegExp(`(?:^|;) *${unlockCookieName(website.id)}=(\\d{1,12})\\.([\\w-]{43})(?=;|$)`)
  const [, expiry = '', signature = ''] = pattern.exec(header) ?? []
  const expiresAt = Number(expiry)
  return expiresAt * 1000 > now.getTime() && isSameSecret(signature, sign(secret, website, expiresAt))
}
