/** SQL that finds a page from what a visitor's request names: the slug in its path, or the host of a custom domain. */
import type { Privacy } from '../../shared/websites.ts'
import type { Queries } from '../../storage/client.ts'

export interface FoundPage {
  userId: number
  pageId: number
  slug: string
  privacy: Privacy
  passwordHash: string | null
}

/** Finds pages of all users, so `q` must have access to all users' rows. */
export async function findPageBySlug(q: Queries, slug: string): Promise<FoundPage | undefined> {
  const [page] = await q.query<FoundPage & Record<string, unknown>>(
    `select user_id as "userId", id as "pageId", slug, privacy, password_hash as "passwordHash"
       from status_pages
      where slug = $1`,
    [slug],
  )
  return page
}

/** `host` is the name alone, in lower case and without a port. Finds pages of all users, like `findPageBySlug`. */
export async function findPageByDomain(q: Queries, host: string): Promise<FoundPage | undefined> {
  const [page] = await q.query<FoundPage & Record<string, unknown>>(
    `select user_id as "userId", id as "pageId", slug, privacy, password_hash as "passwordHash"
       from status_pages
      where custom_domain = $1`,
    [host],
  )
  return page
}
