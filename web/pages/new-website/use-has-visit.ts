import { useState } from 'preact/hooks'
import { useLive } from '../../lib/live.ts'
import { queryClient, queryKeys, useOverview } from '../../lib/queries.ts'

/** Whether the first visit has been counted. Updates live. */
export function useHasVisit(websiteId: number): boolean {
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
