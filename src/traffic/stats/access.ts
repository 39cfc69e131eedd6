/** Who may read the statistics of a website: its privacy says. */

import type { Clock } from '../../lib/clock.ts'
import { notFound, Problem } from '../../lib/problem.ts'
import type { Secret } from '../../lib/secret.ts'
import type { Caller } from '../../storage/caller.ts'
import { missingScopes } from '../../storage/caller.ts'
import type { Database } from '../../storage/database.ts'
import { findWebsiteForReader, type StatisticsWebsite, type WebsiteForReader, type WebsiteRef } from './access-store.ts'
import type { StatisticsReader, StatisticsSite } from './statistics.ts'
import { hasValidUnlockCookie } from './unlock-cookie.ts'

export const PRIVACY_PUBLIC = 0
export const PRIVACY_PASSWORD = 2

export interface StatisticsRequester {
  caller: Caller | undefined
  /** The Cookie header as it came. */
  unlockCookies: string | undefined
}

interface Opened {
  site: StatisticsSite
  reader: StatisticsReader
}

/** What its page may show of a website. */
export interface StatisticsPage {
  site: StatisticsSite
  isOwner: boolean
  /** Whether the password has to be given first. Until then nothing but its name is shown. */
  isLocked: boolean
  /** Whether anybody at all may read. */
  isPublic: boolean
}

interface Needs {
  db: Database
  secret: Secret
  clock: Clock
}

/** Who reads, and what; throws the Problem that says why not. */
export async function openStatistics(needs: Needs, visitor: StatisticsRequester, websiteId: number): Promise<Opened> {
  const { website, reader, caller } = await lookAt(needs, visitor, { id: websiteId })
  if (website === undefined || reader === undefined) throw refusal(website, caller)
  return { site: siteOf(website), reader }
}

/** The same for a page: it may ask for the password. */
export async function openStatisticsPage(
  needs: Needs,
  visitor: StatisticsRequester,
  domain: string,
): Promise<StatisticsPage> {
  const { website, reader, caller } = await lookAt(needs, visitor, { domain })
  const problem = reader === undefined ? refusal(website, caller) : undefined
  const isLocked = problem?.code === 'password_required'
  if (website === undefined || (problem !== undefined && !isLocked)) throw problem
  const isOwner = reader?.kind === 'owner'
  return { site: siteOf(website), isOwner, isLocked, isPublic: website.privacy === PRIVACY_PUBLIC }
}

async function lookAt(needs: Needs, visitor: StatisticsRequester, wanted: WebsiteRef) {
  const found = await findWebsiteForReader(needs.db, wanted, visitor.caller)
  const caller = currentCaller(visitor.caller, found)
  const { website } = found
  return { website, caller, reader: website && findReader(needs, website, caller, visitor.unlockCookies) }
}

const siteOf = ({ id, userId, domain, timeZone }: StatisticsWebsite): StatisticsSite => ({
  id,
  userId,
  domain,
  timeZone,
})

/** A session that has ended leaves a guest; a key that was revoked is refused as everywhere. */
export function currentCaller(caller: Caller | undefined, { isCallerHere }: WebsiteForReader): Caller | undefined {
  if (caller === undefined || isCallerHere) return caller
  if (caller.kind === 'key') throw new Problem('unauthenticated', 'The API key is not valid.')
  return undefined
}

const missingFor = (caller: Caller) => missingScopes(caller.scopes, ['websites:read'])

/** undefined: nobody who may read. The owner needs no password, but a key of theirs needs its scope. */
export function findReader(
  { secret, clock }: Pick<Needs, 'secret' | 'clock'>,
  website: StatisticsWebsite,
  caller: Caller | undefined,
  unlockCookies: string | undefined,
): StatisticsReader | undefined {
  if (caller?.userId === website.userId && missingFor(caller).length === 0) return { kind: 'owner', caller }
  if (website.privacy === PRIVACY_PUBLIC) return { kind: 'guest' }
  if (website.privacy !== PRIVACY_PASSWORD) return undefined
  return hasValidUnlockCookie(secret, website, unlockCookies, clock.now()) ? { kind: 'guest' } : undefined
}

function refusal(website: StatisticsWebsite | undefined, caller: Caller | undefined): Problem {
  // Said of every website that is not open, also of none: a key learns nothing by it.
  const missing = caller === undefined ? [] : missingFor(caller)
  if (missing.length > 0) return new Problem('missing_scope', `The API key lacks the scope ${missing.join(' and ')}.`)
  if (website?.privacy !== PRIVACY_PASSWORD) return notFound()
  return new Problem('password_required', 'These statistics are protected by a password.')
}
