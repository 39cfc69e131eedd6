import { useEffect, useState } from 'preact/hooks'
import { formatDateTime } from '../../lib/format.ts'
import { findNextCronTimes } from '../../lib/next-cron-times.ts'

const NEXT_TIME_COUNT = 3

/** The next times of a cron expression, in the user's time zone. Empty while the expression isn't complete. */
export function NextTimes({ cron, timeZone }: { cron: string; timeZone: string }) {
  const [times, setTimes] = useState<readonly Date[]>([])
  useEffect(() => {
    let isCurrent = true
    void findNextCronTimes(cron, timeZone, NEXT_TIME_COUNT).then((next) => isCurrent && setTimes(next))
    return () => {
      isCurrent = false
    }
  }, [cron, timeZone])
  return (
    <div class="monitor-form-next small" role="status">
      {times.length > 0 && (
        <>
          <span class="muted">Next beats, in your time zone:</span>
          <ul>
            {times.map((at) => (
              <li key={at.getTime()} class="numbers">
                {formatDateTime(at)}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
