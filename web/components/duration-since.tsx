import { formatDurationSeconds } from '../lib/format.ts'
import { countSecondsSince, useServerNow } from '../lib/server-clock.ts'

/**
 * Shows how long a monitor has been down, such as "5 min 12 s", and updates every second. `since` is `down_since` of the
 * monitor or `started_at` of its incident.
 */
export function DurationSince({ since }: { since: string }) {
  return <>{formatDurationSeconds(countSecondsSince(since, useServerNow(true)))}</>
}
