/** The cookie of whoever knew the password of a website: good for that website alone, and for that password. */
import type { Secret } from '../../lib/secret.ts'
import { sameText } from '../../lib/token.ts'

export const UNLOCK_SECONDS = 30 * 86_400

interface Locked {
  id: number
  passwordHash: string | null
}

export const unlockCookieName = (websiteId: number) => `belfry_unlock_${websiteId}`

/** The hash is another one whenever a password is set, be it the same, so every cookie ends with it. */
function sign(secret: Secret, { id, passwordHash }: Locked, expiresAt: number): string {
  return secret.hmac('unlock', `${id} ${expiresAt} ${passwordHash}`).toString('base64url')
}

/** Its value; times are seconds since 1970. */
export function createUnlockCookie(secret: Secret, website: Locked, now: Date): { value: string; expiresAt: number } {
  const expiresAt = Math.floor(now.getTime() / 1000) + UNLOCK_SECONDS
  return { value: `${expiresAt}.${sign(secret, website, expiresAt)}`, expiresAt }
}

/** Whether the Cookie header of a request has it. */
export function hasValidUnlockCookie(secret: Secret, website: Locked, header: string | undefined, now: Date): boolean {
  if (header === undefined || website.passwordHash === null) return false
  const pattern = new RegExp(`(?:^|;) *${unlockCookieName(website.id)}=(\\d{1,12})\\.([\\w-]{43})(?=;|$)`)
  const [, expiry = '', signature = ''] = pattern.exec(header) ?? []
  const expiresAt = Number(expiry)
  return expiresAt * 1000 > now.getTime() && sameText(signature, sign(secret, website, expiresAt))
}
