import { RelativeTime } from '../../components/time.tsx'
import type { OverviewMonitor } from '../../lib/queries.ts'

/** Since when a monitor is down, and why, in full. The list reserves as many lines as it needs. */
export function DownNote({ monitor: { status_changed_at, last_error } }: { monitor: OverviewMonitor }) {
  return (
    <p class="overview-down-note small">
      Went down <RelativeTime at={status_changed_at} />
      {last_error && ` · ${last_error}`}
    </p>
  )
}
