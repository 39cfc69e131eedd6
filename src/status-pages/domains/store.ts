/** SQL for the custom domains of status pages. */
import type { Queries } from '../../storage/transaction.ts'

export interface StoredDomain {
  domain: string
  slug: string
}

/** Reads the verified domains of all users. */
export async function readCustomDomains(q: Queries): Promise<StoredDomain[]> {
  return q.query<StoredDomain & Record<string, unknown>>(
    'select custom_domain as domain, slug from status_pages where custom_domain_verified_at is not null',
  )
}
