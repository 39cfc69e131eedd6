/** The response times of a monitor by hour, as a small line. Empty until they have arrived. */
import { formatMs } from '../lib/format.ts'
import type { OverviewMonitor } from '../lib/overview.ts'
import { useResponseTimes } from '../lib/response-times.ts'
import { Sparkline } from './sparkline.tsx'

export function ResponseLine({ monitor }: { monitor: OverviewMonitor }) {
  const times = useResponseTimes(monitor)
  const values = times?.hours.filter((value) => value !== null) ?? []
  // A daily job runs once in 24 hours, and one run is no trend.
  const hasTrend = values.length > 1 || (monitor.type !== 'heartbeat' && values.length > 0)
  if (times === undefined || !hasTrend) return <span class="sparkline" />
  const range = `${formatMs(Math.min(...values))} to ${formatMs(Math.max(...values))}`
  return (
    <Sparkline
      values={times.hours}
      label={`Response times in the last 24 hours: ${range}`}
      kind="response"
      id={monitor.id}
    />
  )
}
