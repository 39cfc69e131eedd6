/** Asks again when something new was counted; not more often than the answer is worth. */
import { useEffect, useRef } from 'preact/hooks'
import { useLive } from '../../lib/live.ts'
import { queryKeys, queryClient } from '../../lib/queries.ts'

/** What is filtered is counted event by event. */
const PAUSE_MS = 2_000
const FILTERED_PAUSE_MS = 15_000

interface LiveTrafficProps {
  websiteId: number
  isFiltered: boolean
  /** Nothing was ever counted: whether that has changed is what matters. */
  isWaiting: boolean
}

export function LiveTraffic({ websiteId, isFiltered, isWaiting }: LiveTrafficProps) {
  const timer = useRef<ReturnType<typeof setTimeout>>()
  useEffect(() => () => clearTimeout(timer.current), [])
  useLive({
    website: websiteId,
    onTraffic: () => {
      if (timer.current !== undefined) return
      const look = () => {
        timer.current = undefined
        const ask = (queryKey: readonly unknown[]) =>
          void queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false })
        ask(queryKeys.statistics(websiteId))
        if (isWaiting) ask(queryKeys.overview)
      }
      const pause = isFiltered ? FILTERED_PAUSE_MS : PAUSE_MS
      timer.current = setTimeout(look, isWaiting ? 0 : pause)
    },
  })
  return null
}
