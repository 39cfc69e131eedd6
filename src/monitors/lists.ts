/** Reads pages of monitors. A search scans all monitors of a user, so only a few searches run at the same time. */

import { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'
import { foldCase } from '../lib/text.ts'
import type { Tenant } from '../storage/tenant.ts'
import { type MonitorListQuery, type MonitorPage, readMonitorPage, searchMonitors } from './list-store.ts'

/** Each search occupies a connection of the transaction pool, which writes need too. */
const MAX_CONCURRENT_SEARCHES = 2
/**
 * Longer search terms are cut to this length. That changes no result: a monitor's name and URL together are shorter,
 * even if `foldCase` turns each of their characters into three. So neither the whole term nor the cut one matches.
 */
const MAX_SEARCH_TERM_LENGTH = 7_000

export class MonitorLists {
  readonly #searchLimiter = new ConcurrencyLimiter(MAX_CONCURRENT_SEARCHES)

  read(tenant: Tenant, teamId: number, search: string, query: MonitorListQuery): Promise<MonitorPage> {
    const term = foldCase(search.trim()).slice(0, MAX_SEARCH_TERM_LENGTH)
    if (term === '') return readMonitorPage(tenant, query)
    return this.#searchLimiter.run(teamId, () => tenant.snapshot((q) => searchMonitors(q, term, query)))
  }
}
