import { useEffect, useState } from 'preact/hooks'
import { formatRelativeTime, formatDateTimeWithSeconds, formatDateTime } from '../lib/format.ts'

/** "3 minutes ago", kept true while it is looked at; the moment itself is in its title. */
export function Ago({ at }: { at: string }) {
  const [, setTick] = useState(0)
  useEffect(() => {
    const isYoung = Date.now() - new Date(at).getTime() < 3_600_000
    const timer = setInterval(() => setTick((tick) => tick + 1), isYoung ? 5_000 : 60_000)
    return () => clearInterval(timer)
  }, [at])
  // It has happened, also where the clock of the server is ahead of ours.
  const now = Math.max(Date.now(), Date.parse(at))
  return (
    <time dateTime={at} title={formatDateTimeWithSeconds(at)}>
      {formatRelativeTime(at, now)}
    </time>
  )
}

export function Moment({ at, isExact = false }: { at: string; isExact?: boolean }) {
  return (
    <time dateTime={at} title={formatRelativeTime(at)}>
      {isExact ? formatDateTimeWithSeconds(at) : formatDateTime(at)}
    </time>
  )
}
