/** Finds the website for the domain in the URL, and whether it belongs to the viewer's team. */
import { boot } from './boot.ts'
import { type OverviewMonitor, useOverview } from './queries.ts'

export interface ShownWebsite {
  id: number
  domain: string
  timeZone: string
  isOwner: boolean
  isSample: boolean
  /** Whether the statistics needed a password when the page was loaded. */
  isLocked: boolean
  /** Whether the website has ever had traffic. Always true for visitors; undefined while the data of the team is loading. */
  hasTraffic: boolean | undefined
  visitorsNow?: number
  monitors: readonly OverviewMonitor[]
}

/** Returns the website that the server embedded in the first HTML. Visitors have no overview, so it is their only source. */
export function findBootWebsite(domain: string): ShownWebsite | undefined {
  const { website } = boot
  if (website?.domain !== domain) return undefined
  const { id, time_zone: timeZone, is_owner: isOwner, is_locked: isLocked, is_sample: isSample } = website
  return { id, domain, timeZone, isOwner, isSample, isLocked, hasTraffic: true, monitors: [] }
}

type WebsiteLookup = { website: ShownWebsite } | { isLoading: true } | { error: unknown; retry: () => void } | undefined

/** For signed-in users. Returns undefined if the website doesn't exist or the user can't see it. */
export function useWebsiteByDomain(domain: string): WebsiteLookup {
  const overview = useOverview()
  const ownWebsite = overview.data?.websites.find((website) => website.domain === domain)
  if (ownWebsite !== undefined) {
    const monitors = overview.data?.monitors.filter(({ website_id }) => website_id === ownWebsite.id) ?? []
    const { id, time_zone: timeZone, is_sample: isSample, has_traffic: hasTraffic } = ownWebsite
    const { visitors_now: visitorsNow } = ownWebsite
    const shownWebsite = { id, domain, timeZone, isOwner: true, isSample, isLocked: false, hasTraffic, visitorsNow }
    return { website: { ...shownWebsite, monitors } }
  }
  const bootWebsite = findBootWebsite(domain)
  // The owner's overview doesn't list the website. If the overview is up to date, the website was deleted after the
  // page load.
  const isDeleted = bootWebsite?.isOwner && overview.isSuccess && !overview.isFetching
  if (bootWebsite !== undefined && !isDeleted) {
    const isOwnerDataLoading = bootWebsite.isOwner && overview.isFetching
    return { website: isOwnerDataLoading ? { ...bootWebsite, hasTraffic: undefined } : bootWebsite }
  }
  // The cached overview may be older than a website that was just added.
  if (overview.isFetching) return { isLoading: true }
  return overview.isError ? { error: overview.error, retry: () => void overview.refetch() } : undefined
}
