/** Changes and confirms the addresses of accounts. An address becomes that of an account only with a link that was mailed to it. */
import { replaceEmail } from '../accounts/email-store.ts'
import { findPasswordHash } from '../accounts/store.ts'
import { limitFailuresBySession } from '../accounts/wrong-passwords.ts'
import { isMailDomainAllowed } from '../channels/kinds/email.ts'
import { addMs } from '../lib/clock.ts'
import { verifyPassword } from '../lib/password-hash.ts'
import { invalid, Problem, rateLimited } from '../lib/problem.ts'
import { hashToken, randomToken } from '../lib/token.ts'
import type { RateLimit } from '../lib/window-counter.ts'
import { findLinkBaseUrl, sendLinkEmail, takeRecipientAllowance } from '../links/send-link-email.ts'
import { limitWrongTokens } from '../links/wrong-tokens.ts'
import { EMAIL_CONFIRMATION_LIFETIME_HOURS } from '../shared/limits.ts'
import { DAY_SECONDS, HOUR_MS } from '../shared/time.ts'
import type { SessionCaller } from '../storage/caller.ts'
import { actAsUser } from '../storage/statements.ts'
import { composeAddressTakenEmail, composeConfirmationEmail, composeEmailChangedNotice } from './emails.ts'
import { type AccountLinkDeps, endedLinkProblem } from './password-reset.ts'
import { insertConfirmationLink, takeLink } from './store.ts'

/** Each user can enter any address, so this limits how many people they can write to. */
const userLimit: RateLimit = { count: 10, windowSeconds: DAY_SECONDS }

/** Throws a Problem unless the user may change their address to this one now. Says nothing about other accounts. */
export async function requireEmailChange(
  deps: AccountLinkDeps,
  caller: SessionCaller,
  { email, currentPassword }: { email: string; currentPassword: string },
): Promise<void> {
  const { config, db } = deps
  requireMailServer(deps)
  const isCorrect = await limitFailuresBySession(deps, caller.sessionId, async () => {
    const storedHash = await findPasswordHash(db.as(caller), caller.userId)
    return (await verifyPassword(storedHash, currentPassword)) ? true : undefined
  })
  if (isCorrect === undefined) throw invalid({ current_password: ['`current_password` is incorrect.'] })
  if (!isMailDomainAllowed(config.mailDomains, email)) {
    const domains = config.mailDomains?.join(', ')
    throw invalid({ email: [`\`email\` must be an address at ${domains} (BELFRY_MAIL_DOMAINS).`] })
  }
  takeAllowances(deps, caller.userId, email)
}

/** Throws a Problem unless a confirmation can be mailed to this address now. */
export function requireConfirmation(deps: AccountLinkDeps, userId: number, email: string): void {
  requireMailServer(deps)
  takeAllowances(deps, userId, email)
}

function requireMailServer({ config }: AccountLinkDeps): void {
  if (findLinkBaseUrl(config) !== undefined) return
  throw new Problem(
    'conflict',
    "This server can't send links by email yet. An admin has to set its mail server and its public URL.",
  )
}

function takeAllowances(deps: AccountLinkDeps, userId: number, email: string): void {
  const { allowed, retryAfterSeconds } = deps.counter.take(`confirmation:user:${userId}`, userLimit)
  if (allowed && takeRecipientAllowance(deps, 'confirmation', email)) return
  throw rateLimited('Too many confirmations were sent today. Try again tomorrow.', retryAfterSeconds)
}

/**
 * Mails a link that makes `email` the address of the user. If another account has the address, mails it a notice instead. Call it
 * after the response was sent, so that the response takes the same time in both cases.
 */
export async function mailConfirmationLink(deps: AccountLinkDeps, userId: number, email: string): Promise<void> {
  const { clock, config, db } = deps
  const baseUrl = findLinkBaseUrl(config)
  if (baseUrl === undefined) return
  const token = randomToken()
  const now = clock.now()
  const expiresAt = addMs(now, EMAIL_CONFIRMATION_LIFETIME_HOURS * HOUR_MS)
  const takenAddress = await insertConfirmationLink(db, { userId, email, tokenHash: hashToken(token), now, expiresAt })
  await sendLinkEmail(
    deps,
    takenAddress === undefined
      ? composeConfirmationEmail({ to: email, baseUrl, url: `${baseUrl}/confirm-email/${token}` })
      : composeAddressTakenEmail({ to: takenAddress, baseUrl }),
  )
}

export interface ConfirmedEmail {
  email: string
  /** Equal to `email` if the link only confirmed the current address. */
  oldEmail: string
}

/**
 * Needs a session of the account: otherwise, a stranger could enter the address of somebody else, who then opens the link and so confirms an
 * account that isn't theirs.
 */
export async function confirmEmail(
  deps: AccountLinkDeps,
  { token, clientNetwork, userId }: { token: string; clientNetwork: string; userId: number },
): Promise<ConfirmedEmail> {
  const { clock, db } = deps
  const confirmed = await limitWrongTokens(deps, clientNetwork, () =>
    db.transaction(async (q) => {
      const link = await takeLink(q, 'confirm_email', hashToken(token), clock.now())
      if (link === undefined || link.email === null) return undefined
      if (link.user_id !== userId) {
        throw new Problem(
          'forbidden',
          'This link is for another account. Sign in with the account whose address you want to confirm.',
        )
      }
      await actAsUser(q, link.user_id)
      const oldEmail = await replaceEmail(q, link.user_id, link.email, clock.now())
      return oldEmail === undefined ? undefined : { email: link.email, oldEmail }
    }),
  )
  if (confirmed === undefined) throw endedLinkProblem()
  return confirmed
}

/** Tells the old address that it is no longer that of the account. */
export async function mailEmailChangedNotice(
  deps: AccountLinkDeps,
  { email, oldEmail }: ConfirmedEmail,
): Promise<void> {
  const baseUrl = findLinkBaseUrl(deps.config)
  if (baseUrl === undefined || oldEmail === email) return
  await sendLinkEmail(deps, composeEmailChangedNotice({ to: oldEmail, email, baseUrl }))
}
