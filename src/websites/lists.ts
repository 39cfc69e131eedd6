/** Lists and searches websites. Only a few slow reads run concurrently, and search results are cached. */
import { BoundedMap } from '../lib/bounded-map.ts'
import { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'
import { foldCase } from '../lib/text.ts'
import { isGuest } from '../shared/roles.ts'
import { MAX_DOMAIN_LENGTH } from '../shared/websites.ts'
import type { Caller } from '../storage/caller.ts'
import type { Tenant } from '../storage/tenant.ts'
import type { Queries } from '../storage/transaction.ts'
import {
  findFewMatches,
  findManyMatches,
  listWebsitePage,
  type MatchCount,
  type MatchedPage,
  NO_VERSION,
  readMatchedPage,
  scanWebsitePage,
  type WebsiteListOptions,
  type WebsiteListPage,
} from './list-store.ts'

/** Limits the memory of the cache. A cached page has at most 100 IDs. */
const MAX_CACHED_PAGES = 1_000
/** By default, there are five connections for transactions, and writes need them, too. */
const MAX_CONCURRENT_SLOW_READS = 2
/** Pages with a larger offset count as slow reads. PostgreSQL takes about 2 ms to skip this many rows. */
const MAX_FAST_OFFSET = 5_000

export interface WebsiteListRequest {
  caller: Pick<Caller, 'teamId' | 'role'>
  /** The search term; empty to list all websites. */
  term: string
  options: WebsiteListOptions
}

/** A term longer than any domain finds nothing, so it can be truncated. */
export function normalizeSearch(search = ''): string {
  return foldCase(search.trim()).slice(0, MAX_DOMAIN_LENGTH + 1)
}

const pageKeyOf = ({ caller, term, options }: WebsiteListRequest) => JSON.stringify([caller.teamId, term, options])
/** All pages and sort orders of a search share one count. */
const countKeyOf = ({ caller, term, options }: WebsiteListRequest) =>
  JSON.stringify([caller.teamId, term, options.favorite])

export class WebsiteLists {
  readonly #cachedCounts = new BoundedMap<string, MatchCount>(MAX_CACHED_PAGES)
  readonly #cachedPages = new BoundedMap<string, MatchedPage>(MAX_CACHED_PAGES)
  readonly #slowReads = new ConcurrencyLimiter(MAX_CONCURRENT_SLOW_READS)

  async read(tenant: Tenant, request: WebsiteListRequest): Promise<WebsiteListPage> {
    const { caller, term, options } = request
    const { teamId } = caller
    // The stored counts, and the results of earlier searches, include what is not shared with a guest. `caller.role` may be
    // out of date. If the caller has become a guest in the meantime, the queries below find no counts, and the page is read again without them.
    if (options.tagKeys.length > 0 || isGuest(caller.role)) {
      return this.#slowReads.run(teamId, () => tenant.snapshot((q) => scanWebsitePage(q, term, options)))
    }
    const page = await (request.term === '' ? this.#list(tenant, request) : this.#search(tenant, request))
    if (page !== undefined && page !== 'many') return page
    return this.#slowReads.run(teamId, () => this.#readSlowly(tenant, request, page === 'many'))
  }

  async #list(tenant: Tenant, { options }: WebsiteListRequest): Promise<WebsiteListPage | undefined> {
    return options.offset > MAX_FAST_OFFSET ? undefined : listWebsitePage(tenant, options)
  }

  async #search(tenant: Tenant, request: WebsiteListRequest): Promise<WebsiteListPage | 'many' | undefined> {
    const cachedPage = await this.#readCached(tenant, request)
    if (cachedPage !== undefined) return cachedPage
    const pageOrMany = await findFewMatches(tenant, request.term, request.options)
    return pageOrMany === 'many' ? pageOrMany : this.#readMatched(tenant, request, pageOrMany)
  }

  async #readCached(q: Queries, request: WebsiteListRequest): Promise<WebsiteListPage | undefined> {
    const cachedMatches = this.#cachedPages.get(pageKeyOf(request))
    return cachedMatches && this.#readMatched(q, request, cachedMatches)
  }

  /** Returns undefined if the team added or deleted a website, or changed a favorite flag, after the search, or if there is no count for the caller. */
  async #readMatched(
    q: Queries,
    request: WebsiteListRequest,
    matchedPage: MatchedPage,
  ): Promise<WebsiteListPage | undefined> {
    const { version, ...page } = await readMatchedPage(q, matchedPage.ids)
    if (version === NO_VERSION) return undefined
    if (version !== matchedPage.version) {
      this.#cachedPages.delete(pageKeyOf(request))
      return undefined
    }
    this.#cachedPages.set(pageKeyOf(request), matchedPage)
    return { ...page, total: matchedPage.total }
  }

  async #readSlowly(tenant: Tenant, request: WebsiteListRequest, hasManyMatches: boolean): Promise<WebsiteListPage> {
    // An earlier request in the queue may have read the same page.
    const cachedPage = await this.#readCached(tenant, request)
    if (cachedPage !== undefined) return cachedPage
    const { term, options } = request
    return tenant.snapshot(async (q) => {
      const page =
        term === ''
          ? await listWebsitePage(q, options)
          : await this.#readMatched(q, request, await this.#findMatches(q, request, hasManyMatches))
      // The statements use the same snapshot, in which no website changes, so the page is undefined only if there is no count for the caller.
      return page ?? scanWebsitePage(q, term, options)
    })
  }

  async #findMatches(q: Queries, request: WebsiteListRequest, hasManyMatches: boolean): Promise<MatchedPage> {
    const { term, options } = request
    const pageOrMany = hasManyMatches ? 'many' : await findFewMatches(q, term, options)
    if (pageOrMany !== 'many') return pageOrMany
    const page = await findManyMatches(q, term, options, this.#cachedCounts.get(countKeyOf(request)))
    const { version, total } = page
    if (version !== NO_VERSION) this.#cachedCounts.set(countKeyOf(request), { version, total })
    return page
  }
}
