/**
 * Versions of pages. As long as a page has the same version, it has the same state, monitors, incidents, maintenances and posts, and
 * its last bar is for the same day. Only figures that change with time, such as the uptime during an incident, may differ.
 */
import { localDayAt } from '../../lib/local-day.ts'
import type { Privacy } from '../../shared/websites.ts'
import type { Queries } from '../../storage/transaction.ts'
import {
  buildVersionQuery,
  findVersionBySlug,
  type PageKey,
  readNextVersions,
  type StoredPageVersion,
} from './version-store.ts'

export type { PageKey } from './version-store.ts'

export interface PageVersion extends PageKey {
  slug: string
  privacy: Privacy
  passwordHash: string | null
  version: string
}

/**
 * Adds the local day, which is computed here and not in SQL, because Node and PostgreSQL may know different time zones.
 */
export function toPageVersion({ timeZone, contentHash, ...page }: StoredPageVersion, now: Date): PageVersion {
  return { ...page, version: `${contentHash} ${localDayAt(timeZone, now.getTime()).day}` }
}

/** Returns undefined if the page doesn't exist. To find a page by its slug, `q` must have access to all users' rows. */
export async function readPageVersion(
  q: Queries,
  page: PageKey | { slug: string },
  now: Date,
): Promise<PageVersion | undefined> {
  const storedVersion =
    'slug' in page
      ? await findVersionBySlug(q, page.slug, now)
      : ((await q.batch(buildVersionQuery(page, now)))[0]?.rows[0] as StoredPageVersion | undefined)
  return storedVersion && toPageVersion(storedVersion, now)
}

/** Cursor that sorts before every page. */
export const FIRST_PAGE_KEY: PageKey = { teamId: 0, pageId: 0 }

export interface PagesToRefresh {
  /** New pages, and pages whose version differs from that of the caller's copy. */
  changed: PageVersion[]
  /** Ids of known pages that don't exist any more. */
  deletedPageIds: number[]
  /** Cursor for the next call; undefined after the last page. */
  next: PageKey | undefined
}

/** A page that the caller has a copy of. */
export interface KnownPage extends PageKey {
  version: string
}

/**
 * Compares up to `limit` pages of all users with the copies of the caller. Start with FIRST_PAGE_KEY, and pass `next` on until it is
 * undefined: every page is then compared once. It compares versions, because comparing times would miss changes of long transactions
 * and of nodes whose clocks differ.
 */
export async function listPagesToRefresh(
  q: Queries,
  knownPages: Iterable<KnownPage>,
  { after, limit }: { after: PageKey; limit: number },
  now: Date,
): Promise<PagesToRefresh> {
  const rows = await readNextVersions(q, { after, limit }, now)
  const last = rows.at(-1)
  const next = rows.length < limit || last === undefined ? undefined : { teamId: last.teamId, pageId: last.pageId }
  const versions = new Map(rows.map((row) => [row.pageId, toPageVersion(row, now)]))
  const deletedPageIds: number[] = []
  for (const page of knownPages) {
    const isInRange = compareKeys(page, after) > 0 && (next === undefined || compareKeys(page, next) <= 0)
    if (!isInRange) continue
    const version = versions.get(page.pageId)
    if (version === undefined) deletedPageIds.push(page.pageId)
    else if (version.version === page.version) versions.delete(page.pageId)
  }
  return { changed: [...versions.values()], deletedPageIds, next }
}

const compareKeys = (a: PageKey, b: PageKey) => a.teamId - b.teamId || a.pageId - b.pageId
