import { formatUptimePercent } from '../lib/format.ts'
import { formatSince, hasUptimePercent, type UptimeFields } from '../lib/uptime-text.ts'
import './uptime-figure.css'

/** The uptime in a list: a percentage, or since when the monitor is monitored if it has less than a day of data. */
export function UptimeFigure({ uptime }: { uptime: UptimeFields }) {
  const { uptime_percent, monitored_since } = uptime
  const text = formatUptimePercent(uptime_percent)
  if (uptime_percent === null || monitored_since === null) return <>{text}</>
  const since = formatSince(monitored_since)
  return hasUptimePercent(uptime) ? (
    <span title={`Since ${since}`}>{text}</span>
  ) : (
    <span class="uptime-since muted">since {since}</span>
  )
}
