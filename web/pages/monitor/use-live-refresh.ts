/** Keeps what is shown true while checks go on, and says aloud when the status changes. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { queryKeys, queryClient } from '../../lib/queries.ts'

const announcements = {
  up: 'is up',
  down: 'is down',
  paused: 'is paused',
  pending: 'is waiting for a check',
} as const

/** Answers with what there is to say, which is nothing at first. */
export function useFollow(monitor: MonitorRecord): string {
  const { id, friendly_name, status, last_checked_at } = monitor
  const seen = useRef({ status, last_checked_at })
  const [said, setSaid] = useState('')
  useFreshDays(monitor)
  useEffect(() => {
    const before = seen.current
    seen.current = { status, last_checked_at }
    if (before.status !== status) {
      setSaid(`${friendly_name} ${announcements[status]}.`)
      for (const queryKey of [queryKeys.checks(id), queryKeys.incidents(id), queryKeys.sent(id)]) {
        void queryClient.invalidateQueries({ queryKey })
      }
    } else if (before.last_checked_at !== last_checked_at) {
      void queryClient.invalidateQueries({ queryKey: queryKeys.checksOf(id, '24h') })
    }
  }, [id, friendly_name, status, last_checked_at])
  return said
}

/** The days come with those of all other monitors, which is long to read for whoever has thousands. */
const DAYS_MS = 10_000
const DAYS_WHILE_DOWN_MS = 30_000
let daysAskedAt = 0

/** Its days after a change of its status, and again and again while it is down: the time lost grows. */
function useFreshDays({ status }: MonitorRecord): void {
  const seen = useRef(status)
  useEffect(() => {
    if (seen.current === status && status !== 'down') return
    const isChange = seen.current !== status
    seen.current = status
    let timer: ReturnType<typeof setTimeout>
    const askIn = (ms: number) => {
      timer = setTimeout(() => {
        daysAskedAt = Date.now()
        void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
        if (status === 'down') askIn(DAYS_WHILE_DOWN_MS)
      }, ms)
    }
    askIn(isChange ? Math.max(0, daysAskedAt + DAYS_MS - Date.now()) : DAYS_WHILE_DOWN_MS)
    return () => clearTimeout(timer)
  }, [status])
}
