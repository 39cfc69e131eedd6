/** Keeps the copies of all pages up to date, including those that nobody visits, so that every node can serve them without the database. */
import type { Clock } from '../../lib/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../shared/time.ts'
import type { Queries } from '../../storage/transaction.ts'
import { FIRST_PAGE_KEY, listPagesToRefresh, type PageKey } from '../load/versions.ts'
import type { StatusPageCopies } from './copies.ts'

/** How many pages one statement compares. */
const BATCH_SIZE = 100
/** A run ends after this time, and the next run continues with the next page. */
const MAX_RUN_MS = 2 * SECOND_MS
/** A page that has not changed is read again after this time, because its figures depend on the time. */
const REREAD_AFTER_MS = 5 * MINUTE_MS

interface Deps {
  clock: Clock
  db: Queries
}

export class CopyRefresher {
  readonly #copies: StatusPageCopies
  #after: PageKey = FIRST_PAGE_KEY

  constructor(copies: StatusPageCopies) {
    this.#copies = copies
  }

  async run({ clock, db }: Deps, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + MAX_RUN_MS
    do {
      this.#after = (await this.#refreshBatch(db, clock.now(), signal)) ?? FIRST_PAGE_KEY
    } while (this.#after !== FIRST_PAGE_KEY && performance.now() < deadline && !signal.aborted)
    await this.#copies.store(signal)
    this.#copies.limitMemory()
  }

  /** Returns the last page that was compared, or undefined after the last page of all. */
  async #refreshBatch(db: Queries, now: Date, signal: AbortSignal): Promise<PageKey | undefined> {
    const isOld = (readAt: number) => now.getTime() - readAt > REREAD_AFTER_MS
    const knownPages = this.#copies.entries.map(({ slug, key, version, readAt }) => ({
      ...key,
      slug,
      version: isOld(readAt) ? '' : version,
    }))
    const range = { after: this.#after, limit: BATCH_SIZE }
    const { changed, deletedPageIds, next } = await listPagesToRefresh(db, knownPages, range, now)
    for (const { slug, pageId } of knownPages) if (deletedPageIds.includes(pageId)) await this.#copies.remove(slug)
    for (const version of changed) {
      if (signal.aborted) break
      await this.#copies.refresh(version)
    }
    return next
  }
}
