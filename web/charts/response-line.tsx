/** The response times of a monitor as a small line. Empty until they have arrived. */

import { formatDateTime, formatMs } from '../lib/format.ts'
import { isWaitingForSignal, NO_SIGNAL_LABEL } from '../lib/monitor-status.ts'
import type { OverviewMonitor } from '../lib/overview.ts'
import { useResponseTrend } from '../lib/response-times.ts'
import { EmptySparkline, Sparkline } from './sparkline.tsx'

export function ResponseLine({ monitor }: { monitor: OverviewMonitor }) {
  const trend = useResponseTrend(monitor)
  if (isWaitingForSignal(monitor)) return <EmptySparkline text={NO_SIGNAL_LABEL} />
  if (trend === undefined) return <span class="sparkline" />
  if (trend === null) return <EmptySparkline label="Too few response times for a line" />
  const values = trend.values.filter((value) => value !== null)
  const range = `${formatMs(Math.min(...values))} to ${formatMs(Math.max(...values))}`
  return (
    <Sparkline
      values={trend.values}
      label={`Response times since ${formatDateTime(new Date(trend.startsAt))}: ${range}`}
      kind="response"
      id={monitor.id}
    />
  )
}
