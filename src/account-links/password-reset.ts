/** Resets forgotten passwords with a link: from an email, or from the operator of the server. */
import { setEmailConfirmed } from '../accounts/email-store.ts'
import { setPassword } from '../accounts/users.ts'
import { addMs, type Clock } from '../lib/clock.ts'
import { hashPassword } from '../lib/password-hash.ts'
import { Problem, rateLimited } from '../lib/problem.ts'
import { hashToken, randomToken } from '../lib/token.ts'
import type { RateLimit } from '../lib/window-counter.ts'
import { findLinkBaseUrl, type LinkEmailDeps, sendLinkEmail, takeRecipientAllowance } from '../links/send-link-email.ts'
import { limitWrongTokens } from '../links/wrong-tokens.ts'
import { PASSWORD_RESET_LIFETIME_MINUTES } from '../shared/limits.ts'
import { MINUTE_MS } from '../shared/time.ts'
import type { Database } from '../storage/database.ts'
import { actAsUser } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import { composeResetEmail } from './emails.ts'
import { endUnprovedAccess, hasLink, insertResetLink, takeLink } from './store.ts'

/** The limit is high, because a whole office can share one IP address. */
const networkLimit: RateLimit = { count: 20, windowSeconds: 900 }

export interface AccountLinkDeps extends LinkEmailDeps {
  clock: Clock
  db: Database
}

/** Counts requests for a reset, whether or not an account has the address. */
export function limitResetsByNetwork(
  { counter, secret }: Pick<AccountLinkDeps, 'counter' | 'secret'>,
  clientNetwork: string,
): void {
  const name = `password-reset:${secret.hmac('addresses', clientNetwork).toString('base64url')}`
  const { allowed, retryAfterSeconds } = counter.take(name, networkLimit)
  if (!allowed) throw rateLimited('Too many requests for new passwords. Try again in a few minutes.', retryAfterSeconds)
}

/**
 * Mails a link, if an account has the address. Call it after the response was sent: the response takes the same time for every address,
 * because nothing is looked up before it. Beyond the limit of emails to an address, nothing happens. A 429 would let strangers
 * keep the owner from asking, and the links in the emails that used up the limit still work.
 */
export async function mailResetLink(deps: AccountLinkDeps, email: string): Promise<void> {
  const { clock, config, db } = deps
  const baseUrl = findLinkBaseUrl(config)
  if (baseUrl === undefined || !takeRecipientAllowance(deps, 'password reset', email)) return
  const { token, address } = await createResetLink(db, email, { clock, isMailed: true })
  // To the stored address: one that PostgreSQL considers equal, ignoring case, can belong to somebody else.
  if (address !== undefined) {
    await sendLinkEmail(deps, composeResetEmail({ to: address, baseUrl, url: toResetUrl(baseUrl, token) }))
  }
}

export async function createResetLink(
  q: Queries,
  email: string,
  { clock, isMailed }: { clock: Clock; isMailed: boolean },
): Promise<{ token: string; address: string | undefined }> {
  const token = randomToken()
  const now = clock.now()
  const expiresAt = addMs(now, PASSWORD_RESET_LIFETIME_MINUTES * MINUTE_MS)
  const address = await insertResetLink(q, { email, isMailed, tokenHash: hashToken(token), now, expiresAt })
  return { token, address }
}

export const toResetUrl = (baseUrl: string, token: string) => `${baseUrl}/reset-password/${token}`

/**
 * Sets the password and ends all sessions of the user. Second factors stay. But if the email is the first proof of the address,
 * `endUnprovedAccess` removes what somebody else may have added.
 */
export async function resetPassword(
  deps: Pick<AccountLinkDeps, 'clock' | 'counter' | 'db' | 'secret'>,
  { token, newPassword, clientNetwork }: { token: string; newPassword: string; clientNetwork: string },
): Promise<void> {
  const { clock, db } = deps
  const tokenHash = hashToken(token)
  const isReset = await limitWrongTokens(deps, clientNetwork, async () => {
    // Hashing the password is expensive, so only callers with a valid link get that far.
    if (!(await hasLink(db, 'reset_password', tokenHash, clock.now()))) return undefined
    const hash = await hashPassword(newPassword)
    return db.transaction(async (q) => {
      const link = await takeLink(q, 'reset_password', tokenHash, clock.now())
      if (link === undefined) return undefined
      await setPassword(q, link.user_id, hash)
      if (link.is_mailed && (await setEmailConfirmed(q, link.user_id, clock.now()))) {
        await actAsUser(q, link.user_id)
        await endUnprovedAccess(q, link.user_id)
      }
      return true
    })
  })
  if (isReset === undefined) throw endedLinkProblem()
}

/** Links that have expired, were used, or never existed look the same. */
export function endedLinkProblem(): Problem {
  return new Problem('not_found', 'This link is not valid any more. Request a new one.')
}
