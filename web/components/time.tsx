import { useEffect, useState } from 'preact/hooks'
import { formatAgo, formatMoment } from '../lib/format.ts'

/** "3 minutes ago", kept true while it is looked at; the moment itself is in its title. For what has happened: a clock of the server that is ahead of ours does not make it the future. */
export function Ago({ at }: { at: string }) {
  const [, setTick] = useState(0)
  useEffect(() => {
    const isYoung = Date.now() - new Date(at).getTime() < 3_600_000
    const timer = setInterval(() => setTick((tick) => tick + 1), isYoung ? 5_000 : 60_000)
    return () => clearInterval(timer)
  }, [at])
  return (
    <time dateTime={at} title={formatMoment(at)}>
      {formatAgo(at, Math.max(Date.now(), Date.parse(at)))}
    </time>
  )
}

export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatAgo(at)}>
      {formatMoment(at)}
    </time>
  )
}
