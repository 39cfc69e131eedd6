/** Decides who may read the statistics of a website. This depends on the website's privacy setting. */
import type { Clock } from '../../lib/clock.ts'
import { createLockCookie, hasValidLockCookie, type PasswordLock, type UnlockCookie } from '../../lib/password-lock.ts'
import { notFound, Problem } from '../../lib/problem.ts'
import type { Secret } from '../../lib/secret.ts'
import { PRIVACY } from '../../shared/websites.ts'
import { type Caller, listMissingScopes } from '../../storage/caller.ts'
import type { Database } from '../../storage/database.ts'
import type { StatisticsReader, StatisticsSite } from './statistics.ts'
import { findWebsiteForReader, type StatisticsLookup, type StatisticsWebsite, type WebsiteRef } from './store.ts'

export interface StatisticsRequester {
  caller: Caller | undefined
  /** May contain the unlock cookies of several websites. */
  cookieHeader: string | undefined
}

interface AuthorizedStatistics {
  site: StatisticsSite
  reader: StatisticsReader
}

export interface StatisticsPage {
  site: StatisticsSite
  isOwner: boolean
  /** Whether the page shows only the domain and asks for the password. */
  isLocked: boolean
  isPublic: boolean
  isSample: boolean
}

interface Deps {
  db: Database
  secret: Secret
  clock: Clock
}

/** Finds the website, and whether the requester reads as a member of its team or as a visitor. Throws a Problem if they may not read. */
export async function authorizeStatistics(
  deps: Deps,
  requester: StatisticsRequester,
  websiteId: number,
): Promise<AuthorizedStatistics> {
  const { website, reader, caller } = await checkAccess(deps, requester, { id: websiteId })
  if (website === undefined || reader === undefined) throw accessDeniedProblem(website, caller)
  return { site: toSite(website), reader }
}

/** Like `authorizeStatistics`, but does not throw if only the password is missing, because the page asks for it. */
export async function authorizeStatisticsPage(
  deps: Deps,
  requester: StatisticsRequester,
  domain: string,
): Promise<StatisticsPage> {
  const { website, reader, caller } = await checkAccess(deps, requester, { domain })
  const problem = reader === undefined ? accessDeniedProblem(website, caller) : undefined
  const isLocked = problem?.code === 'password_required'
  if (website === undefined || (problem !== undefined && !isLocked)) throw problem
  const isOwner = reader?.kind === 'member'
  const isPublic = website.privacy === PRIVACY.public
  return { site: toSite(website), isOwner, isLocked, isPublic, isSample: website.isSample }
}

async function checkAccess(deps: Deps, requester: StatisticsRequester, ref: WebsiteRef) {
  const lookup = await findWebsiteForReader(deps.db, ref, requester.caller)
  const caller = resolveCurrentCaller(requester.caller, lookup)
  const { website } = lookup
  return { website, caller, reader: findReader(deps, lookup, caller, requester.cookieHeader) }
}

function toSite({ id, teamId, domain, timeZone }: StatisticsWebsite): StatisticsSite {
  return { id, teamId, domain, timeZone }
}

/** A caller whose session has ended counts as an anonymous visitor. A revoked key is rejected, as in every other request. */
export function resolveCurrentCaller(
  caller: Caller | undefined,
  { isCallerValid }: StatisticsLookup,
): Caller | undefined {
  if (caller === undefined) return undefined
  if (isCallerValid) {
    caller.isConfirmed = true
    return caller
  }
  if (caller.kind === 'key') throw new Problem('unauthenticated', 'The API key is not valid.')
  return undefined
}

const findMissingScopes = (caller: Caller) => listMissingScopes(caller.scopes, ['websites:read'])

/**
 * Returns undefined if the caller may not read. `isMember` includes guests of the team with whom the website is shared. Members need no
 * password, but their API keys need `websites:read`.
 */
export function findReader(
  { secret, clock }: Pick<Deps, 'secret' | 'clock'>,
  { website, isMember }: StatisticsLookup,
  caller: Caller | undefined,
  cookieHeader: string | undefined,
): StatisticsReader | undefined {
  if (website === undefined) return undefined
  if (caller !== undefined && isMember && findMissingScopes(caller).length === 0) return { kind: 'member', caller }
  if (website.privacy === PRIVACY.public) return { kind: 'visitor' }
  if (website.privacy !== PRIVACY.password) return undefined
  return hasValidUnlockCookie(secret, website, cookieHeader, clock.now()) ? { kind: 'visitor' } : undefined
}

function accessDeniedProblem(website: StatisticsWebsite | undefined, caller: Caller | undefined): Problem {
  // A key without the scope gets the same response for existing and missing websites, which hides what exists.
  const missingScopes = caller === undefined ? [] : findMissingScopes(caller)
  if (missingScopes.length > 0)
    return new Problem('missing_scope', `The API key lacks the scope ${missingScopes.join(' and ')}.`)
  if (website?.privacy !== PRIVACY.password) return notFound()
  return new Problem('password_required', 'These statistics are protected by a password.')
}

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
function hasValidUnlockCookie(secret: Secret, website: LockedWebsite, header: string | undefined, now: Date): boolean {
  return hasValidLockCookie(secret, toWebsiteLock(website), header, now)
}
