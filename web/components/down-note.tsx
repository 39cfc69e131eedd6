import type { OverviewMonitor } from '../lib/queries.ts'
import { RelativeTime } from './time.tsx'

/** Since when a monitor is down, and why, in full. The list reserves as many lines as it needs. */
export function DownNote({ monitor: { status_changed_at, last_error } }: { monitor: OverviewMonitor }) {
  return (
    <p class="down-note small">
      Went down <RelativeTime at={status_changed_at} />
      {last_error && ` · ${last_error}`}
    </p>
  )
}
