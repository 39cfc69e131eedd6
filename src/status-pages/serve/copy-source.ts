/** Reads the pages that copies are made of. */
import type { Database } from '../../storage/database.ts'
import { type FoundPage, findPageBySlug } from '../load/find-page-store.ts'
import { findFirstHistoryMonth, loadHistoryMonth, type StatusHistoryMonth } from '../load/history.ts'
import { loadVersionedSnapshot } from '../load/versioned-snapshot.ts'
import { type PageKey, type PageVersion, readPageVersion } from '../load/versions.ts'
import { findLogo, type StoredLogo } from '../logo/store.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'
import { PageCopy } from './page-copy.ts'
import type { RenderBudget } from './render-budget.ts'

export interface LoadedCopy {
  copy: PageCopy
  version: string
}

export interface CopySource {
  /** Runs one short statement, so that the response time doesn't reveal whether the page exists. */
  findPage(slug: string): Promise<FoundPage | undefined>
  findVersion(slug: string, now: Date): Promise<PageVersion | undefined>
  /** If `knownLogo` has the hash that the page names, the logo is not read again. */
  load(key: PageKey, now: Date, knownLogo?: StoredLogo): Promise<LoadedCopy | undefined>
  loadHistoryMonth(snapshot: StatusPageSnapshot, month: string, now: Date): Promise<StatusHistoryMonth>
  findFirstHistoryMonth(snapshot: StatusPageSnapshot): Promise<string>
}

export function createCopySource(
  db: Database,
  { canSubscribe, renderBudget }: { canSubscribe: () => boolean; renderBudget: RenderBudget },
): CopySource {
  async function readLogo(key: PageKey, hash: string | null, knownLogo: StoredLogo | undefined) {
    if (hash === null || knownLogo?.contentHash === hash) return hash === null ? undefined : knownLogo
    return findLogo(db, key)
  }

  return {
    findPage: (slug) => findPageBySlug(db, slug),
    loadHistoryMonth: (snapshot, month, now) => loadHistoryMonth(db, snapshot, month, now),
    findFirstHistoryMonth: (snapshot) => findFirstHistoryMonth(db, snapshot),
    findVersion: (slug, now) => readPageVersion(db, { slug }, now),
    async load(key, now, knownLogo) {
      const loaded = await loadVersionedSnapshot(db, key, { now, canSubscribe: canSubscribe() })
      if (loaded === undefined) return undefined
      const { snapshot, version } = loaded
      const logo = await readLogo(key, snapshot.page.logoHash, knownLogo)
      // The constructor measures the size of the page. That takes time for a large page, so the time counts towards the
      // budget.
      const copy = renderBudget.spend(key.teamId, () => new PageCopy(snapshot, logo))
      copy.renderBudget = renderBudget
      return { copy, version: version.version }
    },
  }
}
