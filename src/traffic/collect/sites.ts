/** The websites that events are judged by, as they were when last asked for. Whoever writes finds out whether they still are. */
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Queries } from '../../storage/client.ts'
import { candidatesOf } from './find-site.ts'
import { findSites, type Known, stateOf, type TrackedSite } from './site-store.ts'

/** Domains that somebody sent, and the ends of them. */
const REMEMBERED = 10_000

export interface Sites extends Known {
  byDomain: ReadonlyMap<string, TrackedSite>
}

export class SiteMemory {
  readonly #known = new BoundedMap<string, TrackedSite>(REMEMBERED)
  /** Names that nobody has registered. Apart, so that no flood of them drives out those that are. */
  readonly #unknown = new BoundedMap<string, null>(REMEMBERED)

  /** Asks only for what nobody has asked for before. */
  async recall(q: Queries, domains: Iterable<string>): Promise<Sites> {
    const candidates = [...new Set([...domains].flatMap(candidatesOf))]
    const found = candidates.map((domain) => this.#known.get(domain) ?? this.#unknown.get(domain))
    return found.includes(undefined) ? this.#ask(q, candidates) : gather(candidates, found as (TrackedSite | null)[])
  }

  async renew(q: Queries, { domains }: Sites): Promise<Sites> {
    return this.#ask(q, domains)
  }

  async #ask(q: Queries, candidates: readonly string[]): Promise<Sites> {
    const found = new Map((await findSites(q, candidates)).map((site) => [site.domain, site]))
    const sites = candidates.map((domain) => found.get(domain) ?? null)
    for (const [index, domain] of candidates.entries()) this.#note(domain, sites[index] ?? null)
    return gather(candidates, sites)
  }

  #note(domain: string, site: TrackedSite | null): void {
    if (site === null) {
      this.#known.delete(domain)
      this.#unknown.set(domain, null)
    } else {
      this.#unknown.delete(domain)
      this.#known.set(domain, site)
    }
  }
}

function gather(domains: readonly string[], sites: readonly (TrackedSite | null)[]): Sites {
  const there = sites.filter((site) => site !== null)
  return { domains, state: stateOf(there), byDomain: new Map(there.map((site) => [site.domain, site])) }
}
