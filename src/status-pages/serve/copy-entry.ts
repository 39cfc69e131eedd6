/** What is known about the copy of one page. */
import type { PageKey } from '../load/versions.ts'
import type { PageCopy } from './page-copy.ts'

export interface CopyEntry {
  slug: string
  key: PageKey
  customDomain: string | null
  /** undefined: only the data folder has the copy. */
  copy: PageCopy | undefined
  /** Empty if the copy is from the data folder. */
  version: string
  /** When the copy was read from the database, in epoch milliseconds. */
  readAt: number
  /** When the copy was last known to be up to date, in epoch milliseconds. */
  verifiedAt: number
  /** When a visitor last saw the page, in milliseconds of the monotonic clock. */
  usedAt: number
  /** Whether the last comparison with the database has failed. */
  hasFailed: boolean
  /**
   * How often requests to this node have changed data of the owner, and how many of these changes the copy includes.
   */
  changeCount: number
  verifiedChangeCount: number
  /** The comparison in progress. `startedAt` is in milliseconds of the monotonic clock. */
  check: { startedAt: number; promise: Promise<void> } | undefined
}

export function createEntry(copy: PageCopy, options: { version: string; verifiedAt: number }): CopyEntry {
  return {
    ...describeCopy(copy),
    ...options,
    usedAt: 0,
    hasFailed: false,
    changeCount: 0,
    verifiedChangeCount: 0,
    check: undefined,
  }
}

export function replaceCopy(entry: CopyEntry, copy: PageCopy, version: string): void {
  Object.assign(entry, describeCopy(copy), { version })
}

function describeCopy(copy: PageCopy) {
  const { access, page, readAt } = copy.snapshot
  const { teamId, pageId } = access
  return { slug: page.slug, key: { teamId, pageId }, customDomain: page.customDomain, copy, readAt }
}

/** A clock that was set back must not make a copy look up to date. */
export function isVerifiedWithin({ verifiedAt }: CopyEntry, ms: number, now: number): boolean {
  return now - verifiedAt <= ms && now >= verifiedAt
}

export const hasMissedChange = (entry: CopyEntry) => entry.changeCount !== entry.verifiedChangeCount
