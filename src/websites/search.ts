/** Searching the registry: found once, remembered as long as the user's list has the same version. */
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Queries } from '../storage/client.ts'
import { DOMAIN_MOST } from './domain.ts'
import { type Count, type Found, findFew, findMany, type Listing, type Page, readFound } from './list-store.ts'

/** A page remembers at most 100 ids. */
const REMEMBERED_MOST = 1_000

/** What the latest searches found. One that matches much of a long list is slow to count, so it is counted once. */
export class SearchMemory {
  readonly counts = new BoundedMap<string, Count>(REMEMBERED_MOST)
  readonly pages = new BoundedMap<string, Found>(REMEMBERED_MOST)
}

/** Domains are kept in lower case and in Unicode's composed form. More than a domain can have is as good as all of it. */
export function termOf(search: string | undefined): string {
  return (
    search
      ?.trim()
      .normalize('NFC')
      .toLowerCase()
      .slice(0, DOMAIN_MOST + 1) ?? ''
  )
}

export async function searchPage(
  q: Queries,
  memory: SearchMemory,
  { userId, term, listing }: { userId: number; term: string; listing: Listing },
): Promise<Page> {
  const ofPage = JSON.stringify([userId, term, listing])
  const known = memory.pages.get(ofPage)
  if (known !== undefined) {
    const { version, ...page } = await readFound(q, known.ids)
    if (version === known.version) return { ...page, total: known.total }
  }
  const found = await find(q, memory, { userId, term, listing })
  memory.pages.set(ofPage, found)
  const { json, count } = await readFound(q, found.ids)
  return { json, count, total: found.total }
}

async function find(
  q: Queries,
  memory: SearchMemory,
  { userId, term, listing }: { userId: number; term: string; listing: Listing },
): Promise<Found> {
  const few = await findFew(q, term, listing)
  if (few !== 'many') return few
  // The same for every page and in either order.
  const ofCount = JSON.stringify([userId, term, listing.favorite])
  const many = await findMany(q, term, listing, memory.counts.get(ofCount))
  memory.counts.set(ofCount, { version: many.version, total: many.total })
  return many
}
