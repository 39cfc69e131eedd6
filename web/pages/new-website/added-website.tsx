/** The setup steps after adding a website. The first visit ticks off its step as soon as it is counted. */
import { useState } from 'preact/hooks'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { queryClient, queryKeys, useOverview } from '../../lib/queries.ts'
import { useLive } from '../../lib/use-live.ts'
import { WebsiteSetup } from './setup-list.tsx'

export function AddedWebsite({ website }: { website: Pick<WebsiteRecord, 'id' | 'domain'> }) {
  // The form that had the focus is gone, so the instruction takes it.
  return <WebsiteSetup website={website} hasVisit={useHasVisit(website.id)} takesFocus />
}

/** Whether the first visit has been counted. Updates live. */
function useHasVisit(websiteId: number): boolean {
  const [isCounted, setCounted] = useState(false)
  useLive({
    websiteId,
    onTraffic: () => {
      setCounted(true)
      void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
    },
  })
  // Covers a visit that arrived before the live connection was open.
  const hadTraffic = useOverview().data?.websites.find(({ id }) => id === websiteId)?.has_traffic ?? false
  return isCounted || hadTraffic
}
