/**
 * Keeps in memory which status page each custom domain shows, so that no request needs a query, and domains work while
 * the database is unavailable.
 */
import type { Queries } from '../../storage/transaction.ts'
import { readCustomDomains } from './store.ts'

export class CustomDomains {
  #slugs: ReadonlyMap<string, string> | undefined
  readonly #findStoredSlug: (domain: string) => string | undefined
  #startedReads = 0
  #appliedRead = 0

  /** `findStoredSlug` is used until the domains have been read for the first time: it finds pages that have a copy on disk. */
  constructor(findStoredSlug: (domain: string) => string | undefined) {
    this.#findStoredSlug = findStoredSlug
  }

  /** `domain` is in lower case and has no port. */
  findSlug(domain: string): string | undefined {
    return this.#slugs === undefined ? this.#findStoredSlug(domain) : this.#slugs.get(domain)
  }

  /** Call it after every change by this node, and regularly, because other nodes change domains, too. */
  async refresh(db: Queries): Promise<void> {
    const read = ++this.#startedReads
    const domains = await readCustomDomains(db)
    // Reads can overlap. If a read that began later has already been applied, these domains are older.
    if (read < this.#appliedRead) return
    this.#appliedRead = read
    this.#slugs = new Map(domains.map(({ domain, slug }) => [domain, slug]))
  }
}
