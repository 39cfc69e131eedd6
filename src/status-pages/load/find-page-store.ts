/** SQL that finds the page of a visitor's request. */
import type { Privacy } from '../../shared/websites.ts'
import type { Queries } from '../../storage/transaction.ts'

export interface FoundPage {
  teamId: number
  pageId: number
  slug: string
  privacy: Privacy
  passwordHash: string | null
}

/** Finds pages of all users, so `q` must have access to all users' rows. */
export async function findPageBySlug(q: Queries, slug: string): Promise<FoundPage | undefined> {
  const [page] = await q.query<FoundPage & Record<string, unknown>>(
    `select user_id as "teamId", id as "pageId", slug, privacy, password_hash as "passwordHash"
       from status_pages
      where slug = $1`,
    [slug],
  )
  return page
}
