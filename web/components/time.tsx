import { useEffect, useState } from 'preact/hooks'
import { HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts'
import { formatDate, formatDateTime, formatDateTimeWithSeconds, formatRelativeTime } from '../lib/format.ts'

/** "3 minutes ago", updated while it is on screen. The tooltip shows the exact time. */
export function RelativeTime({ at }: { at: string }) {
  const [, setTick] = useState(0)
  useEffect(() => {
    const isRecent = Date.now() - new Date(at).getTime() < HOUR_MS
    const timer = setInterval(() => setTick((tick) => tick + 1), isRecent ? 5_000 : MINUTE_MS)
    return () => clearInterval(timer)
  }, [at])
  // The server's clock may be ahead of the browser's. A past event must not read as "in 2 seconds".
  const now = Math.max(Date.now(), Date.parse(at))
  return (
    <time dateTime={at} title={formatDateTimeWithSeconds(at)}>
      {formatRelativeTime(at, now)}
    </time>
  )
}

export function DateTime({ at, hasSeconds = false }: { at: string; hasSeconds?: boolean }) {
  return (
    <time dateTime={at} title={formatRelativeTime(at)}>
      {hasSeconds ? formatDateTimeWithSeconds(at) : formatDateTime(at)}
    </time>
  )
}

/** The tooltip shows the time. */
export const Day = ({ at }: { at: string }) => (
  <time dateTime={at} title={formatDateTime(at)}>
    {formatDate(at)}
  </time>
)
