/** Finds the page that a request names, if its visitor may see it. */
import type { Clock } from '../../lib/clock.ts'
import { notFound, Problem } from '../../lib/problem.ts'
import type { Secret } from '../../lib/secret.ts'
import type { Caller, SessionCaller } from '../../storage/caller.ts'
import type { Database } from '../../storage/database.ts'
import { findPageBySlug } from '../load/find-page-store.ts'
import { isOpenToVisitor, lockedPageProblem } from './access.ts'
import type { FoundCopy, StatusPageCopies } from './copies.ts'

interface Deps {
  clock: Clock
  /** undefined: the server has no database yet, so it knows no sessions. */
  db: Database | undefined
  secret: Secret
  statusPageCopies: StatusPageCopies
}

interface PageVisitor {
  caller: Caller | undefined
  /** May contain the unlock cookies of several pages. */
  cookieHeader: string | undefined
}

/**
 * Throws `not_found` for pages that don't exist and for private pages of others, after the same queries. Throws
 * `password_required` if only the password is missing. Owners get access to their pages with a session, but not with an
 * API key.
 */
export async function findVisiblePage(deps: Deps, slug: string, visitor: PageVisitor): Promise<FoundCopy> {
  const foundCopy = await deps.statusPageCopies.find(slug)
  if (foundCopy !== undefined && isOpenToVisitor(deps, foundCopy.copy.snapshot.access, visitor.cookieHeader))
    return foundCopy
  const { caller } = visitor
  const { db } = deps
  const ownPage =
    db && caller?.kind === 'session' ? await findOwnPage({ ...deps, db }, slug, caller, foundCopy) : undefined
  if (ownPage !== undefined) return ownPage
  throw foundCopy === undefined ? notFound() : lockedPageProblem()
}

/** A visitor whose session has ended is treated like one without a session. */
async function findOwnPage(
  { db, statusPageCopies }: Deps & { db: Database },
  slug: string,
  caller: SessionCaller,
  foundCopy: FoundCopy | undefined,
): Promise<FoundCopy | undefined> {
  try {
    const page = await findPageBySlug(db.as(caller), slug)
    if (page?.teamId !== caller.teamId) return undefined
    if (foundCopy !== undefined) return foundCopy
    return await statusPageCopies.loadPrivate(page)
  } catch (error) {
    if (error instanceof Problem && error.code === 'unauthenticated') return undefined
    throw error
  }
}
