/** Pages of monitors: searches in turn, because they look at every monitor that somebody has. */

import { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'
import { foldCase } from '../lib/text.ts'
import type { Tenant } from '../storage/tenant.ts'
import { listPage, type MonitorListQuery, type MonitorPage, searchPage } from './list-store.ts'

/** Of the connections for whole transactions; writing needs them too. */
const SEARCHES_AT_ONCE = 2
/** Longer than any name and URL, of which some letters have three when they are small. */
const TERM_MOST = 7_000

export class MonitorLists {
  readonly #searches = new ConcurrencyLimiter(SEARCHES_AT_ONCE)

  read(tenant: Tenant, userId: number, search: string, listing: MonitorListQuery): Promise<MonitorPage> {
    const term = foldCase(search.trim()).slice(0, TERM_MOST)
    if (term === '') return listPage(tenant, listing)
    return this.#searches.run(userId, () => tenant.snapshot((q) => searchPage(q, term, listing)))
  }
}
