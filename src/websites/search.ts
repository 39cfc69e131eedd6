/** Searching the registry: found once, remembered as long as the user's list has the same version. */
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Tenant } from '../storage/tenant.ts'
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

interface Search {
  userId: number
  term: string
  listing: Listing
}

export async function searchPage(tenant: Tenant, memory: SearchMemory, search: Search): Promise<Page> {
  const { userId, term, listing } = search
  const ofPage = JSON.stringify([userId, term, listing])
  const known = memory.pages.get(ofPage)
  if (known !== undefined) {
    const { version, ...page } = await readFound(tenant, known.ids)
    if (version === known.version) return { ...page, total: known.total }
  }
  const found = await find(tenant, memory, search)
  memory.pages.set(ofPage, found)
  const { json, count } = await readFound(tenant, found.ids)
  return { json, count, total: found.total }
}

async function find(tenant: Tenant, memory: SearchMemory, { userId, term, listing }: Search): Promise<Found> {
  const few = await findFew(tenant, term, listing)
  if (few !== 'many') return few
  // The same for every page and in either order.
  const ofCount = JSON.stringify([userId, term, listing.favorite])
  const known = memory.counts.get(ofCount)
  // On a connection of its own: it may take long, and would hold up whoever shares the lane.
  const many = await tenant.transaction((q) => findMany(q, term, listing, known))
  memory.counts.set(ofCount, { version: many.version, total: many.total })
  return many
}
