/** Reads what is set up already, and lists the setup steps. */
import { useQuery } from '@tanstack/preact-query'
import { reachabilityTypes } from '../../src/shared/overview-order.ts'
import type { WebsiteRecord } from '../../src/websites/schema.ts'
import { api, type ItemResponse } from './api.ts'
import { useArrivals } from './arrivals.ts'
import { boot } from './boot.ts'
import { useChannels } from './channels.ts'
import { queryKeys, useOverview } from './queries.ts'
import { useGoLive } from './server-settings.ts'
import { wasVerified } from './setup-memory.ts'
import { isSnippetInstalled, listSetupSteps, type SetupProgress, type SetupStep } from './setup-steps.ts'
import { useStatusPages } from './status-pages.ts'
import { useWatchedTargets } from './use-watched-targets.ts'

interface KnownProgress {
  /** Whether a visit has been counted. A page may know it before the overview does. */
  hasVisit?: boolean
  hasMonitor?: boolean | undefined
}

/** The steps for one website, or for an account that has none. */
export function useSetupSteps(
  website: { id: number; domain: string } | undefined,
  { hasVisit: isVisitKnown, hasMonitor }: KnownProgress = {},
): SetupStep[] {
  const { data: overview } = useOverview()
  const { data: channels } = useChannels()
  const { data: statusPages } = useStatusPages()
  const hasTraffic = overview?.websites.find(({ id }) => id === website?.id)?.has_traffic ?? false
  const hasVisit = isVisitKnown ?? hasTraffic
  const isVerified = website !== undefined && wasVerified(website.id)
  const needsArrivals = website !== undefined && !hasVisit && !isVerified
  const arrivals = useArrivals(website?.id ?? 0, { isEnabled: needsArrivals })
  const progress: SetupProgress = {
    website: website !== undefined,
    snippet: isSnippetInstalled({ hasVisit, isVerified, arrivals }),
    visit: hasVisit,
    monitor:
      hasMonitor ??
      overview?.monitors.some(({ website_id, type }) => website_id === website?.id && reachabilityTypes.includes(type)),
    channel: channels && channels.length > 0,
    live: useIsReadyToGoLive(),
    status: statusPages && statusPages.length > 0,
    domain: useIsDomainWatched(website),
    report: useHasReport(website),
  }
  const steps = listSetupSteps(progress, website?.domain)
  return boot.user?.is_admin ? steps : steps.filter(({ key }) => key !== 'live')
}

/** Only admins can change the settings of the server, so for other users the step counts as done. */
function useIsReadyToGoLive(): boolean | undefined {
  const isAdmin = boot.user?.is_admin ?? false
  const { data: items } = useGoLive({ enabled: isAdmin })
  return isAdmin ? items?.every(({ is_done }) => is_done) : true
}

function useIsDomainWatched(website: { id: number; domain: string } | undefined): boolean | undefined {
  const targets = useWatchedTargets(website)
  return website === undefined ? false : targets?.every(({ monitor }) => monitor !== undefined)
}

function useHasReport(website: { id: number } | undefined): boolean | undefined {
  const { data } = useQuery({
    queryKey: queryKeys.website(website?.id ?? 0),
    queryFn: async ({ signal }) =>
      (await api.get<ItemResponse<WebsiteRecord>>(`api/v1/websites/${website?.id}`, signal)).data,
    enabled: website !== undefined,
  })
  return website === undefined ? false : data && data.email === 1
}
