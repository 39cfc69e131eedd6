/** Refetches the statistics after new traffic, but waits for a delay between two refetches. */
import { useEffect, useRef } from 'preact/hooks'
import { useLive } from '../../lib/live.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'

const REFRESH_DELAY_MS = 2_000
/** This delay is longer, because the server computes filtered statistics from individual visits, which is slow. */
const FILTERED_REFRESH_DELAY_MS = 15_000

interface LiveStatisticsProps {
  websiteId: number
  isFiltered: boolean
  /** Whether the website still waits for its first visit. */
  isWaitingForTraffic: boolean
}

export function LiveStatistics({ websiteId, isFiltered, isWaitingForTraffic }: LiveStatisticsProps) {
  const timer = useRef<ReturnType<typeof setTimeout>>()
  useEffect(() => () => clearTimeout(timer.current), [])
  useLive({
    websiteId,
    onTraffic: () => {
      if (timer.current !== undefined) return
      const refresh = () => {
        timer.current = undefined
        const invalidate = (queryKey: readonly unknown[]) =>
          void queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false })
        invalidate(queryKeys.statistics(websiteId))
        if (isWaitingForTraffic) invalidate(queryKeys.overview)
      }
      const delayMs = isFiltered ? FILTERED_REFRESH_DELAY_MS : REFRESH_DELAY_MS
      timer.current = setTimeout(refresh, isWaitingForTraffic ? 0 : delayMs)
    },
  })
  return null
}
