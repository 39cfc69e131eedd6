/** Invites people to teams: with a link that the inviter copies, and with another one that is mailed. */
import { setEmailConfirmed } from '../accounts/email-store.ts'
import { startSession } from '../accounts/sign-in.ts'
import type { SessionDetails } from '../accounts/store.ts'
import { createUser, type NewUser, prepareUser } from '../accounts/users.ts'
import { isMailDomainAllowed } from '../channels/kinds/email.ts'
import { addMs, type Clock } from '../lib/clock.ts'
import { invalid, notFound, Problem } from '../lib/problem.ts'
import { hashToken, randomToken } from '../lib/token.ts'
import type { RateLimit } from '../lib/window-counter.ts'
import { findLinkBaseUrl, type LinkEmailDeps, sendLinkEmail, takeRecipientAllowance } from '../links/send-link-email.ts'
import { limitWrongTokens } from '../links/wrong-tokens.ts'
import { DeliveryError } from '../outbox/delivery-error.ts'
import { INVITATION_LIFETIME_HOURS, MAX_OPEN_INVITATIONS } from '../shared/limits.ts'
import { DAY_SECONDS, HOUR_MS } from '../shared/time.ts'
import type { SessionCaller } from '../storage/caller.ts'
import type { Database } from '../storage/database.ts'
import { lockOwnTeam } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import { composeInvitationEmail } from './invitation-email.ts'
import type { CreateInvitation } from './invitation-schema.ts'
import {
  deleteInvitation,
  type FoundInvitation,
  findInvitation,
  findInvitedUser,
  type InvitationRow,
  type InvitedUser,
  insertInvitation,
  isMemberAddress,
  joinTeam,
  type LockedInvitation,
  listInvitations,
  lockInvitation,
  replaceAndCountInvitations,
  setInvitationMailed,
  setNewSessionTeam,
  setSessionTeam,
} from './invitation-store.ts'
import { requireGuestForShares, requireKnownShares, requireNoOlderNodes } from './teams.ts'

/**
 * How many invitations a team can mail, and how many one person, from all their teams. Each can go to a person who doesn't know the team.
 */
const mailLimit: RateLimit = { count: 100, windowSeconds: DAY_SECONDS }

export interface InvitationDeps extends LinkEmailDeps {
  clock: Clock
  db: Database
}

interface CreatedInvitation {
  row: InvitationRow
  /** For the link that the inviter copies. */
  token: string
  /** For the link in the email. Nobody else may see it. */
  mailToken: string
}

/**
 * Replaces an earlier invitation of the same address. Call it in a transaction that acts in the team. `server` has access to the list of
 * nodes.
 */
export async function createInvitation(
  q: Queries,
  input: CreateInvitation,
  { clock, server }: { clock: Clock; server: Queries },
): Promise<CreatedInvitation> {
  const { email, role, access = 'read', website_ids: websiteIds = [], status_page_ids: pageIds = [] } = input
  requireGuestForShares(role, input)
  await requireNoOlderNodes(server)
  await lockOwnTeam(q)
  // Those who may invite see the list of members anyway.
  if (await isMemberAddress(q, email)) {
    throw invalid({ email: [`${email} is already a member of this team. You can change their role instead.`] })
  }
  await requireKnownShares(q, input)
  const now = clock.now()
  const { hasProtectedInvitation, openCount } = await replaceAndCountInvitations(q, email, now)
  if (hasProtectedInvitation) throw ownerInvitationProblem()
  if (openCount >= MAX_OPEN_INVITATIONS) {
    throw invalid({
      email: [`This team has ${MAX_OPEN_INVITATIONS} open invitations, the maximum. Revoke some first.`],
    })
  }
  const token = randomToken()
  const mailToken = randomToken()
  const id = await insertInvitation(q, {
    ...{ email, role, access, websiteIds, pageIds, now },
    tokenHash: hashToken(token),
    mailTokenHash: hashToken(mailToken),
    expiresAt: addMs(now, INVITATION_LIFETIME_HOURS * HOUR_MS),
  })
  const [row] = await listInvitations(q, now, id)
  return { row: row as InvitationRow, token, mailToken }
}

/** Call it in a transaction that acts in the team. */
export async function revokeInvitation(q: Queries, id: number): Promise<void> {
  const result = await deleteInvitation(q, id)
  if (result === 'missing') throw notFound()
  if (result === 'protected') throw ownerInvitationProblem()
}

/** Only owners appoint owners, so nobody else may prevent it. */
const ownerInvitationProblem = () =>
  new Problem('forbidden', 'Only owners can replace or revoke an invitation with the role owner.')

export const toInvitationUrl = (baseUrl: string, token: string) => `${baseUrl}/invitations/${token}`

export interface MailedInvitation {
  isMailed: boolean
  /** Why it was not mailed. null if it was, or if the server can't send links by email. */
  problem: string | null
}

/** Never throws because of the mail server: the inviter still has the link to copy. Call it outside a transaction. */
export async function mailInvitation(
  deps: InvitationDeps,
  team: { id: number; name: string; inviterId: number; tenant: Queries },
  { row, mailToken }: CreatedInvitation,
): Promise<MailedInvitation> {
  const { config, counter } = deps
  const baseUrl = findLinkBaseUrl(config)
  if (baseUrl === undefined) return { isMailed: false, problem: null }
  const { email } = row
  if (!isMailDomainAllowed(config.mailDomains, email)) {
    return { isMailed: false, problem: "This server doesn't send email to this domain (BELFRY_MAIL_DOMAINS)." }
  }
  const teamCount = `invitation:team:${team.id}`
  if (!counter.take(teamCount, mailLimit).allowed) {
    return { isMailed: false, problem: 'This team has mailed too many invitations today.' }
  }
  const inviterCount = `invitation:user:${team.inviterId}`
  if (!counter.take(inviterCount, mailLimit).allowed) {
    counter.refund(teamCount)
    return { isMailed: false, problem: 'You have mailed too many invitations today.' }
  }
  if (!takeRecipientAllowance(deps, 'invitation', email)) {
    counter.refund(teamCount)
    counter.refund(inviterCount)
    return { isMailed: false, problem: 'This address has received too many invitations today.' }
  }
  const content = { to: email, baseUrl, teamName: team.name, role: row.role, invitedBy: row.invited_by }
  try {
    await sendLinkEmail(deps, composeInvitationEmail({ ...content, url: toInvitationUrl(baseUrl, mailToken) }))
  } catch (error) {
    if (error instanceof DeliveryError) return { isMailed: false, problem: error.sentence }
    throw error
  }
  await setInvitationMailed(team.tenant, row.id)
  return { isMailed: true, problem: null }
}

type LinkDeps = Pick<InvitationDeps, 'clock' | 'counter' | 'db' | 'secret'>

/** The token of a link, and the network of the client that opened it. */
export interface OpenedLink {
  token: string
  clientNetwork: string
}

export async function getInvitation(deps: LinkDeps, { token, clientNetwork }: OpenedLink): Promise<FoundInvitation> {
  const { clock, db } = deps
  const found = await limitWrongTokens(deps, clientNetwork, () => findInvitation(db, hashToken(token), clock.now()))
  return requireInvitation(found)
}

/** Adds the caller to the team, in which their session acts from then on. */
export async function acceptAsUser(
  deps: LinkDeps,
  link: OpenedLink,
  caller: Pick<SessionCaller, 'sessionId' | 'userId'>,
): Promise<{ user: InvitedUser; teamId: number }> {
  const { clock, db } = deps
  const accepted = await limitWrongTokens(deps, link.clientNetwork, async () => {
    await requireNoOlderNodes(db)
    return db.transaction(async (q) => {
      const invitation = await lockInvitation(q, hashToken(link.token), clock.now())
      if (invitation === undefined) return undefined
      const user = await findInvitedUser(q, caller.userId, invitation.email)
      if (user?.is_invited !== true) {
        throw new Problem(
          'forbidden',
          `This invitation is for another address, ${invitation.email}. Sign in with that address.`,
        )
      }
      await join(q, user.id, invitation, clock)
      await setSessionTeam(q, caller.sessionId, invitation.team_id)
      return { user, teamId: invitation.team_id }
    })
  })
  return requireInvitation(accepted)
}

/** Creates an account with the invited address, adds it to the team, and starts a session in this team. */
export async function acceptWithPassword(
  deps: LinkDeps,
  link: OpenedLink,
  { password, client }: { password: string | undefined; client: Pick<SessionDetails, 'userAgent' | 'address'> },
): Promise<{ user: Omit<InvitedUser, 'is_invited'>; teamId: number; sessionToken: string }> {
  const { clock, db } = deps
  const tokenHash = hashToken(link.token)
  const accepted = await limitWrongTokens(deps, link.clientNetwork, async () => {
    const found = await findInvitation(db, tokenHash, clock.now())
    if (found === undefined) return undefined
    if (found.has_account) throw existingAccountProblem()
    if (password === undefined) throw invalid({ password: ['`password` is required for a new account.'] })
    await requireNoOlderNodes(db)
    // Hashing the password is expensive, so only people with a valid link get that far.
    const newUser = await prepareUser({ email: found.email, password, isAdmin: false })
    return db.transaction(async (q) => {
      const invitation = await lockInvitation(q, tokenHash, clock.now())
      if (invitation === undefined) return undefined
      const user = await createInvitedUser(q, { ...newUser, isFromCopiedLink: !invitation.is_from_mail }, clock)
      await join(q, user.id, invitation, clock)
      const sessionToken = await startSession(q, user.id, clock, { ...client, method: 'link' })
      await setNewSessionTeam(q, hashToken(sessionToken), invitation.team_id)
      return { user, teamId: invitation.team_id, sessionToken }
    })
  })
  return requireInvitation(accepted)
}

async function createInvitedUser(q: Queries, user: NewUser, clock: Clock) {
  try {
    return await createUser(q, user, clock)
  } catch (error) {
    // Somebody has created an account with the address in the meantime.
    if (error instanceof Problem && error.errors?.['email'] !== undefined) throw existingAccountProblem()
    throw error
  }
}

async function join(q: Queries, userId: number, invitation: LockedInvitation, clock: Clock): Promise<void> {
  await joinTeam(q, userId, invitation, clock.now())
  // The inviter also has a link, so only the one in the email proves that the address belongs to this person.
  if (invitation.is_from_mail) await setEmailConfirmed(q, userId, clock.now())
}

/**
 * Only somebody who holds the link learns that the address has an account. They got the link from the mailbox of this address, or from
 * the inviter, who learns the same as soon as the person has joined. To ask about other addresses, an inviter has to
 * invite them, and each of them that can be reached gets an email about it.
 */
function existingAccountProblem(): Problem {
  return new Problem(
    'conflict',
    'You already have an account with this address. Sign in first, then open the link again.',
  )
}

/** Invitations that were used, revoked or replaced, have expired or never existed look the same. */
function requireInvitation<T>(found: T | undefined): T {
  if (found !== undefined) return found
  throw new Problem('not_found', 'This invitation is not valid any more. Ask the person who invited you for a new one.')
}
