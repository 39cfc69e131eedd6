/** Searching the registry: found once, remembered as long as nothing changes. */
import type { Queries } from '../storage/client.ts'
import { type Found, findFew, findMany, type Listing, type Page, readFound } from './list-store.ts'

/** Of at most 100 ids each. */
const REMEMBERED_MOST = 1_000

/** What the latest searches found. A term that matches most of a long list is slow to count, so it is counted once. */
export class SearchMemory {
  readonly #found = new Map<string, Found>()

  recall(key: string): Found | undefined {
    return this.#found.get(key)
  }

  keep(key: string, found: Found): void {
    this.#found.delete(key)
    this.#found.set(key, found)
    const [oldest] = this.#found.keys()
    if (this.#found.size > REMEMBERED_MOST && oldest !== undefined) this.#found.delete(oldest)
  }
}

/** Domains are kept in lower case and in Unicode's composed form. */
export function termOf(search: string | undefined): string {
  return search?.trim().normalize('NFC').toLowerCase() ?? ''
}

export async function searchPage(
  q: Queries,
  memory: SearchMemory,
  { userId, term, listing }: { userId: number; term: string; listing: Listing },
): Promise<Page> {
  const key = JSON.stringify([userId, term, listing])
  const known = memory.recall(key)
  if (known !== undefined) {
    const { version, ...page } = await readFound(q, known.ids)
    if (version === known.version) return { ...page, total: known.total }
  }
  const few = await findFew(q, term, listing)
  const found = few === 'broad' ? await findMany(q, term, listing) : few
  memory.keep(key, found)
  const { json, count } = await readFound(q, found.ids)
  return { json, count, total: found.total }
}
