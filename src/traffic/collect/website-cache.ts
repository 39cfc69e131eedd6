/** Caches websites by domain. An entry may be stale: `insertBatchOnce` detects that when it stores a batch. */

import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Queries } from '../../storage/transaction.ts'
import type { WebsiteVersions } from '../inbox/store.ts'
import { listCandidateDomains } from '../model/candidate-domains.ts'
import { findTrackedWebsites, formatWebsiteVersions, type TrackedWebsite } from './store.ts'

/** The size of each of the two caches. They hold the domains that trackers sent, and their parent domains. */
const MAX_CACHED_DOMAINS = 10_000

export interface WebsiteSnapshot extends WebsiteVersions {
  byDomain: ReadonlyMap<string, TrackedWebsite>
}

export class WebsiteCache {
  readonly #registeredWebsites = new BoundedMap<string, TrackedWebsite>(MAX_CACHED_DOMAINS)
  /** A separate cache, so that a flood of unregistered domains cannot evict registered ones. */
  readonly #unregisteredDomains = new BoundedMap<string, null>(MAX_CACHED_DOMAINS)

  /** Queries the database only if one of the domains, or of their parent domains, is not cached. */
  async load(q: Queries, domains: Iterable<string>): Promise<WebsiteSnapshot> {
    const candidates = [...new Set([...domains].flatMap(listCandidateDomains))]
    const cachedWebsites = candidates.map(
      (domain) => this.#registeredWebsites.get(domain) ?? this.#unregisteredDomains.get(domain),
    )
    if (cachedWebsites.includes(undefined)) return this.#read(q, candidates)
    return toSnapshot(candidates, cachedWebsites as (TrackedWebsite | null)[])
  }

  /** Returns undefined if the website is not in the cache. */
  findCachedId(domain: string): number | undefined {
    const website = this.#registeredWebsites.get(domain)
    if (website !== undefined) return website.id
    for (const candidate of listCandidateDomains(domain)) {
      const parentWebsite = this.#registeredWebsites.get(candidate)
      if (parentWebsite !== undefined) return parentWebsite.id
    }
    return undefined
  }

  async reload(q: Queries, { domains }: WebsiteSnapshot): Promise<WebsiteSnapshot> {
    return this.#read(q, domains)
  }

  async #read(q: Queries, candidates: readonly string[]): Promise<WebsiteSnapshot> {
    const byDomain = new Map((await findTrackedWebsites(q, candidates)).map((website) => [website.domain, website]))
    const websites = candidates.map((domain) => byDomain.get(domain) ?? null)
    for (const [index, domain] of candidates.entries()) this.#store(domain, websites[index] ?? null)
    return toSnapshot(candidates, websites)
  }

  #store(domain: string, website: TrackedWebsite | null): void {
    if (website === null) {
      this.#registeredWebsites.delete(domain)
      this.#unregisteredDomains.set(domain, null)
    } else {
      this.#unregisteredDomains.delete(domain)
      this.#registeredWebsites.set(domain, website)
    }
  }
}

function toSnapshot(domains: readonly string[], websites: readonly (TrackedWebsite | null)[]): WebsiteSnapshot {
  const registeredWebsites = websites.filter((website) => website !== null)
  return {
    domains,
    versionsText: formatWebsiteVersions(registeredWebsites),
    byDomain: new Map(registeredWebsites.map((website) => [website.domain, website])),
  }
}
