/** Lists and searches websites. Only a few slow reads run concurrently, and search results are cached. */
import { BoundedMap } from '../lib/bounded-map.ts'
import { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'
import { foldCase } from '../lib/text.ts'
import { MAX_DOMAIN_LENGTH } from '../shared/websites.ts'
import type { Queries } from '../storage/client.ts'
import type { Tenant } from '../storage/tenant.ts'
import {
  findFewMatches,
  findManyMatches,
  listWebsitePage,
  type MatchCount,
  type MatchedPage,
  readMatchedPage,
  type WebsiteListOptions,
  type WebsiteListPage,
} from './list-store.ts'

/** This limits the memory for the cache: a cached page has at most 100 IDs. */
const MAX_CACHED_PAGES = 1_000
/** There are five connections for transactions, and writes need them too. */
const MAX_CONCURRENT_SLOW_READS = 2
/** Skipping this many rows takes about 2 ms. */
const MAX_FAST_OFFSET = 5_000

export interface WebsiteListRequest {
  userId: number
  /** The search term; empty to list all websites. */
  term: string
  options: WebsiteListOptions
}

/** A term longer than any domain finds nothing, so it can be truncated. */
export function normalizeSearch(search = ''): string {
  return foldCase(search.trim()).slice(0, MAX_DOMAIN_LENGTH + 1)
}

const pageKeyOf = ({ userId, term, options }: WebsiteListRequest) => JSON.stringify([userId, term, options])
/** All pages and sort orders of a search share one count. */
const countKeyOf = ({ userId, term, options }: WebsiteListRequest) => JSON.stringify([userId, term, options.favorite])

export class WebsiteLists {
  readonly #counts = new BoundedMap<string, MatchCount>(MAX_CACHED_PAGES)
  readonly #pages = new BoundedMap<string, MatchedPage>(MAX_CACHED_PAGES)
  readonly #slowReads = new ConcurrencyLimiter(MAX_CONCURRENT_SLOW_READS)

  async read(tenant: Tenant, request: WebsiteListRequest): Promise<WebsiteListPage> {
    const page = await (request.term === '' ? this.#list(tenant, request) : this.#search(tenant, request))
    if (page !== undefined && page !== 'many') return page
    return this.#slowReads.run(request.userId, () => this.#readSlowly(tenant, request, page === 'many'))
  }

  async #list(tenant: Tenant, { options }: WebsiteListRequest): Promise<WebsiteListPage | undefined> {
    return options.offset > MAX_FAST_OFFSET ? undefined : listWebsitePage(tenant, options)
  }

  async #search(tenant: Tenant, request: WebsiteListRequest): Promise<WebsiteListPage | 'many' | undefined> {
    const cached = await this.#readCached(tenant, request)
    if (cached !== undefined) return cached
    const few = await findFewMatches(tenant, request.term, request.options)
    return few === 'many' ? few : this.#readMatched(tenant, request, few)
  }

  async #readCached(q: Queries, request: WebsiteListRequest): Promise<WebsiteListPage | undefined> {
    const cachedIds = this.#pages.get(pageKeyOf(request))
    return cachedIds && this.#readMatched(q, request, cachedIds)
  }

  /** Returns undefined if a website changed since the search. */
  async #readMatched(
    q: Queries,
    request: WebsiteListRequest,
    matched: MatchedPage,
  ): Promise<WebsiteListPage | undefined> {
    const { version, ...page } = await readMatchedPage(q, matched.ids)
    if (version !== matched.version) {
      this.#pages.delete(pageKeyOf(request))
      return undefined
    }
    this.#pages.set(pageKeyOf(request), matched)
    return { ...page, total: matched.total }
  }

  async #readSlowly(tenant: Tenant, request: WebsiteListRequest, hasManyMatches: boolean): Promise<WebsiteListPage> {
    // An earlier request in the queue may have read the same page.
    const cached = await this.#readCached(tenant, request)
    if (cached !== undefined) return cached
    const page = await tenant.snapshot(async (q) =>
      request.term === ''
        ? listWebsitePage(q, request.options)
        : this.#readMatched(q, request, await this.#find(q, request, hasManyMatches)),
    )
    // Within a snapshot nothing can change, so the page is never undefined.
    return page as WebsiteListPage
  }

  async #find(q: Queries, request: WebsiteListRequest, hasManyMatches: boolean): Promise<MatchedPage> {
    const { term, options } = request
    const few = hasManyMatches ? 'many' : await findFewMatches(q, term, options)
    if (few !== 'many') return few
    const many = await findManyMatches(q, term, options, this.#counts.get(countKeyOf(request)))
    this.#counts.set(countKeyOf(request), { version: many.version, total: many.total })
    return many
  }
}
