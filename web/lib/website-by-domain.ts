/** Which website an address means, and what the reader is to it. */
import { boot } from './boot.ts'
import { type OverviewMonitor, useOverview } from './queries.ts'

export interface ShownWebsite {
  id: number
  domain: string
  timeZone: string
  isOwner: boolean
  /** What the server said when the page was loaded. */
  isLocked: boolean
  /** The rest only the owner knows. undefined: not yet. */
  hasTraffic: boolean | undefined
  visitorsNow?: number
  monitors: readonly OverviewMonitor[]
}

/** What the page says of the website it was loaded at: all that a guest can know. Elsewhere it speaks of another one. */
export function websiteLoadedAt(domain: string): ShownWebsite | undefined {
  const { website } = boot
  if (website?.domain !== domain) return undefined
  const { id, time_zone: timeZone, is_owner: isOwner, is_locked: isLocked } = website
  return { id, domain, timeZone, isOwner, isLocked, hasTraffic: true, monitors: [] }
}

type Found = { website: ShownWebsite } | { isLoading: true } | { error: unknown; retry: () => void } | undefined

/** For whoever is signed in; undefined where there is nothing to see. */
export function useWebsiteAt(domain: string): Found {
  const overview = useOverview()
  const own = overview.data?.websites.find((website) => website.domain === domain)
  if (own !== undefined) {
    const monitors = overview.data?.monitors.filter(({ website_id }) => website_id === own.id) ?? []
    const { id, time_zone: timeZone, has_traffic: hasTraffic, visitors_now: visitorsNow } = own
    return { website: { id, domain, timeZone, isOwner: true, isLocked: false, hasTraffic, visitorsNow, monitors } }
  }
  const loaded = websiteLoadedAt(domain)
  // Of their own that is not there any more, it was deleted since the page was loaded.
  const isGone = loaded?.isOwner && overview.isSuccess && !overview.isFetching
  if (loaded !== undefined && !isGone) {
    const isAsked = loaded.isOwner && overview.isFetching
    return { website: isAsked ? { ...loaded, hasTraffic: undefined } : loaded }
  }
  // A website that was just added may not be in what was asked for before.
  if (overview.isFetching) return { isLoading: true }
  return overview.isError ? { error: overview.error, retry: () => void overview.refetch() } : undefined
}
