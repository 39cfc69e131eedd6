/** Refetches the page's data when live events change the monitor, and announces status changes to screen readers. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'

const statusPhrases = {
  up: 'is up',
  down: 'is down',
  paused: 'is paused',
  pending: 'is waiting for a check',
} as const

/** Returns the text for screen readers, which is empty until the status changes. */
export function useLiveRefresh(monitor: MonitorRecord): string {
  const { id, friendly_name, status, last_checked_at } = monitor
  const previous = useRef({ status, last_checked_at })
  const [screenReaderText, setScreenReaderText] = useState('')
  useDailyUptimeRefresh(monitor)
  useEffect(() => {
    const before = previous.current
    previous.current = { status, last_checked_at }
    if (before.status !== status) {
      setScreenReaderText(`${friendly_name} ${statusPhrases[status]}.`)
      for (const queryKey of [
        queryKeys.checks(id),
        queryKeys.incidents(id),
        queryKeys.alerts(id),
        queryKeys.beats(id),
      ]) {
        void queryClient.invalidateQueries({ queryKey })
      }
    } else if (before.last_checked_at !== last_checked_at) {
      void queryClient.invalidateQueries({ queryKey: queryKeys.checksInWindow(id, '24h') })
      void queryClient.invalidateQueries({ queryKey: queryKeys.beats(id) })
    }
  }, [id, friendly_name, status, last_checked_at])
  return screenReaderText
}

/**
 * Daily uptime is part of the overview. Fetching it is expensive for users with thousands of monitors, so it is
 * refetched at most this often.
 */
const MIN_REFETCH_INTERVAL_MS = 10_000
const REFETCH_INTERVAL_WHILE_DOWN_MS = 30_000
let lastRefetchAt = 0

/** Refetches the overview after a status change, and repeatedly while the monitor is down, because downtime grows. */
function useDailyUptimeRefresh({ status }: MonitorRecord): void {
  const previousStatus = useRef(status)
  useEffect(() => {
    if (previousStatus.current === status && status !== 'down') return
    const hasChanged = previousStatus.current !== status
    previousStatus.current = status
    let timer: ReturnType<typeof setTimeout>
    const refetchIn = (ms: number) => {
      timer = setTimeout(() => {
        lastRefetchAt = Date.now()
        void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
        if (status === 'down') refetchIn(REFETCH_INTERVAL_WHILE_DOWN_MS)
      }, ms)
    }
    const minDelayMs = Math.max(0, lastRefetchAt + MIN_REFETCH_INTERVAL_MS - Date.now())
    refetchIn(hasChanged ? minDelayMs : REFETCH_INTERVAL_WHILE_DOWN_MS)
    return () => clearTimeout(timer)
  }, [status])
}
