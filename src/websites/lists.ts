/** Pages of the registry: the quick ones at once, the slow ones in turn, and what was found remembered. */
import { BoundedMap } from '../lib/bounded-map.ts'
import { foldCase } from '../lib/text.ts'
import { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'
import { MAX_DOMAIN_LENGTH } from '../shared/websites.ts'
import type { Queries } from '../storage/client.ts'
import type { Tenant } from '../storage/tenant.ts'
import {
  type Count,
  type Found,
  findFew,
  findMany,
  type Listing,
  listPage,
  type Page,
  readFound,
} from './list-store.ts'

/** A page remembers at most 100 ids. */
const REMEMBERED_MOST = 1_000
/** Of the five connections for whole transactions; writing needs them too. */
const SLOW_AT_ONCE = 2
/** Passing over so many websites takes about 2 ms. */
const DEEP = 5_000

export interface Wanted {
  userId: number
  /** Empty: no search. */
  term: string
  listing: Listing
}

/** More letters than a domain can have find nothing, as the first of them do. */
export function termOf(search = ''): string {
  return foldCase(search.trim()).slice(0, MAX_DOMAIN_LENGTH + 1)
}

const keyOfPage = ({ userId, term, listing }: Wanted) => JSON.stringify([userId, term, listing])
/** The same for every page and in either order. */
const keyOfCount = ({ userId, term, listing }: Wanted) => JSON.stringify([userId, term, listing.favorite])

export class WebsiteLists {
  readonly #counts = new BoundedMap<string, Count>(REMEMBERED_MOST)
  readonly #pages = new BoundedMap<string, Found>(REMEMBERED_MOST)
  readonly #slow = new ConcurrencyLimiter(SLOW_AT_ONCE)

  async read(tenant: Tenant, wanted: Wanted): Promise<Page> {
    const page = await (wanted.term === '' ? this.#list(tenant, wanted) : this.#search(tenant, wanted))
    if (page !== undefined && page !== 'many') return page
    return this.#slow.run(wanted.userId, () => this.#readInTurn(tenant, wanted, page === 'many'))
  }

  async #list(tenant: Tenant, { listing }: Wanted): Promise<Page | undefined> {
    return listing.offset > DEEP ? undefined : listPage(tenant, listing)
  }

  async #search(tenant: Tenant, wanted: Wanted): Promise<Page | 'many' | undefined> {
    const remembered = await this.#recall(tenant, wanted)
    if (remembered !== undefined) return remembered
    const few = await findFew(tenant, wanted.term, wanted.listing)
    return few === 'many' ? few : this.#readFound(tenant, wanted, few)
  }

  async #recall(q: Queries, wanted: Wanted): Promise<Page | undefined> {
    const found = this.#pages.get(keyOfPage(wanted))
    return found && this.#readFound(q, wanted, found)
  }

  /** undefined: something changed since it was found. */
  async #readFound(q: Queries, wanted: Wanted, found: Found): Promise<Page | undefined> {
    const { version, ...page } = await readFound(q, found.ids)
    if (version !== found.version) {
      this.#pages.delete(keyOfPage(wanted))
      return undefined
    }
    this.#pages.set(keyOfPage(wanted), found)
    return { ...page, total: found.total }
  }

  async #readInTurn(tenant: Tenant, wanted: Wanted, isMany: boolean): Promise<Page> {
    // Whoever was before us may have wanted the same.
    const remembered = await this.#recall(tenant, wanted)
    if (remembered !== undefined) return remembered
    const page = await tenant.snapshot(async (q) =>
      wanted.term === ''
        ? listPage(q, wanted.listing)
        : this.#readFound(q, wanted, await this.#find(q, wanted, isMany)),
    )
    // At one moment nothing changes.
    return page as Page
  }

  async #find(q: Queries, wanted: Wanted, isMany: boolean): Promise<Found> {
    const { term, listing } = wanted
    const few = isMany ? 'many' : await findFew(q, term, listing)
    if (few !== 'many') return few
    const many = await findMany(q, term, listing, this.#counts.get(keyOfCount(wanted)))
    this.#counts.set(keyOfCount(wanted), { version: many.version, total: many.total })
    return many
  }
}
