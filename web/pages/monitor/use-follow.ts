/** Keeps what is shown true while checks go on, and says aloud when the status changes. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { keys, queryClient } from '../../lib/queries.ts'

const announcements = {
  up: 'is up',
  down: 'is down',
  paused: 'is paused',
  pending: 'is waiting for its first check',
} as const

/** Answers with what there is to say, which is nothing at first. */
export function useFollow(monitor: MonitorRecord): string {
  const { id, friendly_name, status, last_checked_at } = monitor
  const seen = useRef({ status, last_checked_at })
  const [said, setSaid] = useState('')
  useEffect(() => {
    const before = seen.current
    seen.current = { status, last_checked_at }
    if (before.status !== status) {
      setSaid(`${friendly_name} ${announcements[status]}.`)
      for (const queryKey of [keys.checks(id), keys.incidents(id), keys.sent(id)]) {
        void queryClient.invalidateQueries({ queryKey })
      }
    } else if (before.last_checked_at !== last_checked_at) {
      void queryClient.invalidateQueries({ queryKey: keys.checksOf(id, '24h') })
    }
  }, [id, friendly_name, status, last_checked_at])
  return said
}
