/** Decides who may see a page, from the request alone: without a query. */
import type { Clock } from '../../lib/clock.ts'
import { hasValidLockCookie, type PasswordLock } from '../../lib/password-lock.ts'
import { Problem } from '../../lib/problem.ts'
import type { Secret } from '../../lib/secret.ts'

import { PRIVACY } from '../../shared/websites.ts'
import type { SnapshotAccess } from '../snapshot.ts'

/** The lock of a status page. Its cookies don't open a website with the same id. */
export function toPageLock({ pageId, passwordHash }: Pick<SnapshotAccess, 'pageId' | 'passwordHash'>): PasswordLock {
  return { cookieName: `belfry_unlock_status_${pageId}`, name: `status page ${pageId}`, passwordHash }
}

export function isOpenToVisitor(
  { clock, secret }: { clock: Clock; secret: Secret },
  access: SnapshotAccess,
  cookieHeader: string | undefined,
): boolean {
  if (access.privacy === PRIVACY.public) return true
  if (access.privacy !== PRIVACY.password) return false
  return hasValidLockCookie(secret, toPageLock(access), cookieHeader, clock.now())
}

/** The response to visitors without the password, except in HTML, where they get a form. */
export const lockedPageProblem = () =>
  new Problem('password_required', 'This status page is protected by a password.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
