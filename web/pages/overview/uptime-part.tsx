import { Link } from 'wouter-preact'
import { barsOf, UptimeBars } from '../../charts/uptime-bars.tsx'
import { watchDomainPath } from '../../lib/address.ts'
import { formatMs, formatUptime } from '../../lib/format.ts'
import type { Overview, OverviewMonitor } from '../../lib/queries.ts'

interface UptimePartProps {
  monitor: OverviewMonitor
  days: Overview['days']
  /** Where the row itself leads there: for the mouse alone. */
  isRepeated: boolean
}

export function UptimePart({ monitor, days, isRepeated }: UptimePartProps) {
  const { id, friendly_name, uptime_percent, last_response_ms } = monitor
  return (
    <Link href={`/monitors/${id}`} class="overview-uptime" tabIndex={isRepeated ? -1 : undefined}>
      <UptimeBars bars={barsOf(days, monitor)} label={friendly_name} />
      <span class="overview-percent numbers" aria-hidden="true">
        {formatUptime(uptime_percent, monitor.down.length > 0)}
      </span>
      <span class="overview-response numbers muted small">
        {last_response_ms !== null && (
          <>
            <span class="hidden-text">, last response </span>
            {formatMs(last_response_ms)}
          </>
        )}
      </span>
    </Link>
  )
}

export function Unwatched({ domain }: { domain: string }) {
  return (
    <div class="overview-uptime muted small">
      <span class="overview-note">
        Not watched ·{' '}
        <Link href={watchDomainPath(domain)}>
          Add a monitor<span class="hidden-text"> of {domain}</span>
        </Link>
      </span>
    </div>
  )
}
