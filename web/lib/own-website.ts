/** Which of my websites has this domain. */
import { boot } from './boot.ts'
import { useOverview } from './queries.ts'

type Found =
  | { state: 'loading' }
  | { state: 'found'; id: number }
  | { state: 'none' }
  | { state: 'failed'; error: unknown }

/** The page may have been loaded at this address, which then says it; otherwise the overview knows. */
export function useOwnWebsite(domain: string): Found {
  const overview = useOverview()
  if (boot.website?.domain === domain && boot.website.is_owner) return { state: 'found', id: boot.website.id }
  const found = overview.data?.websites.find((website) => website.domain === domain)
  if (found !== undefined) return { state: 'found', id: found.id }
  if (overview.isError) return { state: 'failed', error: overview.error }
  return overview.isFetching ? { state: 'loading' } : { state: 'none' }
}
