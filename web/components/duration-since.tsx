import { formatDurationSeconds } from '../lib/format.ts'
import { countSecondsSince, useServerNow } from '../lib/server-clock.ts'

/** "5m 12s": how long a monitor has been down, ticking. `since` is `down_since` of the monitor or `started_at` of its incident. */
export function DurationSince({ since }: { since: string }) {
  return <>{formatDurationSeconds(countSecondsSince(since, useServerNow(true)))}</>
}
