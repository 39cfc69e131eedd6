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
  useEffect(() => {
    const before = previous.current
    previous.current = { status, last_checked_at }
    if (before.status !== status) {
      setScreenReaderText(`${friendly_name} ${statusPhrases[status]}.`)
      for (const queryKey of [
        queryKeys.checks(id),
        queryKeys.uptime(id),
        queryKeys.incidents(id),
        queryKeys.alerts(id),
        queryKeys.beats(id),
      ]) {
        void queryClient.invalidateQueries({ queryKey })
      }
    } else if (before.last_checked_at !== last_checked_at) {
      void queryClient.invalidateQueries({ queryKey: queryKeys.checksInWindow(id, '24h') })
      void queryClient.invalidateQueries({ queryKey: queryKeys.uptime(id) })
      void queryClient.invalidateQueries({ queryKey: queryKeys.beats(id) })
    }
  }, [id, friendly_name, status, last_checked_at])
  return screenReaderText
}
